# SPDX-License-Identifier: MIT
# One interface target that every target of ours links: warnings, hardening, sanitizers.
add_library(ptc_options INTERFACE)
target_compile_definitions(ptc_options INTERFACE _GNU_SOURCE PTC_VERSION_TEXT="${PROJECT_VERSION}")
target_compile_options(ptc_options INTERFACE
  -Wall -Wextra -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
  -Wwrite-strings -Wno-missing-field-initializers -fno-common -fstack-protector-strong)
if(PTC_WERROR)
  target_compile_options(ptc_options INTERFACE -Werror)
endif()
if(PTC_SANITIZE)
  target_compile_options(ptc_options INTERFACE -fsanitize=${PTC_SANITIZE}
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(ptc_options INTERFACE -fsanitize=${PTC_SANITIZE})
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(ptc_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
target_link_options(ptc_options INTERFACE -Wl,-z,relro -Wl,-z,now)
# For packagers: the same source gives the same bytes, wherever it lies and is built.
if(PTC_REPRODUCIBLE)
  target_compile_options(ptc_options INTERFACE
    -ffile-prefix-map=${PROJECT_BINARY_DIR}=/usr/src/ptc-host/build
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=/usr/src/ptc-host)
endif()

# A folder of the house as an internal static library: ptc_layer(NAME SOURCES...).
function(ptc_layer name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC ptc_options)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/modules)
endfunction()
