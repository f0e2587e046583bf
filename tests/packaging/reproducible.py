#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""With PTC_REPRODUCIBLE two builds, of the source and of a copy of it elsewhere, give the same bytes."""
import hashlib
import os
import shutil
import subprocess

import packaging

FILES = ("lib/libptchost.so.0.1.0", "lib/libptchost.a", "bin/ptc-host", "bin/ptc-child")
TARGETS = ("ptchost", "ptchost_static", "ptc-host", "ptc-child")


def copy_source(target):
    listing = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(packaging.ROOT), "ls-files",
                              "-z"], check=True, capture_output=True, text=True).stdout
    for name in listing.split("\0"):
        if name and (packaging.ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(packaging.ROOT / name, target / name)


def build(args, source, folder):
    packaging.command(args.cmake, "-S", source, "-B", folder, "-G", "Ninja", "-DPTC_REPRODUCIBLE=ON",
                      "-DPTC_BUILD_TESTS=OFF", f"-DCMAKE_C_COMPILER={args.cc}")
    packaging.command("ninja", "-C", folder, "-j", os.environ.get("PTC_JOBS", os.cpu_count()),
                      *TARGETS)
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES}


def main():
    args = packaging.arguments(__doc__)
    if not shutil.which("git"):
        packaging.skip("there is no git")
    with packaging.Scratch() as scratch:
        copy_source(scratch / "some/where/source")
        sources = (packaging.ROOT, scratch / "some/where/source")
        first, second = (build(args, source, scratch / f"build-{i}")
                         for i, source in enumerate(sources))
    different = [name for name in FILES if first[name] != second[name]]
    if different:
        packaging.fail("not the same:", *different)


main()
