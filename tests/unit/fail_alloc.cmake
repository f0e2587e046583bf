# SPDX-License-Identifier: MIT
# Lets a unit test make single allocations fail: see fail_alloc.h.
function(ptc_fail_alloc name)
  target_sources(${name} PRIVATE fail_alloc.c)
  target_link_libraries(${name} PRIVATE PkgConfig::JANSSON)
  target_link_options(${name} PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
    -Wl,--wrap=reallocarray,--wrap=strdup)
endfunction()
