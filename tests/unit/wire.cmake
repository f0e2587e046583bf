# SPDX-License-Identifier: MIT
ptc_unit_test(test_control LIBS ptc_wire)
