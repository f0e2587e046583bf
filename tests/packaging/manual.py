#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""docs/libptchost.3 against the header: the same prototypes, an entry for every function, every struct
with its members, every constant, the same version. groff has nothing to complain about."""
import re
import shutil

import packaging

PAGE = packaging.ROOT / "docs/libptchost.3"
HEADER = packaging.ROOT / "host/include/ptc_host.h"


def plain(text):
    """The words of a manual page without its requests, on one line."""
    text = re.sub(r"^\.(?:B|BR|BI|I|TP|P|PP|SS|SH)\b ?", "", text, flags=re.M)
    text = text.replace("\\-", "-").replace("\\e", "\\").replace('"', " ")
    return normal(text)


def normal(text):
    text = re.sub(r"\s+", " ", text)
    return re.sub(r"\* +", "*", re.sub(r" ?([(),;]) ?", r"\1", text)).strip()


def section(page, name):
    return re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", page, re.M | re.S).group(1)


def check_prototypes(header, page):
    ours = {normal(proto) for proto in re.findall(r"^PTC_API ([^;{]*\([^;]*\);)", header, re.M)}
    ours |= {normal(proto) for proto in re.findall(r"^(typedef [^;]*\(\*[^;]*\);)", header, re.M)}
    theirs = plain(section(page, "SYNOPSIS").replace(".fi", "").replace(".nf", ""))
    for proto in ours:
        if proto not in theirs:
            packaging.fail("the manual page does not have", proto)
    count = theirs.count(";")
    if count != len(ours):
        packaging.fail(f"the manual page has {count} prototypes, the header {len(ours)}")


def check_entries(header, page):
    functions = re.findall(r"^PTC_API [^;{]*?(ptc_\w+)\(", header, re.M)
    entries = re.findall(r"^\.TP\n\.BR (ptc_\w+) \(\)\n[^.\n]", page, re.M)
    if sorted(functions) != sorted(entries):
        packaging.fail("entries:", sorted(set(functions) ^ set(entries)))


def check_structs(header, page):
    text = section(page, "STRUCTS")
    for name, body in re.findall(r"struct (ptc_\w+) \{(.*?)\n\};", header, re.S):
        members = [re.search(r"(\w+)(?:\[\w+\])?$", line.strip()).group(1)
                   for line in body.split(";") if line.strip()]
        listed = re.search(rf"\.B struct {name}\n.*Members: (.*)\.\n", text)
        if not listed or listed.group(1).split(", ") != members:
            packaging.fail(f"struct {name} has {members}, the manual page",
                           listed.group(1) if listed else "does not have it")


def check_constants(header, page):
    text = section(page, "CONSTANTS")
    for name in re.findall(r"\b(PTC_[A-Z_]+) = ", header):
        if not re.search(rf"\b{name}\b", text):
            packaging.fail("the manual page does not have", name)


def main():
    packaging.arguments(__doc__)
    header = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.S)
    page = PAGE.read_text(encoding="utf-8")
    check_prototypes(header, page)
    check_entries(header, page)
    check_structs(header, page)
    check_constants(header, page)
    version = ".".join(re.findall(r"#define PTC_VERSION_\w+ (\d+)", header))
    for path in (PAGE, PAGE.parent / "ptc-host.1"):
        if f'"ptc-host {version}"' not in path.read_text(encoding="utf-8").splitlines()[1]:
            packaging.fail(f"{path.name} is not of version {version}")
        if shutil.which("groff"):
            said = packaging.command("sh", "-c", f"groff -man -ww -z -Tutf8 '{path}' 2>&1")
            if said:
                packaging.fail(said)


main()
