#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""ptc_host.h alone, by every compiler that is here, in C99, C11, C17 and C++17, without extensions and
with every warning an error. Its INIT macros are used, for a macro that nobody uses is not compiled."""
import shutil

import packaging

WARNINGS = ["-pedantic-errors", "-Wall", "-Wextra", "-Wundef", "-Wshadow", "-Wconversion", "-Werror"]
C_WARNINGS = ["-Wstrict-prototypes", "-Wmissing-prototypes", "-Wc++-compat"]
CPP_WARNINGS = ["-Wold-style-cast", "-Wzero-as-null-pointer-constant"]
SOURCE = """#include "ptc_host.h"
#include "ptc_host.h"
int all(void);
int all(void)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_host_options host = PTC_HOST_OPTIONS_INIT;
    struct ptc_run_options run = PTC_RUN_OPTIONS_INIT;
    return error.code + host.log_level + run.workspace_fd + PTC_VERSION_MAJOR;
}
"""
COMPILERS = {"gcc": "c", "clang-14": "c", "clang": "c", "g++": "c++", "clang++-14": "c++",
             "clang++": "c++"}
STANDARDS = {"c": ["c99", "c11", "c17"], "c++": ["c++17", "c++20"]}


def main():
    packaging.arguments(__doc__)
    done = {"c": 0, "c++": 0}
    with packaging.Scratch() as scratch:
        source = scratch / "all.c"
        source.write_text(SOURCE, encoding="utf-8")
        for compiler, language in COMPILERS.items():
            if not shutil.which(compiler):
                continue
            for standard in STANDARDS[language]:
                more = C_WARNINGS if language == "c" else CPP_WARNINGS
                packaging.command(compiler, "-x", language, f"-std={standard}", *WARNINGS, *more,
                                  "-fsyntax-only", f"-I{packaging.ROOT}/host/include", source)
                done[language] += 1
    if not done["c"] or not done["c++"]:
        packaging.skip(f"a compiler is missing: {done}")
    print(done)


main()
