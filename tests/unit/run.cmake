# SPDX-License-Identifier: MIT
# Tests that start real runs through the public functions: they link the shared library as an
# embedder does, and need ptc-child.
if(TARGET ptchost AND TARGET ptc-child)
  foreach(name calls frames lifecycle host limits policy tool surprise threads)
    ptc_unit_test(test_api_${name} SOURCES api_harness.c LIBS ptchost PkgConfig::JANSSON pthread)
    target_compile_definitions(test_api_${name} PRIVATE PTC_TEST_CHILD="$<TARGET_FILE:ptc-child>")
    add_dependencies(test_api_${name} ptc-child)
  endforeach()

  # Linked from the folders' own libraries, so that every allocation of theirs can be made to fail.
  ptc_unit_test(test_api_oom SOURCES api_harness.c fault.c fault_libc.c
    LIBS ptc_api ${PTC_FAULT_LINK} -Wl,--wrap=strdup,--wrap=strndup,--wrap=reallocarray,--wrap=vasprintf
    -Wl,--wrap=__vasprintf_chk,--wrap=realpath,--wrap=getcwd PkgConfig::JANSSON pthread)
  target_compile_definitions(test_api_oom PRIVATE PTC_TEST_CHILD="$<TARGET_FILE:ptc-child>")
  add_dependencies(test_api_oom ptc-child)
endif()
if(TARGET ptc_run)
  foreach(name args_text mailbox channel python_env usage)
    ptc_unit_test(test_run_${name} LIBS ptc_run pthread)
  endforeach()
endif()
