#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""Installs the build, moves the prefix, installs into a DESTDIR; then looks at what is there: the
golden list of files, both components, no path of this machine in any text, a program that runs."""
import os
import re
import shutil

import packaging


def install(args, prefix, component=None, env=None):
    words = [args.cmake, "--install", args.build]
    words += ["--prefix", prefix] if prefix else []
    words += ["--component", component] if component else []
    packaging.command(*words, env=env)


def files_below(args, folder):
    """Relative names, as they would be in any build: `lib` for the folder of libraries, no type of
    build, one name for what comes from elsewhere."""
    found = set()
    for path in folder.rglob("*"):
        if path.is_dir():
            continue
        name = path.relative_to(folder).as_posix()
        name = re.sub("^" + re.escape(args.libdir) + "/", "lib/", name)
        name = re.sub(r"(ptchost-targets)-\w+\.cmake", r"\1-BUILDTYPE.cmake", name)
        name = re.sub(r"(doc/ptc-host/(third-party|examples))/.*", r"\1/...", name)
        found.add(name)
    return found


def golden(component):
    lines = (packaging.HERE / "files.txt").read_text(encoding="utf-8").splitlines()
    return {line.split()[1] for line in lines
            if line and line[0] != "#" and component in (None, line.split()[0])}


def compare(what, found, expected):
    if found != expected:
        packaging.fail(f"{what}: missing {sorted(expected - found)}, new {sorted(found - expected)}; "
                       "tests/packaging/files.txt is the list")


def check_texts(folder, words):
    """Nothing that is read by others may name where it was built or first installed."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in (".pc", ".cmake", ".h", ".1", ".3"):
            text = path.read_text(encoding="utf-8")
            for word in words:
                if str(word) in text:
                    packaging.fail(f"{path} names {word}")


def moved_prefix(args):
    first, moved = args.build / "packaging/first", packaging.prefix_of(args)
    for folder in (first, moved):
        shutil.rmtree(folder, ignore_errors=True)
    install(args, first, "runtime")
    compare("component runtime", files_below(args, first), golden("runtime"))
    said = packaging.command(first / "bin/ptc-host", "-c", "print(6 * 7)", cwd=args.build)
    if said != "42\n":
        packaging.fail("ptc-host of the component runtime printed", repr(said))
    install(args, first, "development")
    compare("both components", files_below(args, first), golden(None))
    shutil.rmtree(first)
    install(args, first)
    compare("without components", files_below(args, first), golden(None))
    first.rename(moved)
    check_texts(moved, [first, args.build, packaging.ROOT])
    said = packaging.command(moved / "bin/ptc-host", "-c",
                             "import os; print(os.readlink('/proc/self/exe'))", cwd=args.build)
    if said.strip() != str(packaging.child_of(args, moved)):
        packaging.fail("ptc-host of the moved prefix ran", said)


def destdir(args):
    folder = args.build / "packaging/staging"
    shutil.rmtree(folder, ignore_errors=True)
    install(args, None, env={"DESTDIR": str(folder)})
    inside = folder / args.install_prefix.lstrip("/")
    compare("DESTDIR", files_below(args, inside), golden(None))
    outside = [path for path in folder.rglob("*")
               if not path.is_dir() and not path.is_relative_to(inside)]
    if outside:
        packaging.fail("DESTDIR: outside of the prefix:", *outside)
    check_texts(folder, [folder, args.build, packaging.ROOT])


def check_modes(folder):
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode & 0o777
        if not path.is_symlink() and (mode & 0o444 != 0o444 or mode & 0o022):
            packaging.fail(f"{path} has mode {mode:o}")


def main():
    args = packaging.arguments(__doc__)
    os.umask(0o022)
    (args.build / "packaging").mkdir(exist_ok=True)
    moved_prefix(args)
    destdir(args)
    check_modes(packaging.prefix_of(args))


main()
