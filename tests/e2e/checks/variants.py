# SPDX-License-Identifier: MIT
"""What holds in the normal tree of processes also holds in the others: --cold (no zygote between)
and --no-namespaces (what a machine without user namespaces gets)."""
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))
from harness import expect, main_of_check  # noqa: E402

CASES = """
a01_print a08_exception_after_print a10_sys_exit_3 a19_main_and_file
a26_thread_outlives_main a28_atexit b01_terminal b02_chain b03_write_then_read
b07_import_of_disabled_tool b13_limit_is_exact c01_ten_threads c07_forked_children
c11_interrupted_call d02_output_one_over_the_limit d16_background_child_holds_stdout
e02_timeout_keeps_output e04_signals_ignored f01_secrets_of_the_host f02_what_is_there
f26_open_files g14_no_tools h02_garbage h04_forged_request h05_channel_closed_by_script
signal_is_named
""".split()
# Without a pid namespace nothing holds what left its session (design, tier 2): not promised there.
NEEDS_NAMESPACES = {"e07_daemons_at_timeout", "e08_daemons_at_the_end"}
VARIANTS = {"--cold": CASES + sorted(NEEDS_NAMESPACES), "--no-namespaces": CASES}


def check(bench):
    failed = []
    for option, cases in VARIANTS.items():
        for case in cases:
            done = subprocess.run(
                [sys.executable, "-B", str(HERE / "run_case.py"), "--bin", str(bench.bin),
                 f"--with={option}", str(HERE / "cases" / case)], capture_output=True, text=True)
            if done.returncode != 0:
                failed.append(f"with {option}: {done.stdout}{done.stderr}")
    expect(not failed, "\n".join(failed))
    run = bench.code("print(1)\n", "--no-namespaces")
    run.need("pid_ns" not in str(run["sandbox"].get("layers")), "the result claims namespaces")


main_of_check(check)
