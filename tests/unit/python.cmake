# SPDX-License-Identifier: MIT
add_executable(script_runner script_runner.c)
target_link_libraries(script_runner PRIVATE ptc_python)
target_compile_definitions(script_runner PRIVATE
  TEST_PYTHON_EXECUTABLE="${PTC_PYTHON_EXECUTABLE}"
  TEST_PYTHON_STDLIB="${PTC_PYTHON_PREFIX}/lib/python3.11")
set_target_properties(script_runner PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
