# SPDX-License-Identifier: MIT
# Tests that start real runs through the public functions: they link the shared library as an
# embedder does, and need ptc-child.
if(TARGET ptchost AND TARGET ptc-child)
  foreach(name calls lifecycle host limits policy tool surprise)
    ptc_unit_test(test_api_${name} SOURCES api_harness.c LIBS ptchost PkgConfig::JANSSON pthread)
    target_compile_definitions(test_api_${name} PRIVATE PTC_TEST_CHILD="$<TARGET_FILE:ptc-child>")
    add_dependencies(test_api_${name} ptc-child)
  endforeach()
endif()
if(TARGET ptc_run)
  foreach(name mailbox channel python_env usage)
    ptc_unit_test(test_run_${name} LIBS ptc_run pthread)
  endforeach()
endif()
