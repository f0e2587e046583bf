/* SPDX-License-Identifier: MIT
 *
 * A host that lives long: many short background runs, twenty at a time, and then many calls of a tool
 * of its own. Memory and fds of the host and of its zygote are looked at ten times and must be flat:
 * what they are at the end is what they were after the first tenth.
 *
 *     GLIBC_TUNABLES=glibc.malloc.tcache_count=0 soak_host CHILD [RUNS [CALLS]]
 *                                                                   (100000 and 1000000)
 *
 * (Without that variable the heap has some ten KiB of blocks that malloc keeps at hand.)
 */
#include "ptc_host.h"

#include <dirent.h>
#include <malloc.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE         20
#define RUNS_PER_CALLER 4     /* scripts that make the calls, side by side */
#define CALLS_A_RUN     50000 /* then the next four come */
#define HEAP_SLACK      (64 * 1024)
#define RSS_SLACK_KIB   (2 * 1024)

struct figures {
    long heap_bytes, rss_kib, fds, children, zygote_rss_kib, zygote_fds;
};

struct soak {
    ptc_host *host;
    long runs_wanted, calls_wanted, runs_done, calls_done, failed;
    double started;
    struct figures first, last;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- figures ---- */

static long status_kib(int pid, const char *key)
{
    char path[64], line[256];
    long kib = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            kib = strtol(line + strlen(key) + 1, NULL, 10);
    if (file)
        fclose(file);
    return kib;
}

static long fd_count(int pid)
{
    char path[64];
    long count = 0;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    dir = opendir(path);
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

/* The children of this process are its zygotes; with one policy there is one. */
static long children(int *ret_first)
{
    char path[64];
    long count = 0;
    FILE *file;
    int pid;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "r");
    while (file && fscanf(file, "%d", &pid) == 1)
        if (count++ == 0)
            *ret_first = pid;
    if (file)
        fclose(file);
    return count;
}

static struct figures look(struct soak *soak, const char *what, long done)
{
    struct figures figures;
    int zygote = 0;

    figures.children = children(&zygote);
    malloc_trim(0);
    figures.heap_bytes = (long)mallinfo2().uordblks;
    figures.rss_kib = status_kib((int)getpid(), "RssAnon:");
    figures.fds = fd_count((int)getpid());
    figures.zygote_rss_kib = status_kib(zygote, "RssAnon:");
    figures.zygote_fds = fd_count(zygote);
    printf("%8ld %-5s %7.1f s  host: heap %7ld B, %6ld KiB, %3ld fds, %ld child; zygote: %6ld KiB, "
           "%3ld fds\n",
           done, what, now() - soak->started, figures.heap_bytes, figures.rss_kib, figures.fds,
           figures.children, figures.zygote_rss_kib, figures.zygote_fds);
    fflush(stdout);
    return figures;
}

static int flat(const char *what, const struct figures *first, const struct figures *last)
{
    int good = last->heap_bytes <= first->heap_bytes + HEAP_SLACK &&
               last->rss_kib <= first->rss_kib + RSS_SLACK_KIB && last->fds <= first->fds &&
               last->children <= first->children &&
               last->zygote_rss_kib <= first->zygote_rss_kib + RSS_SLACK_KIB &&
               last->zygote_fds <= first->zygote_fds;

    printf("%s: %s\n", what, good ? "flat" : "NOT FLAT");
    return good ? 0 : 1;
}

/* ---- runs ---- */

static ptc_run_handle *start(struct soak *soak, const char *code)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_run_handle *run;

    options.code = code;
    run = ptc_run_start(soak->host, &options, &error);
    if (!run)
        fprintf(stderr, "not started: %s\n", error.message);
    return run;
}

static void end(struct soak *soak, ptc_run_handle *run, const char *output)
{
    const ptc_result *result = ptc_run_result(run);

    if (strcmp(ptc_result_output(result, NULL), output) != 0 && soak->failed++ < 5)
        fprintf(stderr, "%s\n", ptc_result_json(result, NULL));
    ptc_run_free(run);
}

static void wait_for_something(struct soak *soak)
{
    struct pollfd fd = {ptc_host_fd(soak->host), POLLIN, 0};

    poll(&fd, 1, ptc_host_timeout_ms(soak->host));
    ptc_host_dispatch(soak->host, 0);
}

/* All that was killed is gone, so that figures do not depend on the moment. */
static void settle(struct soak *soak)
{
    for (int i = 0; i < 200; i++) {
        char *stats = ptc_host_stats_json(soak->host);
        int quiet = stats && strstr(stats, "\"runs_lingering\":0") != NULL;

        ptc_free(stats);
        if (quiet)
            return;
        usleep(5000);
        ptc_host_dispatch(soak->host, 0);
    }
}

static void batch(struct soak *soak, long count)
{
    ptc_run_handle *runs[AT_ONCE] = {NULL};
    long started = 0, ended = 0;

    while (ended < count) {
        for (int i = 0; i < AT_ONCE; i++) {
            if (runs[i] && ptc_run_result(runs[i])) {
                end(soak, runs[i], "1\n");
                runs[i] = NULL;
                ended++;
            }
            if (!runs[i] && started < count) {
                runs[i] = start(soak, "print(1)");
                started++;
                ended += !runs[i];
                soak->failed += !runs[i];
            }
        }
        if (ended < count)
            wait_for_something(soak);
    }
    settle(soak);
}

static int soak_runs(struct soak *soak)
{
    soak->started = now();
    for (int tenth = 1; tenth <= 10; tenth++) {
        long until = soak->runs_wanted * tenth / 10;

        batch(soak, until - soak->runs_done);
        soak->runs_done = until;
        soak->last = look(soak, "runs", until);
        if (tenth == 1)
            soak->first = soak->last;
    }
    printf("%.0f runs/s\n", (double)soak->runs_done / (now() - soak->started));
    return flat("runs", &soak->first, &soak->last);
}

/* ---- calls ---- */

static void cheap(ptc_call *call, void *user)
{
    struct soak *soak = user;

    soak->calls_done++;
    ptc_call_reply(call, "{\"n\": 1}", 8);
}

static void callers(struct soak *soak, long calls)
{
    ptc_run_handle *runs[RUNS_PER_CALLER];
    char code[256], output[32];

    snprintf(code, sizeof code,
             "from hermes_tools import cheap\n"
             "n = 0\n"
             "for i in range(%ld): n += cheap(i=i)['n']\n"
             "print(n)",
             calls);
    snprintf(output, sizeof output, "%ld\n", calls);
    for (int i = 0; i < RUNS_PER_CALLER; i++)
        runs[i] = start(soak, code);
    for (int i = 0; i < RUNS_PER_CALLER; i++) {
        while (runs[i] && !ptc_run_result(runs[i]))
            wait_for_something(soak);
        if (runs[i])
            end(soak, runs[i], output);
    }
    settle(soak);
}

static int soak_calls(struct soak *soak)
{
    long a_run = soak->calls_wanted / 10 / RUNS_PER_CALLER;

    a_run = a_run < 1 ? 1 : a_run > CALLS_A_RUN ? CALLS_A_RUN : a_run;
    soak->started = now();
    for (int tenth = 1; tenth <= 10; tenth++) {
        while (soak->calls_done < soak->calls_wanted * tenth / 10 && !soak->failed)
            callers(soak, a_run);
        soak->last = look(soak, "calls", soak->calls_done);
        if (tenth == 1)
            soak->first = soak->last;
    }
    printf("%.0f calls/s\n", (double)soak->calls_done / (now() - soak->started));
    return flat("calls", &soak->first, &soak->last);
}

static ptc_host *host_make(const char *child)
{
    static const char options_json[] =
        "{\"workspace\": \"/tmp\", \"max_tool_calls\": 0, \"timeout\": 0, \"cpu\": 0}";
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_settings *settings = ptc_settings_new(NULL);
    ptc_host *host = NULL;

    options.child_path = child;
    options.settings = settings;
    if (ptc_settings_set_json(settings, options_json, sizeof options_json - 1, &error) == 0)
        host = ptc_host_new(&options, &error);
    if (!host)
        fprintf(stderr, "no host: %s\n", error.message);
    ptc_settings_free(settings);
    return host;
}

int main(int argc, char **argv)
{
    static const char spec[] =
        "{\"name\": \"cheap\", \"description\": \"Costs nothing.\", \"parameters\": {\"type\": "
        "\"object\", \"properties\": {\"i\": {\"type\": \"integer\"}}}}";
    struct soak soak = {.runs_wanted = argc > 2 ? atol(argv[2]) : 100000,
                        .calls_wanted = argc > 3 ? atol(argv[3]) : 1000000};
    int bad;

    soak.host = argc > 1 ? host_make(argv[1]) : NULL;
    if (!soak.host || ptc_host_add_tool(soak.host, spec, cheap, &soak, NULL, NULL) < 0)
        return 2;
    bad = soak_runs(&soak);
    bad |= soak_calls(&soak);
    ptc_host_free(soak.host);
    printf("%ld failed\n", soak.failed);
    return bad || soak.failed;
}
