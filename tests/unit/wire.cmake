# SPDX-License-Identifier: MIT
ptc_unit_test(test_frame SOURCES fault.c LIBS ptc_wire ${PTC_FAULT_LINK})
ptc_unit_test(test_message SOURCES fault.c LIBS ptc_wire ${PTC_FAULT_LINK})
ptc_unit_test(test_control LIBS ptc_wire)
ptc_unit_test(test_frame_queue SOURCES fault.c LIBS ptc_wire ${PTC_FAULT_LINK})
