# SPDX-License-Identifier: MIT
foreach(name options nearest outcome output source help series rpc_in rpc_out)
  ptc_unit_test(test_cli_${name} LIBS ptc_cli ptchost)
endforeach()
