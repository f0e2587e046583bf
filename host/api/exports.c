/* SPDX-License-Identifier: MIT
 *
 * The shared library is made of the folders' static ones; a target needs a source of its own, and
 * this one checks that the header's version is the project's.
 */
#include "include/ptc_host.h"

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

_Static_assert(sizeof PTC_VERSION_TEXT == sizeof TEXT(PTC_VERSION_MAJOR) "." TEXT(
                                              PTC_VERSION_MINOR) "." TEXT(PTC_VERSION_PATCH),
               "the header's version is CMakeLists.txt's");
