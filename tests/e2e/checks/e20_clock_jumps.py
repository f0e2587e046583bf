# SPDX-License-Identifier: MIT
"""E20: the wall clock jumps by hours; deadlines and durations go by the monotonic clock."""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check, skip  # noqa: E402

# Each look at the wall clock is an hour later than the one before.
JUMPING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

static long jumps;

int clock_gettime(clockid_t id, struct timespec *ts)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int r = real(id, ts);
    if (id == CLOCK_REALTIME)
        ts->tv_sec += 3600 * ++jumps;
    return r;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
    struct timespec ts;
    (void)tz;
    clock_gettime(CLOCK_REALTIME, &ts);
    tv->tv_sec = ts.tv_sec;
    tv->tv_usec = 0;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    if (out)
        *out = ts.tv_sec;
    return ts.tv_sec;
}
"""
SCRIPT = """
import time

from hermes_tools import terminal

time.sleep(0.3)
print(terminal("sleep 0.2; echo done", timeout=20)["output"].strip())
"""


def check(bench):
    if not shutil.which("gcc"):
        skip("no gcc to build the clock that jumps")
    source, library = bench.base / "jump.c", bench.base / "jump.so"
    source.write_text(JUMPING)
    built = subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"],
                           capture_output=True, text=True)
    expect(built.returncode == 0, built.stderr)
    run = bench.code(SCRIPT, "--timeout", "20", env={"LD_PRELOAD": str(library)})
    run.need(run["status"] == "success" and run["output"] == "done\n", "a jump was taken for time")
    run.need(0.5 <= run["duration_seconds"] < 10, "the duration is of the wrong clock")


main_of_check(check)
