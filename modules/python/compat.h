/* SPDX-License-Identifier: MIT
 *
 * Every difference between CPython versions lives here. 3.11 is the tested version; 3.12 and 3.13
 * build. Include this instead of Python.h.
 */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX < 0x030b0000
#error "Python 3.11 or newer is needed"
#endif
