# SPDX-License-Identifier: MIT
if(TARGET ptc_cli)
  foreach(name options nearest outcome output source help series)
    ptc_unit_test(test_cli_${name} LIBS ptc_cli)
  endforeach()
endif()
