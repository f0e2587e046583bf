/* SPDX-License-Identifier: MIT
 *
 * Gives up every privilege for good: capabilities in all sets, and the ways to gain new ones.
 */
#include "sandbox/sandbox.h"

#include "wire/layers.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECUREBITS_LOCKED                                                                          \
    (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |                               \
     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |       \
     SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

static int capset_empty(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}, {0}};

    return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static int bounding_drop(void)
{
    for (int cap = 0; cap <= 63; cap++) {
        if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != 1)
            continue; /* not there, or above the newest that this kernel knows */
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
            return -errno;
    }
    return 0;
}

int privs_apply(unsigned *layers)
{
    int r;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    *layers |= LAYER_NO_NEW_PRIVS;

    /* Both need CAP_SETPCAP. A process without it has nothing to give up: its permitted set is
     * empty, and no_new_privs keeps execve from filling it again from the bounding set. */
    r = bounding_drop();
    if (r < 0 && r != -EPERM)
        return r;
    if (prctl(PR_SET_SECUREBITS, SECUREBITS_LOCKED, 0, 0, 0) < 0 && errno != EPERM)
        return -errno;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); /* EINVAL before 4.3: no such set */
    r = capset_empty();
    if (r < 0)
        return r;
    *layers |= LAYER_NO_CAPABILITIES;
    return 0;
}
