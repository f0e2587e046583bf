/* SPDX-License-Identifier: MIT
 *
 * See struct_size.h.
 */
#include "api/struct_size.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>

#define SIZE_MAX_SENSIBLE 4096 /* larger: it was never set, and what follows is not ours to read */

int struct_size_read(void *ret_known, size_t known_size, const void *given, const char *name,
                     struct err *err)
{
    size_t given_size;

    memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size || given_size > SIZE_MAX_SENSIBLE)
        return err_set(err, -EINVAL,
                       "struct_size of %s is %zu: it must be sizeof(%s), as its INIT macro sets it",
                       name, given_size, name);
    for (size_t i = known_size; i < given_size; i++)
        if (((const char *)given)[i])
            return err_set(err, -EINVAL,
                           "%s asks for something that version " PTC_VERSION_TEXT
                           " of the library does not have",
                           name);
    memcpy(ret_known, given, given_size < known_size ? given_size : known_size);
    return 0;
}
