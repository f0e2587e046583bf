/* SPDX-License-Identifier: MIT
 *
 * plugin LIBRARY: loads the library, runs a script, unloads it, again and again, as the host of a
 * plug-in does. Nothing may stay behind: no fd, no mapping, no memory that grows, no process.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <ptc_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS  8
#define SETTLED 3 /* rounds after which the C library's own caches are filled */

struct library {
    void *handle;
    ptc_host *(*host_new)(const struct ptc_host_options *, struct ptc_error *);
    ptc_result *(*run)(ptc_host *, const struct ptc_run_options *, struct ptc_error *);
    const char *(*output)(const ptc_result *, size_t *);
    void (*result_free)(ptc_result *);
    void (*host_free)(ptc_host *);
};

static void *symbol(const struct library *library, const char *name)
{
    void *found = dlsym(library->handle, name);

    if (!found) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(1);
    }
    return found;
}

static struct library library_open(const char *path)
{
    struct library library = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};

    if (!library.handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void **)&library.host_new = symbol(&library, "ptc_host_new");
    *(void **)&library.run = symbol(&library, "ptc_run");
    *(void **)&library.output = symbol(&library, "ptc_result_output");
    *(void **)&library.result_free = symbol(&library, "ptc_result_free");
    *(void **)&library.host_free = symbol(&library, "ptc_host_free");
    return library;
}

static void round_make(const char *path, char *line, size_t size)
{
    struct library library = library_open(path);
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_host *host = library.host_new(NULL, &error);
    ptc_result *result;

    options.code = "import os\nprint('hello', os.readlink('/proc/self/exe'))";
    result = host ? library.run(host, &options, &error) : NULL;
    if (!result) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    snprintf(line, size, "%s", library.output(result, NULL));
    library.result_free(result);
    library.host_free(host);
    dlclose(library.handle);
}

static int open_fds(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* How many mappings there are; those of the library and of what it brought are told. */
static int mappings(int *ret_ours)
{
    FILE *file = fopen("/proc/self/maps", "re");
    char line[512];
    int count = 0;

    *ret_ours = 0;
    while (fgets(line, sizeof line, file)) {
        count++;
        *ret_ours += strstr(line, "libptchost") || strstr(line, "libjansson");
    }
    fclose(file);
    return count;
}

int main(int argc, char **argv)
{
    int fds = 0, maps = 0, ours = 0;
    size_t heap = 0;
    char line[512];

    if (argc < 2)
        return 64;
    for (int i = 0; i < ROUNDS; i++) {
        round_make(argv[1], line, sizeof line);
        mappings(&ours);
        if (ours) {
            fprintf(stderr, "after dlclose %d mappings of the library are there\n", ours);
            return 1;
        }
        if (i == SETTLED) {
            fds = open_fds();
            maps = mappings(&ours);
            heap = mallinfo2().uordblks;
        }
    }
    if (open_fds() != fds || mappings(&ours) != maps || mallinfo2().uordblks != heap) {
        fprintf(stderr, "fds %d -> %d, mappings %d -> %d, heap %zu -> %zu\n", fds, open_fds(), maps,
                mappings(&ours), heap, mallinfo2().uordblks);
        return 1;
    }
    if (waitpid(-1, NULL, 0) != -1 || errno != ECHILD) {
        fprintf(stderr, "a child process is left\n");
        return 1;
    }
    fputs(line, stdout);
    return 0;
}
