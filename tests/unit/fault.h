/* SPDX-License-Identifier: MIT
 *
 * Fault injection: a malloc that fails at the n-th call. Link with the wrap options of base.cmake.
 */
#pragma once

/* Runs scenario again and again, failing the first allocation, then the second, ... until one run
 * needs fewer. Once with only that one call failing and once with all calls after it failing too.
 * A scenario returns 0, or negative when an allocation failed; it must free all it made. Checks
 * that each failure is reported, nothing crashes, and nothing leaks. jansson is included. */
void fault_sweep(int (*scenario)(void));

/* Fails one allocation by hand: the n-th from now; 0 = none. Returns how often it fired before. */
int fault_arm(long n);

/* The same with every later allocation failing, too, until it is called with 0. */
int fault_arm_from(long n);

/* Allocations that were made through the wrapped functions and not freed. */
long fault_live(void);
