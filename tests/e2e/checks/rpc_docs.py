# SPDX-License-Identifier: MIT
"""docs/rpc.md is true: its examples are a conversation that happens, its tables are complete."""
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402
from rpc_service import Service  # noqa: E402

ROOT = next(folder for folder in Path(__file__).resolve().parents
            if (folder / "README.md").exists())
DOC = (ROOT / "docs/rpc.md").read_text(encoding="utf-8")
VOLATILE = {"seconds", "duration_seconds", "version", "args_preview"}


def lines_of_the_examples():
    for block in re.findall(r"^```rpc\n(.*?)^```", DOC, re.M | re.S):
        for line in block.splitlines():
            yield line[:2], line[2:]


def holds(wanted, got, key=None):
    """Whether got has everything that wanted has; numbers of time only have to be numbers."""
    if key in VOLATILE:
        return isinstance(got, type(wanted))
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(k in got and holds(v, got[k], k)
                                             for k, v in wanted.items())
    return type(wanted) is type(got) and wanted == got


def next_line(service, wanted):
    message = service.next()
    while message and message.get("event") == "heartbeat" and wanted.get("event") != "heartbeat":
        message = service.next()  # a slow machine has one more of them
    return message


def converse(bench):
    service = Service(bench)
    count = 0
    for direction, text in lines_of_the_examples():
        count += 1
        if direction == "> ":
            service.write(text.encode() + b"\n")
            continue
        expect(direction == "< ", f"a line of an example begins with {direction!r}")
        wanted = json.loads(text)
        if wanted["type"] == "hello":
            continue  # the service has been greeted already
        got = next_line(service, wanted)
        expect(holds(wanted, got), f"docs/rpc.md: {wanted}\nreally: {got}")
    expect(count > 60, f"only {count} lines of examples were found")
    expect(service.end() == [], "more lines than in the docs")


def sources():
    return "\n".join(path.read_text(encoding="utf-8")
                     for path in sorted((ROOT / "host/cli").glob("rpc_*.c")))


def check_completeness():
    text = sources()
    sent = [json.loads(line) for direction, line in lines_of_the_examples()
            if line.startswith("{")]
    methods = set(re.findall(r'\{"(\w+)",\s*rpc_do_\w+', text))
    expect(len(methods) >= 12, f"methods of the table: {methods}")
    shown = {message.get("method") for message in sent}
    expect(methods <= shown, f"methods without an example: {methods - shown}")
    events = set(re.findall(r'\{"(\w+)", RPC_WANTS_\w+\}', text))
    expect(events == {message.get("event") for message in sent} - {None}, f"events: {events}")
    codes = set(re.findall(r'(?:id|NULL), "(\w+)",\s', text)) - {"true"} | \
        {"system", "invalid", "no_memory", "not_found", "unavailable", "state"}
    table = DOC[DOC.index("| code |"):DOC.index("## Reading")]
    documented = set(re.findall(r"`(\w+)`", "\n".join(row.split("|")[1] for row in
                                                      table.splitlines() if "|" in row)))
    expect(codes == documented, f"codes in the source {sorted(codes)}, in the docs "
                                f"{sorted(documented)}")


def check(bench):
    if (ROOT / "host/cli").is_dir():
        check_completeness()
    converse(bench)


main_of_check(check)
