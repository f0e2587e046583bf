/* SPDX-License-Identifier: MIT
 *
 * One directory of a walk: its entries are read at once, sorted out by name (hidden, ignored,
 * unwanted), and what is left is visited with the directory's own descriptor. Directories below
 * become tasks, and so do the files of a large directory, some at a time.
 */
#include "base/fd.h"
#include "base/str.h"
#include "tools/state.h"
#include "tools/walk_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define NAMES_BYTES_MAX (256u * 1024u * 1024u)
#define FILES_AT_A_TIME 32
#define DIRENT_BYTES    32768
#define ABSOLUTE_BYTES  (2 * PATH_MAX)

struct walk_directory *walk_directory_new(size_t root, const char *parent, const char *name,
                                          unsigned depth, struct ignore_level *rules)
{
    struct walk_directory *directory = calloc(1, sizeof(*directory));

    if (directory == NULL) {
        return NULL;
    }
    directory->path = str_format("%s%s%s", parent, name, name[0] != '\0' ? "/" : "");
    if (directory->path == NULL) {
        free(directory);
        return NULL;
    }
    directory->refs = 1;
    directory->root = root;
    directory->fd = -1;
    directory->depth = depth;
    directory->rules = ignore_level_ref(rules);
    buf_init(&directory->names, NAMES_BYTES_MAX);
    return directory;
}

struct walk_directory *walk_directory_ref(struct walk_directory *directory)
{
    atomic_fetch_add(&directory->refs, 1);
    return directory;
}

struct walk_directory *walk_directory_unref(struct walk_directory *directory)
{
    if (directory != NULL && atomic_fetch_sub(&directory->refs, 1) == 1) {
        fd_close(directory->fd);
        ignore_level_unref(directory->rules);
        buf_deinit(&directory->names);
        free(directory->offsets);
        free(directory->path);
        free(directory);
    }
    return NULL;
}

/* Whoever swaps a link into the path gets an error. */
static int directory_open(const struct walk *walk, const struct walk_directory *directory)
{
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK,
                           .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
    const char *path = directory->path[0] != '\0' ? directory->path : ".";
    int fd = (int)syscall(SYS_openat2, walk->roots[directory->root].fd, path, &how, sizeof(how));

    if (fd < 0 && errno == ENOSYS) {
        fd = openat(walk->roots[directory->root].fd, path, (int)how.flags | O_NOFOLLOW);
    }
    return fd < 0 ? -errno : fd;
}

/* The name of what is looked at, in one buffer: absolute, relative to the root, last part. */
struct naming {
    char absolute[ABSOLUTE_BYTES];
    const char *path;
    char *name;
    size_t room;
};

static bool naming_init(struct naming *naming, const struct walk *walk,
                        const struct walk_directory *directory)
{
    const char *real = walk->roots[directory->root].real;
    int length =
        snprintf(naming->absolute, sizeof(naming->absolute), "%s/%s", real, directory->path);

    if (length < 0 || (size_t)length + NAME_MAX + 1 > sizeof(naming->absolute)) {
        return false;
    }
    naming->path = naming->absolute + strlen(real) + 1;
    naming->name = naming->absolute + length;
    naming->room = sizeof(naming->absolute) - (size_t)length;
    return true;
}

static bool naming_set(struct naming *naming, const char *name)
{
    size_t length = strlen(name);

    if (length >= naming->room) {
        return false;
    }
    memcpy(naming->name, name, length + 1);
    return true;
}

static void visit(struct walk *walk, unsigned worker, const struct walk_directory *directory,
                  const struct naming *naming, bool is_directory)
{
    struct walk_entry entry = {.root = directory->root,
                               .directory_fd = directory->fd,
                               .absolute = naming->absolute,
                               .path = naming->path,
                               .name = naming->name,
                               .is_directory = is_directory};

    walk->visitor.visit(walk->visitor.user, worker, &entry);
}

/* All entries as (type, name, NUL), and whether there are rules among them. */
static int entries_read(int fd, struct buf *entries, bool *ret_rules, bool *ret_git)
{
    char block[DIRENT_BYTES] __attribute__((aligned(__alignof__(struct dirent64))));
    ssize_t n = 0;

    while ((n = getdents64(fd, block, sizeof(block))) > 0) {
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *entry = (const struct dirent64 *)(block + at);
            size_t length = strlen(entry->d_name);
            at += entry->d_reclen;
            if (entry->d_name[0] == '.') {
                if (length == 1 || (length == 2 && entry->d_name[1] == '.')) {
                    continue;
                }
                *ret_rules |= strcmp(entry->d_name, ".gitignore") == 0;
                *ret_git |= strcmp(entry->d_name, ".git") == 0;
            }
            if (buf_reserve(entries, length + 2) < 0) {
                return -ENOMEM;
            }
            entries->data[entries->length] = entry->d_type;
            memcpy(entries->data + entries->length + 1, entry->d_name, length + 1);
            entries->length += length + 2;
        }
    }
    return n < 0 ? -errno : 0;
}

static unsigned char entry_type(int directory_fd, const char *name)
{
    struct stat status;

    if (fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        return DT_UNKNOWN;
    }
    return S_ISREG(status.st_mode) ? DT_REG : S_ISDIR(status.st_mode) ? DT_DIR : DT_CHR;
}

/* The kernel's own trees, when the whole file system is searched: endless, and no files. */
static bool is_kernel_tree(const char *absolute)
{
    return strcmp(absolute, "/proc") == 0 || strcmp(absolute, "/sys") == 0 ||
           strcmp(absolute, "/dev") == 0;
}

/* .git itself is never listed by gitignore, but nobody who wants hidden files means it. */
static bool is_left_out(struct walk *walk, const struct walk_directory *directory,
                        const struct naming *naming, bool is_directory)
{
    const struct walk_options *options = &walk->options;

    if (naming->name[0] == '.' && !options->include_hidden) {
        atomic_fetch_add(&walk->hidden, 1);
        return true;
    }
    if (!options->include_ignored &&
        (strcmp(naming->name, ".git") == 0 ||
         ignore_level_drops(directory->rules, naming->absolute, is_directory))) {
        atomic_fetch_add(&walk->ignored, 1);
        return true;
    }
    return false;
}

/* Whether to go on with it; *ret_left_out: it is hidden or ignored, or lies in something that is. */
static bool is_taken(struct walk *walk, const struct walk_directory *directory,
                     const struct naming *naming, bool is_directory, bool *ret_left_out)
{
    if (is_directory && is_kernel_tree(naming->absolute)) {
        atomic_fetch_add(&walk->ignored, 1);
        return false;
    }
    *ret_left_out = directory->left_out || is_left_out(walk, directory, naming, is_directory);
    return walk->options.only_left_out ? *ret_left_out || is_directory : !*ret_left_out;
}

static void enter_below(struct walk *walk, const struct walk_directory *directory, const char *name,
                        bool left_out)
{
    struct walk_directory *below = NULL;

    if (directory->depth + 1 > walk->options.depth_max) {
        atomic_fetch_add(&walk->too_deep, 1);
        return;
    }
    below = walk_directory_new(directory->root, directory->path, name, directory->depth + 1,
                               directory->rules);
    if (below == NULL) {
        walk_stop(walk, WALK_MEMORY);
        return;
    }
    below->left_out = left_out;
    walk_push(walk, below, WALK_WHOLE_DIRECTORY, 0);
}

/* Remembers a file that is to be visited. */
static int files_add(struct walk_directory *directory, const char *name)
{
    size_t offset = directory->names.length;

    if ((directory->files & (directory->files - 1)) == 0) { /* grow at each power of two */
        size_t capacity = directory->files != 0 ? directory->files * 2u : 1;
        uint32_t *grown = realloc(directory->offsets, capacity * sizeof(*grown));
        if (grown == NULL) {
            return -ENOMEM;
        }
        directory->offsets = grown;
    }
    directory->offsets[directory->files] = (uint32_t)offset;
    if (buf_append(&directory->names, name, strlen(name) + 1) < 0) {
        return -ENOMEM;
    }
    directory->files++;
    return 0;
}

static void entry_sort_out(struct walk *walk, unsigned worker, struct walk_directory *directory,
                           struct naming *naming, unsigned char type, const char *name)
{
    bool is_directory = false, wanted = false, left_out = false;

    if (type == DT_UNKNOWN) {
        type = entry_type(directory->fd, name);
    }
    is_directory = type == DT_DIR;
    if ((!is_directory && type != DT_REG) || !naming_set(naming, name)) {
        return;
    }
    wanted = walk->visitor.wants(walk->visitor.user, naming->path, name, is_directory);
    if ((!is_directory && !wanted) || !is_taken(walk, directory, naming, is_directory, &left_out)) {
        return;
    }
    if (!is_directory) {
        if (files_add(directory, name) < 0) {
            walk_stop(walk, WALK_MEMORY);
        }
        return;
    }
    if (wanted && walk->options.include_directories && (left_out || !walk->options.only_left_out)) {
        visit(walk, worker, directory, naming, true);
    }
    enter_below(walk, directory, name, left_out);
}

static void files_visit(struct walk *walk, unsigned worker, struct walk_directory *directory,
                        struct naming *naming, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to && !walk_stopped(walk); i++) {
        const char *name = (const char *)directory->names.data + directory->offsets[i];
        if (naming_set(naming, name)) {
            visit(walk, worker, directory, naming, false);
        }
    }
}

/* Leaves what is more than a few to whoever has time. */
static void files_share(struct walk *walk, unsigned worker, struct walk_directory *directory,
                        struct naming *naming)
{
    uint32_t own = directory->files < FILES_AT_A_TIME ? directory->files : FILES_AT_A_TIME;

    for (uint32_t to = directory->files; to > own;) {
        uint32_t from = to - own > FILES_AT_A_TIME ? to - FILES_AT_A_TIME : own;
        if (walk_push(walk, walk_directory_ref(directory), from, to) < 0) {
            return;
        }
        to = from;
    }
    files_visit(walk, worker, directory, naming, 0, own);
}

static int directory_read(struct walk *walk, struct walk_directory *directory,
                          const struct naming *naming, struct buf *entries)
{
    const struct walk_root *root = &walk->roots[directory->root];
    bool has_rules = false, has_git = false;
    int r = 0;

    directory->fd = directory_open(walk, directory);
    if (directory->fd < 0) {
        return directory->fd;
    }
    if (directory->depth == 0 && !walk->options.include_ignored) {
        directory->rules = walk_rules_above(root, walk->workspace);
    }
    r = entries_read(directory->fd, entries, &has_rules, &has_git);
    if (!walk->options.include_ignored && (has_rules || has_git)) {
        directory->rules =
            walk_rules_enter(directory->rules, directory->fd,
                             (size_t)(naming->name - naming->absolute), has_rules, has_git);
    }
    return r;
}

static void directory_enter(struct walk *walk, unsigned worker, struct walk_directory *directory,
                            struct naming *naming)
{
    _cleanup_buf_ struct buf entries = BUF_INIT(NAMES_BYTES_MAX);
    int r = directory_read(walk, directory, naming, &entries);
    uint64_t count = 0;

    if (r < 0) {
        atomic_fetch_add(r == -ENAMETOOLONG ? &walk->too_deep : &walk->unreadable, 1);
    }
    for (size_t at = 0; at < entries.length && !walk_stopped(walk); count++) {
        const char *name = (const char *)entries.data + at + 1;
        entry_sort_out(walk, worker, directory, naming, entries.data[at], name);
        at += strlen(name) + 2;
    }
    if (atomic_fetch_add(&walk->entries, count) + count > walk->options.entries_max) {
        walk_stop(walk, WALK_ENTRIES);
    }
    if (directory->files > 0) {
        files_share(walk, worker, directory, naming);
    }
}

void walk_task_run(struct walk *walk, unsigned worker, const struct walk_task *task)
{
    struct walk_directory *directory = task->directory;
    const struct walk_root *root = &walk->roots[directory->root];
    struct naming naming;

    if (!naming_init(&naming, walk, directory)) {
        atomic_fetch_add(&walk->too_deep, 1);
    } else if (root->name != NULL) { /* the root is one file: asked for by name, so it is taken */
        directory->fd = fcntl(root->fd, F_DUPFD_CLOEXEC, 3);
        if (naming_set(&naming, root->name)) {
            visit(walk, worker, directory, &naming, false);
        }
    } else if (task->from == WALK_WHOLE_DIRECTORY) {
        directory_enter(walk, worker, directory, &naming);
    } else {
        files_visit(walk, worker, directory, &naming, task->from, task->to);
    }
}
