# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_SOURCE_DIR}/fail_alloc.cmake)
foreach(name spec spec_json spec_validate toolset schema pystub)
  ptc_unit_test(test_${name} LIBS ptc_spec)
  ptc_fail_alloc(test_${name})
endforeach()
target_compile_definitions(test_pystub PRIVATE TEST_PYTHON="${PTC_PYTHON_EXECUTABLE}")
