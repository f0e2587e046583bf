# SPDX-License-Identifier: MIT
# hermes_tools needs an interpreter and a host at the other end: its tests are Python scripts that
# run in tests/hermes/harness.c.
add_executable(hermes_harness ../hermes/harness.c ../hermes/fake_host.c)
target_link_libraries(hermes_harness PRIVATE ptc_hermes ptc_wire ptc_spec ptc_base ptc_options)
set_target_properties(hermes_harness PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# ptc_hermes_test(name SCRIPT script [HARNESS options...] [ARGS arguments of the script...])
function(ptc_hermes_test name)
  cmake_parse_arguments(ARG "" "SCRIPT" "HARNESS;ARGS" ${ARGN})
  add_test(NAME unit.hermes.${name} COMMAND hermes_harness ${ARG_HARNESS}
    ${PROJECT_SOURCE_DIR}/tests/hermes/${ARG_SCRIPT} ${ARG_ARGS})
  set_tests_properties(unit.hermes.${name} PROPERTIES TIMEOUT 120)
  if(PTC_SANITIZE) # every object a block of its own, so that the sanitizer sees its bounds
    set_tests_properties(unit.hermes.${name} PROPERTIES ENVIRONMENT
      "PYTHONMALLOC=malloc;ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1")
  endif()
endfunction()

ptc_hermes_test(binding SCRIPT binding.py)
ptc_hermes_test(module SCRIPT module.py)
ptc_hermes_test(module_preloaded SCRIPT module.py HARNESS --preload)
ptc_hermes_test(selection SCRIPT selection.py HARNESS --tools read_file,terminal)
ptc_hermes_test(no_tools SCRIPT selection.py HARNESS --tools none)
ptc_hermes_test(no_host SCRIPT no_host.py HARNESS --no-channel)
ptc_hermes_test(helpers SCRIPT helpers.py)
ptc_hermes_test(encode SCRIPT encode.py)
ptc_hermes_test(decode SCRIPT decode.py)
ptc_hermes_test(threads SCRIPT threads.py)
ptc_hermes_test(in_flight SCRIPT in_flight.py HARNESS --in-flight 3)
ptc_hermes_test(signals SCRIPT signals.py)
ptc_hermes_test(forked SCRIPT forked.py)
ptc_hermes_test(aio SCRIPT aio_calls.py)
ptc_hermes_test(shutdown SCRIPT shutdown.py)
ptc_hermes_test(leaks SCRIPT leaks.py)
foreach(failure close garbage wrong_id descriptor reused_descriptor)
  ptc_hermes_test(failure_${failure} SCRIPT failure.py ARGS ${failure})
endforeach()
