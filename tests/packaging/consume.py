#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""consume.py KIND: builds and runs one program against the installed tree, as an embedder would, and
checks that its script ran in the helper program of that tree."""
import os
import re

import packaging

CONSUMERS = packaging.HERE / "consumers"
STRICT = ["-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"]
LAYERS = ("base", "text", "wire", "spec", "run", "api")


def expect_hello(args, prefix, *words, env=None, word="hello"):
    with packaging.Scratch() as workspace:
        said = packaging.command(*words, env=env, cwd=workspace)
    expected = f"{word} {packaging.child_of(args, prefix)}\n"
    if said != expected:
        packaging.fail("expected", repr(expected), "got", repr(said))


def cmake(args, scratch, target, *run_args):
    prefix = packaging.prefix_of(args)
    packaging.command(args.cmake, "-S", CONSUMERS, "-B", scratch, "-G", "Ninja",
                      f"-DCMAKE_PREFIX_PATH={prefix}", f"-DTARGET={target}",
                      f"-DCMAKE_C_COMPILER={args.cc}")
    packaging.command(args.cmake, "--build", scratch)
    expect_hello(args, prefix, scratch / "consumer", *run_args)


def needs(program):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", packaging.command("readelf", "-d", program))


def cmake_shared(args, scratch):
    cmake(args, scratch, "ptchost::ptchost")
    if "libptchost.so.0" not in needs(scratch / "consumer"):
        packaging.fail("the program does not need libptchost.so.0")


def cmake_static(args, scratch):
    cmake(args, scratch, "ptchost::static", packaging.child_of(args, packaging.prefix_of(args)))
    if any("ptchost" in name for name in needs(scratch / "consumer")):
        packaging.fail("the program needs a shared libptchost")


def pkg_config_shared(args, scratch, prefix=None, compiler=None, source="hello.c", strict=STRICT):
    prefix = prefix or packaging.prefix_of(args)
    flags = packaging.pkg_config(args, prefix, "--cflags", "--libs")
    packaging.command(compiler or args.cc, *strict, "-o", scratch / "hello", CONSUMERS / source,
                      *flags)
    expect_hello(args, prefix, scratch / "hello",
                 env={"LD_LIBRARY_PATH": str(prefix / args.libdir)})


def destdir(args, scratch):
    """A package is built against another one's staging tree."""
    pkg_config_shared(args, scratch,
                      args.build / "packaging/staging" / args.install_prefix.lstrip("/"))


def pkg_config_archive(args, scratch):
    prefix = packaging.prefix_of(args)
    archive = packaging.pkg_config(args, prefix, "--variable=archive")
    flags = packaging.pkg_config(args, prefix, "--cflags")
    child = packaging.pkg_config(args, prefix, "--variable=child")
    packaging.command(args.cc, *STRICT, "-o", scratch / "hello", CONSUMERS / "hello.c", *flags,
                      *archive, "-ljansson", "-lpthread")
    expect_hello(args, prefix, scratch / "hello", *child)


def pkg_config_static(args, scratch):
    """Nothing shared at all."""
    prefix = packaging.prefix_of(args)
    flags = packaging.pkg_config(args, prefix, "--static", "--cflags", "--libs")
    child = packaging.pkg_config(args, prefix, "--variable=child")
    packaging.command(args.cc, "-static", *STRICT, "-o", scratch / "hello", CONSUMERS / "hello.c",
                      *flags)
    expect_hello(args, prefix, scratch / "hello", *child)


def beside(args, scratch):
    """A plug-in that ships the helper program in its own folder finds it there."""
    prefix = packaging.prefix_of(args)
    archive = packaging.pkg_config(args, prefix, "--variable=archive")
    packaging.command(args.cc, "-o", scratch / "hello", CONSUMERS / "hello.c",
                      f"-I{prefix}/include", *archive, "-ljansson", "-lpthread")
    packaging.command("cp", packaging.child_of(args, prefix), scratch)
    with packaging.Scratch() as workspace:
        said = packaging.command(scratch / "hello", cwd=workspace)
    if said != f"hello {scratch}/ptc-child\n":
        packaging.fail("got", repr(said))


def cpp(args, scratch):
    pkg_config_shared(args, scratch, compiler="c++", source="hello.cpp",
                      strict=["-std=c++17", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"])


def plugin(args, scratch):
    prefix = packaging.prefix_of(args)
    packaging.command(args.cc, "-Wall", "-Wextra", "-Werror", f"-I{prefix}/include", "-o",
                      scratch / "plugin", CONSUMERS / "plugin.c")
    # What waits in a thread's cache of free memory would count as used.
    expect_hello(args, prefix, scratch / "plugin", prefix / args.libdir / "libptchost.so.0",
                 env={"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"})


def promises(args, scratch):
    prefix = packaging.prefix_of(args)
    packaging.command(args.cc, "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-g", "-o",
                      scratch / "promises", CONSUMERS / "promises.c",
                      *packaging.pkg_config(args, prefix, "--cflags", "--libs"),
                      f"-Wl,-rpath,{prefix / args.libdir}")
    with packaging.Scratch() as workspace:
        print(packaging.command(scratch / "promises", cwd=workspace))


def internal_names(args):
    """Every name that the library's folders share with each other."""
    names = set()
    for layer in LAYERS:
        listing = packaging.command("nm", "-g", "--defined-only", "-P",
                                    args.build / f"lib/libptc_{layer}.a")
        names |= set(re.findall(r"^(\w+) [TDBR] ", listing, re.M))
    return sorted(name for name in names if not name.startswith("ptc_"))


def clash(args, scratch):
    """A program in which all these names are its own, each a function that ends it."""
    names = internal_names(args)
    if not {"buf_append", "json_append", "loop_init", "frame_send"} <= set(names):
        packaging.fail("names that should be internal are not among", names)
    source = scratch / "clash.c"
    source.write_text('#include <stdlib.h>\n' + "".join(
        f"void {name}(void);\nvoid {name}(void)\n{{\n    abort();\n}}\n" for name in names))
    prefix = packaging.prefix_of(args)
    libraries = {"archive": packaging.pkg_config(args, prefix, "--variable=archive") + ["-ljansson"],
                 "shared": packaging.pkg_config(args, prefix, "--libs")}
    for kind, library in libraries.items():
        program = scratch / kind
        packaging.command(args.cc, "-fno-builtin", "-rdynamic", f"-I{prefix}/include", "-o", program,
                          CONSUMERS / "hello.c", source, *library)
        expect_hello(args, prefix, program, packaging.child_of(args, prefix),
                     env={"LD_LIBRARY_PATH": str(prefix / args.libdir)})
    print(len(names), "names are a program's own")


KINDS = {function.__name__: function for function in (
    cmake_shared, cmake_static, pkg_config_shared, destdir, pkg_config_archive, pkg_config_static,
    beside, cpp, plugin, promises, clash)}


def main():
    args = packaging.arguments(__doc__, "kind")
    os.umask(0o022)
    with packaging.Scratch() as scratch:
        KINDS[args.kind](args, scratch)


main()
