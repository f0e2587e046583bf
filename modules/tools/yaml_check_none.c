/* SPDX-License-Identifier: MIT
 *
 * yaml_check of a build without libyaml.
 */
#include "tools/yaml_check.h"

#include <errno.h>

int yaml_check(const char *text, size_t length, struct yaml_fault *ret_fault)
{
    (void)text;
    (void)length;
    (void)ret_fault;
    return -ENOTSUP;
}
