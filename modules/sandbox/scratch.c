/* SPDX-License-Identifier: MIT
 *
 * A private directory below /tmp for runs whose /tmp cannot be private, and its removal: the tree
 * in it was written by a stranger, so no symlink is followed and depth costs no stack.
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int scratch_make(char *path, size_t size)
{
    if (snprintf(path, size, "/tmp/ptc-XXXXXX") >= (int)size)
        return -ENAMETOOLONG;
    return mkdtemp(path) ? 0 : -errno;
}

void scratch_remove(const char *path)
{
    char *const roots[] = {(char *)path, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_XDEV, NULL);
    FTSENT *entry;

    if (!tree)
        return;
    while ((entry = fts_read(tree))) {
        if (entry->fts_info == FTS_D)
            chmod(entry->fts_accpath, 0700); /* a script may have locked its own directories */
        else if (entry->fts_info == FTS_DP || entry->fts_info == FTS_DNR)
            rmdir(entry->fts_accpath);
        else
            unlink(entry->fts_accpath);
    }
    fts_close(tree);
}
