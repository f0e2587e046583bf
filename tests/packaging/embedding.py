#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""docs/embedding.md: its programs are compiled and print what it says, its other blocks are compiled
and run as parts of one program, its tables name every public function, its links lead somewhere."""
import re

import packaging

DOCUMENT = packaging.ROOT / "docs/embedding.md"
CONSUMERS = packaging.HERE / "consumers"
FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-g"]


def build(args, output, *sources):
    prefix = packaging.prefix_of(args)
    flags = packaging.pkg_config(args, prefix, "--cflags", "--libs")
    packaging.command(args.cc, *FLAGS, f"-I{CONSUMERS}", f"-I{output.parent}", "-o", output, *sources,
                      *flags, "-lpthread", f"-Wl,-rpath,{prefix / args.libdir}")


def run_programs(args, text, scratch):
    """Blocks with a main, and what the block after each says they print."""
    programs = re.findall(r"```c\n([^`]*?\nint main\([^`]*?)```\n\n```text\n(.*?)```", text, re.S)
    if not programs:
        packaging.fail("there is no program with its output")
    for number, (program, expected) in enumerate(programs):
        source = scratch / f"program{number}.c"
        source.write_text(program, encoding="utf-8")
        build(args, scratch / f"program{number}", source)
        with packaging.Scratch() as workspace:
            printed = packaging.command(scratch / f"program{number}", cwd=workspace)
        if printed != expected:
            packaging.fail("the document says", repr(expected), "it prints", repr(printed))
    return [program for program, _ in programs]


def run_blocks(args, text, scratch, programs):
    blocks = [block for block in re.findall(r"```c\n(.*?)```", text, re.S) if block not in programs]
    (scratch / "embedding_blocks.h").write_text("\n".join(blocks), encoding="utf-8")
    build(args, scratch / "blocks", CONSUMERS / "embedding_main.c")
    with packaging.Scratch() as workspace:
        packaging.command(scratch / "blocks", cwd=workspace)
    print(len(programs), "programs and", len(blocks), "blocks hold")


def check_formatting(text):
    """Lines fit, as in the code of the project."""
    for block in re.findall(r"```c\n(.*?)```", text, re.S):
        for line in block.splitlines():
            if len(line) > 100:
                packaging.fail("a line of code has more than 100 characters:", line)


def check_build_commands(args, text, scratch):
    """The cc commands, as they stand."""
    program = re.search(r"```c\n(.*?)```", text, re.S).group(1)
    (scratch / "hello.c").write_text(program, encoding="utf-8")
    path = packaging.prefix_of(args) / args.libdir / "pkgconfig"
    commands = [line for line in re.search(r"```sh\n(.*?)```", text, re.S).group(1).splitlines() if line]
    for line in commands:
        packaging.command("sh", "-ec", line, cwd=scratch, env={"PKG_CONFIG_PATH": str(path)})
    if len(commands) < 2:
        packaging.fail("commands are missing:", commands)


def check_tables(text):
    names = {line for line in (packaging.HERE / "symbols.txt").read_text().splitlines()
             if line.startswith("ptc_")}
    section = re.search(r"## Threads and callbacks\n(.*?)\n## ", text, re.S).group(1)
    # "`ptc_a`, `ptc_b` | who | when": the first cells.
    listed = re.findall(r"`(ptc_\w+)`", "\n".join(
        line.split("|")[1] for line in section.splitlines() if line.startswith("|")))
    twice = {name for name in listed if listed.count(name) > 1}
    if set(listed) != names or twice:
        packaging.fail(f"thread table: missing {sorted(names - set(listed))}, unknown "
                       f"{sorted(set(listed) - names)}, twice {sorted(twice)}")
    unknown = set(re.findall(r"\b(ptc_\w+)\(", text)) - names
    if unknown:
        packaging.fail("functions that do not exist:", unknown)


def check_costs(args, text, scratch):
    """The table has the rows of the program that measured it, in its order."""
    section = re.search(r"## Cost\n(.*?)\n## ", text, re.S).group(1)
    build(args, scratch / "cost", CONSUMERS / "cost.c")
    with packaging.Scratch() as workspace:
        printed = packaging.command(scratch / "cost", 1, cwd=workspace)
    listed = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")]
    measured = [line.split("|")[1].strip() for line in printed.splitlines()]
    if [row for row in listed if row in measured] != measured:
        packaging.fail(f"the table of costs has {listed}, cost.c measures {measured}")


def check_links(text):
    headings = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
                for heading in re.findall(r"^#+ (.*)", text, re.M)}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        name, _, anchor = target.partition("#")
        if name and not (DOCUMENT.parent / name).exists():
            packaging.fail("a link leads nowhere:", target)
        if not name and anchor not in headings:
            packaging.fail("a link leads to no heading:", target)


def main():
    args = packaging.arguments(__doc__)
    text = DOCUMENT.read_text(encoding="utf-8")
    check_tables(text)
    check_links(text)
    check_formatting(text)
    with packaging.Scratch() as scratch:
        programs = run_programs(args, text, scratch)
        run_blocks(args, text, scratch, programs)
        check_build_commands(args, text, scratch)
        check_costs(args, text, scratch)


main()
