/* SPDX-License-Identifier: MIT
 *
 * What every mechanism looks like: probe says whether this kernel and this user can have it, prepare
 * is what can be done ahead of time, apply is what a run's own process does. One mechanism per file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
