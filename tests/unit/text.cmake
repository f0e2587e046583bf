# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_SOURCE_DIR}/fail_alloc.cmake)
ptc_unit_test(test_headtail LIBS ptc_text)
ptc_fail_alloc(test_headtail)
ptc_unit_test(test_ansi LIBS ptc_text)
