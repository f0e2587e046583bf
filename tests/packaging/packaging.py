# SPDX-License-Identifier: MIT
"""What the packaging tests share: arguments, commands that must succeed, the installed trees.

The fixture packaging.install has put the build into two trees below BUILD/packaging: `prefix`, which
was moved there after it was installed elsewhere, and `staging`, a DESTDIR.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77


def arguments(description, *positional):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--libdir", default="lib")
    parser.add_argument("--libexecdir", default="libexec")
    parser.add_argument("--install-prefix", default="/usr/local")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--cc", default="cc")
    for name in positional:
        parser.add_argument(name)
    return parser.parse_args()


def prefix_of(args):
    return args.build / "packaging/prefix"


def child_of(args, prefix):
    return prefix / args.libexecdir / "ptc-host/ptc-child"


def fail(*words):
    print(*words)
    sys.exit(1)


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def command(*words, env=None, cwd=None, expect=0):
    """Output of a command that must end with the expected exit code."""
    words = [str(word) for word in words]
    own = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    own["HOME"] = str(HERE / "no-home")  # whoever runs the tests may have a config file
    run = subprocess.run(words, env={**own, **(env or {})}, cwd=cwd, text=True,
                         capture_output=True, stdin=subprocess.DEVNULL)
    if run.returncode != expect:
        fail(" ".join(words), "ended with", run.returncode, "\n" + run.stdout + run.stderr)
    return run.stdout


def pkg_config(args, prefix, *words):
    path = prefix / args.libdir / "pkgconfig"
    return command("pkg-config", *words, "ptchost", env={"PKG_CONFIG_PATH": str(path)}).split()


class Scratch:
    """A fresh folder for one test, gone afterwards."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="ptc-packaging-"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
