#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""The golden list of exported names: the shared library, the archive and the header have these and no
others. A name that is added is added to symbols.txt; one that is taken away is a new SONAME."""
import re

import packaging


def names_of(*words):
    listing = packaging.command("nm", "--defined-only", "-P", *words)
    # A is the version node.
    return {name.split("@")[0] for name, kind in re.findall(r"^(\S+) (\w) ", listing, re.M)
            if kind != "A"}


def main():
    args = packaging.arguments(__doc__)
    lines = (packaging.HERE / "symbols.txt").read_text(encoding="utf-8").splitlines()
    expected = {line for line in lines if line and not line.startswith("#")}
    header = (packaging.ROOT / "host/include/ptc_host.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    found = {
        "libptchost.so": names_of("-D", args.build / "lib/libptchost.so"),
        "libptchost.a": names_of("-g", args.build / "lib/libptchost.a"),
        "ptc_host.h": set(re.findall(r"^PTC_API [^;{]*?(ptc_\w+)\(", header, re.M)),
    }
    for where, names in found.items():
        if names != expected:
            packaging.fail(f"{where}: missing {sorted(expected - names)}, new "
                           f"{sorted(names - expected)}; tests/packaging/symbols.txt is the list")
    soname = packaging.command("readelf", "-d", args.build / "lib/libptchost.so")
    if "[libptchost.so.0]" not in soname:
        packaging.fail("the SONAME is not libptchost.so.0")
    versioned = packaging.command("nm", "-D", "--defined-only", args.build / "lib/libptchost.so")
    without = [line for line in versioned.splitlines() if " T " in line and "@@PTCHOST_0" not in line]
    if without:
        packaging.fail("without a version:", *without)


main()
