#!/bin/bash
# SPDX-License-Identifier: MIT
# under_tsan.sh SOURCE BUILD CMAKE: builds what threads are about with ThreadSanitizer, and runs it.
set -euo pipefail
source=$1 build=$2 cmake=$3
"$cmake" -S "$source" -B "$build" -G Ninja -DPTC_SANITIZE=thread -DPTC_BUILD_TESTS=ON >/dev/null
"$cmake" --build "$build" --target test_api_threads test_run_mailbox >/dev/null
"$build/tests/test_run_mailbox"
"$build/tests/test_api_threads"
