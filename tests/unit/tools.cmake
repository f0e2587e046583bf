# SPDX-License-Identifier: MIT
if(TARGET ptc_tools)
  foreach(name tool_read_file tool_write_file tool_terminal tools_server tools_parts
      tool_search tool_search_matcher tools_glob
      tools_ignore tools_walk)
    ptc_unit_test(test_${name} LIBS ptc_tools)
  endforeach()
endif()
