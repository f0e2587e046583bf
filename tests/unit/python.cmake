# SPDX-License-Identifier: MIT
add_executable(script_runner script_runner.c)
target_link_libraries(script_runner PRIVATE ptc_python)
set_target_properties(script_runner PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
ptc_unit_test(test_interp LIBS ptc_python)
foreach(target script_runner test_interp)
  target_compile_definitions(${target} PRIVATE
    TEST_PYTHON_EXECUTABLE="${PTC_PYTHON_EXECUTABLE}"
    TEST_PYTHON_STDLIB="${PTC_PYTHON_PREFIX}/lib/python3.11")
endforeach()
add_test(NAME unit.test_script COMMAND ${PTC_PYTHON_EXECUTABLE} -I -B
  ${CMAKE_CURRENT_SOURCE_DIR}/test_script.py $<TARGET_FILE:script_runner>)
set_tests_properties(unit.test_script PROPERTIES TIMEOUT 120)

# One test per script that ends in an odd way, see tests/endings/run.py.
file(GLOB endings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/endings/*/script.py)
foreach(script ${endings})
  get_filename_component(folder ${script} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  add_test(NAME endings.${name} COMMAND ${PTC_PYTHON_EXECUTABLE} -I -B
    ${PROJECT_SOURCE_DIR}/tests/endings/run.py ${PTC_PYTHON_EXECUTABLE}
    $<TARGET_FILE:script_runner> ${folder})
  set_tests_properties(endings.${name} PROPERTIES TIMEOUT 120)
endforeach()

# Python's arenas come from mmap, where the leak sanitizer does not look for pointers.
set_tests_properties(unit.test_interp unit.test_script PROPERTIES
  ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
