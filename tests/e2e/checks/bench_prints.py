# SPDX-License-Identifier: MIT
"""ptc-host bench: a table for people, the same numbers as JSON (their size is nobody's test)."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402


def check(bench):
    run = bench.run("bench", "--rounds", "1", "--json", json_result=False, timeout=90)
    run.need(run.exit_code == 0, "bench --json failed")
    numbers = json.loads(run.stdout)
    for name in ("python", "cold", "warm", "pingpong", "call"):
        expect(numbers[name]["p50_us"] > 0, f"{name} was not measured: {numbers}")
        expect(numbers[name]["p50_us"] <= numbers[name]["p99_us"], f"{name}: {numbers[name]}")
    table = bench.run("bench", "--rounds", "1", json_result=False, timeout=90)
    table.need(table.exit_code == 0 and table.stdout.count(b"\n") >= 5, "no table")


main_of_check(check)
