# SPDX-License-Identifier: MIT
# Everything from outside, found once. All of it is packaged by Debian 12.
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.14)
# ptc_jansson_static: for programs, which start faster with one shared object less; put in front of
# the shared one, which --as-needed then leaves out. The library keeps the shared one.
find_library(PTC_JANSSON_ARCHIVE NAMES libjansson.a)
add_library(ptc_jansson_static INTERFACE)
if(PTC_JANSSON_ARCHIVE AND NOT PTC_SANITIZE)
  target_link_libraries(ptc_jansson_static INTERFACE
    -Wl,--whole-archive ${PTC_JANSSON_ARCHIVE} -Wl,--no-whole-archive)
  target_link_options(ptc_jansson_static INTERFACE -Wl,--as-needed)
endif()
# ptc_yaml: the archive where there is one, for the same reason. A build without libyaml says of YAML
# that it was not checked.
if(PTC_YAML)
  pkg_check_modules(YAML IMPORTED_TARGET yaml-0.1)
  find_library(PTC_YAML_ARCHIVE NAMES libyaml.a)
endif()
add_library(ptc_yaml INTERFACE)
set(PTC_YAML_SOURCE yaml_check_none.c)
if(PTC_YAML AND YAML_FOUND)
  set(PTC_YAML_SOURCE yaml_check.c)
  if(PTC_YAML_ARCHIVE)
    target_include_directories(ptc_yaml SYSTEM INTERFACE ${YAML_INCLUDE_DIRS})
    target_link_libraries(ptc_yaml INTERFACE ${PTC_YAML_ARCHIVE})
  else()
    target_link_libraries(ptc_yaml INTERFACE PkgConfig::YAML)
  endif()
endif()
pkg_check_modules(PYTHON_EMBED REQUIRED IMPORTED_TARGET python-3.11-embed)

# The interpreter that belongs to the embedded library: never the first python3 on PATH.
pkg_get_variable(PTC_PYTHON_PREFIX python-3.11-embed exec_prefix)
find_program(PTC_PYTHON_EXECUTABLE NAMES python3.11 HINTS ${PTC_PYTHON_PREFIX}/bin
  NO_DEFAULT_PATH REQUIRED)

# ptc_python_embed: libpython for ptc-child. Static where the distribution ships the archive, and
# then without PIE, as the distribution's own interpreter: 40,000 relative relocations would copy
# 370 pages at every start, and the script, which is native code in the same image, would learn
# nothing from their secret. Else the shared library.
add_library(ptc_python_embed INTERFACE)
set(PTC_PYTHON_ARCHIVE
  ${PTC_PYTHON_PREFIX}/lib/python3.11/config-3.11-${CMAKE_C_LIBRARY_ARCHITECTURE}/libpython3.11.a)
if(PTC_STATIC_PYTHON AND EXISTS ${PTC_PYTHON_ARCHIVE})
  target_include_directories(ptc_python_embed SYSTEM INTERFACE ${PYTHON_EMBED_INCLUDE_DIRS})
  # Libraries that only the interpreter's own modules need come as archives too: each shared one
  # costs a start 0.2 ms.
  target_link_libraries(ptc_python_embed INTERFACE
    -Wl,--whole-archive ${PTC_PYTHON_ARCHIVE} -Wl,--no-whole-archive
    -Wl,-Bstatic expat z -Wl,-Bdynamic m dl util pthread)
  # Extension modules find Python in the program, but bring their own libexpat, libz, libyaml...
  target_link_options(ptc_python_embed INTERFACE -no-pie -Wl,--export-dynamic
    -Wl,--exclude-libs,libexpat.a:libz.a:libjansson.a:libyaml.a)
else()
  target_link_libraries(ptc_python_embed INTERFACE PkgConfig::PYTHON_EMBED)
endif()
