/* SPDX-License-Identifier: MIT
 *
 * The monotonic clock. Wall-clock time decides nothing in this project: a clock jump or a suspended
 * laptop must not end a run.
 */
#pragma once

#include <stdint.h>

#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

uint64_t clock_now_ns(void); /* CLOCK_MONOTONIC */
