/* SPDX-License-Identifier: MIT
 *
 * The tables of refused names and how a name is matched against them.
 */
#include "tools/path_rules.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

static const char *const device_names[] = {
    "/dev/zero", "/dev/random",  "/dev/urandom", "/dev/full",   "/dev/stdin",
    "/dev/tty",  "/dev/console", "/dev/stdout",  "/dev/stderr", "/dev/fd/0",
    "/dev/fd/1", "/dev/fd/2",    NULL,
};

/* Below /proc/<pid>: they show other processes' memory or environment, or never end. */
static const char *const proc_names[] = {
    "environ",   "cmdline", "maps", "smaps",   "smaps_rollup",
    "numa_maps", "mem",     "auxv", "pagemap", NULL,
};

static const char *const credential_names[] = {
    ".env",      ".env.local",   ".env.development", ".env.production",
    ".env.test", ".env.staging", ".envrc",           NULL,
};

static const char *const system_prefixes[] = {"/etc/", "/boot/", "/usr/lib/systemd/", NULL};
static const char *const system_names[] = {"/etc", "/boot", "/run/docker.sock",
                                           "/var/run/docker.sock", NULL};

/* Relative to any home directory. A name that ends in '/' is a whole tree. */
static const char *const home_names[] = {
    ".ssh/",   ".aws/",       ".gnupg/",          ".kube/", ".docker/",
    ".azure/", ".config/gh/", ".config/gcloud/",  ".netrc", ".pgpass",
    ".npmrc",  ".pypirc",     ".git-credentials", ".env",   NULL,
};

static bool list_has(const char *const *list, const char *name)
{
    for (; *list != NULL; list++) {
        if (strcmp(*list, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool list_has_ignoring_case(const char *const *list, const char *name)
{
    for (; *list != NULL; list++) {
        if (strcasecmp(*list, name) == 0) {
            return true;
        }
    }
    return false;
}

/* /proc/<any>/.../fd/0 to 2 and the files of proc_names at any depth below a process. */
static bool is_proc_device(const char *path)
{
    const char *base = NULL, *below = NULL;

    if (!str_starts_with(path, "/proc/") || (below = strchr(path + 6, '/')) == NULL) {
        return false;
    }
    base = strrchr(path, '/') + 1;
    if (list_has(proc_names, base)) {
        return true;
    }
    return strlen(base) == 1 && base[0] >= '0' && base[0] <= '2' && base - below >= 4 &&
           memcmp(base - 4, "/fd/", 4) == 0;
}

const char *path_rule_read(const struct tools_config *config, const char *path)
{
    const char *base = strrchr(path, '/') + 1;

    (void)config;
    if (list_has(device_names, path) || is_proc_device(path)) {
        return "a device or process file that would block, never end or expose a process; it is "
               "never opened";
    }
    if (list_has_ignoring_case(credential_names, base)) {
        return "Access denied: a file that usually holds credentials (this refusal by name is "
               "defence in depth, not a boundary)";
    }
    return NULL;
}

/* The part of path below `home`, or NULL. */
static const char *below_directory(const char *path, const char *home)
{
    size_t length = home != NULL ? strlen(home) : 0;

    while (length > 1 && home[length - 1] == '/') {
        length--;
    }
    if (length <= 1 || strncmp(path, home, length) != 0 || path[length] != '/') {
        return NULL;
    }
    return path + length + 1;
}

/* The part of path below any home directory: the run's own, root's, /home/<any>. */
static const char *below_home(const struct tools_config *config, const char *path)
{
    const char *rest = below_directory(path, config->home);

    if (rest == NULL) {
        rest = below_directory(path, "/root");
    }
    if (rest == NULL && str_starts_with(path, "/home/")) {
        rest = strchr(path + 6, '/');
        rest = rest != NULL ? rest + 1 : NULL;
    }
    return rest;
}

static bool is_home_secret(const char *name)
{
    for (const char *const *entry = home_names; *entry != NULL; entry++) {
        size_t length = strlen(*entry);
        bool tree = (*entry)[length - 1] == '/';
        if (tree ? strncmp(name, *entry, length - 1) == 0 &&
                       (name[length - 1] == '/' || name[length - 1] == '\0')
                 : strcmp(name, *entry) == 0) {
            return true;
        }
    }
    return false;
}

/* write_roots is a list of directories separated by colons. */
static bool in_write_roots(const char *roots, const char *path)
{
    while (*roots != '\0') {
        size_t length = strcspn(roots, ":");
        size_t used = length + (roots[length] == ':');
        while (length > 1 && roots[length - 1] == '/') {
            length--;
        }
        if (length == 1 || (length > 1 && strncmp(path, roots, length) == 0 &&
                            (path[length] == '/' || path[length] == '\0'))) {
            return true;
        }
        roots += used;
    }
    return false;
}

const char *path_rule_write(const struct tools_config *config, const char *path)
{
    const char *home_name = NULL;

    for (const char *const *prefix = system_prefixes; *prefix != NULL; prefix++) {
        if (str_starts_with(path, *prefix)) {
            return "a sensitive system path; writing there is refused";
        }
    }
    if (list_has(system_names, path)) {
        return "a sensitive system path; writing there is refused";
    }
    home_name = below_home(config, path);
    if (home_name != NULL && is_home_secret(home_name)) {
        return "a credential or key file of a home directory; writing there is refused";
    }
    return NULL;
}

const char *path_rule_roots(const struct tools_config *config, const char *path)
{
    if (config->write_roots != NULL && !in_write_roots(config->write_roots, path)) {
        return "outside of the directories that this run may write to";
    }
    return NULL;
}
