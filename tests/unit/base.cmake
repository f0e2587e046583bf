# SPDX-License-Identifier: MIT
# fault.c stands in front of malloc, so that a test can make the n-th call fail.
set(PTC_FAULT_LINK -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free)

ptc_unit_test(test_err LIBS ptc_base)
ptc_unit_test(test_buf SOURCES fault.c LIBS ptc_base ${PTC_FAULT_LINK})
ptc_unit_test(test_bytes LIBS ptc_base)
ptc_unit_test(test_str LIBS ptc_base)
ptc_unit_test(test_utf8 SOURCES fault.c LIBS ptc_base ${PTC_FAULT_LINK})
ptc_unit_test(test_fd SOURCES fault.c LIBS ptc_base ${PTC_FAULT_LINK})
ptc_unit_test(test_clock LIBS ptc_base)
ptc_unit_test(test_loop SOURCES fault.c LIBS ptc_base ${PTC_FAULT_LINK})
ptc_unit_test(test_log LIBS ptc_base)
ptc_unit_test(test_json_scan LIBS ptc_base)
ptc_unit_test(test_json SOURCES fault.c LIBS ptc_base ${PTC_FAULT_LINK})
