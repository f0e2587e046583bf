# SPDX-License-Identifier: MIT
# What an embedder finds: find_package(ptchost), pkg-config, manual pages, documents, licences. Two
# components: `runtime` runs scripts, `development` compiles programs against the library. Each
# file finds its neighbours from its own place, so that a prefix can be moved.
include(CMakePackageConfigHelpers)

set(PTC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ptchost)
install(EXPORT ptchost-targets NAMESPACE ptchost:: DESTINATION ${PTC_CMAKE_DIR}
  COMPONENT development)
set(PTC_INSTALL_ARCHIVE ${CMAKE_INSTALL_LIBDIR}/libptchost.a)
set(PTC_INSTALL_CHILD ${CMAKE_INSTALL_LIBEXECDIR}/ptc-host/ptc-child)
configure_package_config_file(cmake/ptchost-config.cmake.in ptchost-config.cmake
  INSTALL_DESTINATION ${PTC_CMAKE_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR PTC_INSTALL_ARCHIVE PTC_INSTALL_CHILD)
# Before 1.0 the minor number counts: 0.2 may be another interface than 0.1.
write_basic_package_version_file(ptchost-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ptchost-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/ptchost-config-version.cmake
  DESTINATION ${PTC_CMAKE_DIR} COMPONENT development)

# ptc_pc_path(RESULT DIR): DIR for the .pc file, below ${prefix} where it is relative.
function(ptc_pc_path result dir)
  if(NOT IS_ABSOLUTE ${dir})
    set(dir "\${prefix}/${dir}")
  endif()
  set(${result} ${dir} PARENT_SCOPE)
endfunction()
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(PTC_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(PTC_PC_PREFIX "\${pcfiledir}/${up}")
endif()
ptc_pc_path(PTC_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
ptc_pc_path(PTC_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
ptc_pc_path(PTC_PC_CHILD ${PTC_INSTALL_CHILD})
configure_file(cmake/ptchost.pc.in ptchost.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ptchost.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

install(FILES docs/libptchost.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development)
install(FILES LICENSE README.md docs/configuration.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES docs/embedding.md docs/design.md docs/protocol.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development
  PATTERN __pycache__ EXCLUDE PATTERN CMakeLists.txt EXCLUDE)

# The licences of what is linked into our programs, as the distribution ships them.
foreach(package libjansson4 libpython3.11-minimal libexpat1 zlib1g)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright RENAME ${package}.copyright
      DESTINATION ${CMAKE_INSTALL_DOCDIR}/third-party COMPONENT runtime)
  endif()
endforeach()
