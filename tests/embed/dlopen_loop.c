/* SPDX-License-Identifier: MIT
 *
 * A plug-in that comes and goes: the library is loaded, used, and unloaded many times; neither fds nor
 * mappings nor children grow.
 *
 *     dlopen_loop LIBRARY CHILD [TIMES]
 */
#include "ptc_host.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct counts {
    int fds, mappings, of_ours;
};

static struct counts count(void)
{
    struct counts counts = {0};
    char line[512];
    DIR *dir = opendir("/proc/self/fd");
    FILE *maps = fopen("/proc/self/maps", "r");

    while (readdir(dir))
        counts.fds++;
    closedir(dir);
    while (fgets(line, sizeof line, maps)) {
        counts.mappings++;
        counts.of_ours += strstr(line, "libptchost") != NULL;
    }
    fclose(maps);
    return counts;
}

static int use(void *library, const char *child, int with_run)
{
    __typeof__(ptc_host_new) *host_new = (__typeof__(host_new))dlsym(library, "ptc_host_new");
    __typeof__(ptc_host_free) *host_free = (__typeof__(host_free))dlsym(library, "ptc_host_free");
    __typeof__(ptc_run) *run = (__typeof__(run))dlsym(library, "ptc_run");
    __typeof__(ptc_result_output) *output = (__typeof__(output))dlsym(library, "ptc_result_output");
    __typeof__(ptc_result_free) *result_free =
        (__typeof__(result_free))dlsym(library, "ptc_result_free");
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    struct ptc_run_options request = PTC_RUN_OPTIONS_INIT;
    ptc_result *result;
    ptc_host *host;
    int good;

    options.child_path = child;
    request.code = "print(1)";
    host = host_new(&options, NULL);
    if (!host || !with_run) {
        host_free(host);
        return host != NULL;
    }
    result = run(host, &request, NULL);
    good = result && strcmp(output(result, NULL), "1\n") == 0;
    result_free(result);
    host_free(host);
    return good;
}

int main(int argc, char **argv)
{
    int times = argc > 3 ? atoi(argv[3]) : 200;
    struct counts first = {0}, last;

    for (int i = 0; i < times; i++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);

        if (!library || !use(library, argv[2], i % 10 == 0)) {
            fprintf(stderr, "time %d: %s\n", i, library ? "no run" : dlerror());
            return 1;
        }
        dlclose(library);
        if (i == 20)
            first = count();
    }
    last = count();
    printf("fds %d, %d; mappings %d, %d; of the library: %d\n", first.fds, last.fds, first.mappings,
           last.mappings, last.of_ours);
    return last.fds != first.fds || last.mappings > first.mappings + 2 || last.of_ours != 0;
}
