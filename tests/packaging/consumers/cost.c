/* SPDX-License-Identifier: MIT
 *
 * cost [ROUNDS]: what an embedder pays, as the table of docs/embedding.md. Times are medians.
 */
#include <ctype.h>
#include <dirent.h>
#include <ptc_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ACTIVE 20
#define MIB    (1 << 20)

static const char SLEEPER[] = "print('x', flush=True)\nimport time\ntime.sleep(600)";

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void row_time(const char *title, double us)
{
    if (us < 1000)
        printf("| %s | %.1f us |\n", title, us);
    else
        printf("| %s | %.1f ms |\n", title, us / 1000);
}

static void *need(void *object)
{
    if (!object) {
        fprintf(stderr, "no object\n");
        exit(1);
    }
    return object;
}

static ptc_result *run(ptc_host *host, const char *code)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_result *result;

    options.code = code;
    result = need(ptc_run(host, &options, NULL));
    if (strcmp(ptc_result_status(result), "success") != 0) {
        fprintf(stderr, "%s\n", ptc_result_json(result, NULL));
        exit(1);
    }
    return result;
}

/* ---- times ---- */

static double host_us(int with_run)
{
    double start = now_us();
    ptc_host *host = need(ptc_host_new(NULL, NULL));
    double taken;

    if (with_run)
        ptc_result_free(run(host, "pass"));
    taken = now_us() - start;
    start = now_us();
    ptc_host_free(host);
    return with_run ? taken : taken + now_us() - start;
}

static double run_us(ptc_host *host)
{
    double start = now_us(), taken;

    ptc_result_free(run(host, "pass"));
    taken = now_us() - start;
    usleep(20000); /* as a user: the next one does not come at once */
    return taken;
}

static double tool_us(ptc_host *host, const char *tool, const char *args)
{
    double start = now_us();

    ptc_result_free(need(ptc_tool_call(host, NULL, tool, args, NULL)));
    return now_us() - start;
}

/* The script measures it: an average, for a clock around one call would count. */
static double calls_us(ptc_host *host, const char *tool, int count)
{
    char code[256];
    ptc_result *result;
    double us;

    snprintf(code, sizeof code,
             "from hermes_tools import %s as tool\nfrom time import perf_counter_ns as now\n"
             "tool()\nstart = now()\nfor i in range(%d): tool()\nprint((now() - start) / %d / 1e3)",
             tool, count, count);
    result = run(host, code);
    us = atof(ptc_result_output(result, NULL));
    ptc_result_free(result);
    return us;
}

static double dispatch_us(ptc_host *host)
{
    double start = now_us();

    for (int i = 0; i < 1000; i++)
        ptc_host_dispatch(host, 1000);
    return (now_us() - start) / 1000;
}

#define MEASURE(title, count, expression)                                                          \
    do {                                                                                           \
        double values[256];                                                                        \
        int taken = (count) < 256 ? (count) : 256;                                                 \
                                                                                                   \
        for (int i = 0; i < taken; i++)                                                            \
            values[i] = (expression);                                                              \
        row_time(title, median(values, taken));                                                    \
    } while (0)

/* ---- fds and memory ---- */

static int open_fds(void)
{
    DIR *directory = need(opendir("/proc/self/fd"));
    int count = -3; /* ., .. and this one */

    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static long field_of(const char *path, const char *format)
{
    FILE *file = fopen(path, "re");
    char line[512];
    long value = 0, sum = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &value) == 1)
            sum += value;
    if (file)
        fclose(file);
    return sum;
}

static int is_below(long pid, long ancestor)
{
    char path[64];

    while (pid > 1) {
        if (pid == ancestor)
            return 1;
        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        pid = field_of(path, "%*d %*s %*c %ld");
    }
    return 0;
}

/* Proportional set size of all processes below this one: what would be free without them. */
static double below_mib(void)
{
    DIR *directory = need(opendir("/proc"));
    struct dirent *entry;
    char path[64];
    long kib = 0;

    while ((entry = readdir(directory))) {
        long pid = atol(entry->d_name);

        if (!isdigit((unsigned char)entry->d_name[0]) || pid == getpid() ||
            !is_below(pid, getpid()))
            continue;
        snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", pid);
        kib += field_of(path, "Pss: %ld kB");
    }
    closedir(directory);
    return (double)kib / 1024;
}

static void begun(void *user, int stream, const char *data, size_t length)
{
    (void)stream, (void)data, (void)length;
    ++*(int *)user;
}

static void holdings(void)
{
    int before = open_fds(), empty, warm, waiting = 0;
    ptc_host *host = need(ptc_host_new(NULL, NULL));
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_run_handle *runs[ACTIVE];
    double mib;

    empty = open_fds() - before;
    ptc_result_free(run(host, "pass"));
    usleep(100000);
    ptc_host_dispatch(host, 0);
    warm = open_fds() - before;
    mib = below_mib();
    printf("| descriptors of a host, before and after its first run | %d, %d |\n", empty, warm);
    printf("| memory of a warm interpreter | %.1f MiB |\n", mib);
    options.code = SLEEPER;
    options.output = begun;
    options.user = &waiting;
    for (int i = 0; i < ACTIVE; i++)
        runs[i] = need(ptc_run_start(host, &options, NULL));
    while (waiting < ACTIVE) {
        usleep(1000);
        ptc_host_dispatch(host, 0);
    }
    printf("| descriptors of an active run | %d |\n", (open_fds() - before - warm) / ACTIVE);
    printf("| memory of an active run | %.1f MiB |\n", (below_mib() - mib) / ACTIVE);
    row_time("ptc_host_dispatch without news, 20 runs active", dispatch_us(host));
    for (int i = 0; i < ACTIVE; i++)
        ptc_run_free(runs[i]);
    ptc_host_free(host);
}

/* ---- tools ---- */

static void nothing(ptc_call *call, void *user)
{
    (void)user;
    ptc_call_reply(call, "{}", 2);
}

static void large(ptc_call *call, void *user)
{
    ptc_call_reply(call, user, MIB + 2);
}

static void add(ptc_host *host, const char *name, ptc_tool_fn fn, void *user)
{
    char spec[256];

    snprintf(spec, sizeof spec,
             "{\"name\": \"%s\", \"description\": \"Measures.\", \"parameters\": {\"type\":"
             " \"object\", \"properties\": {}}}",
             name);
    if (ptc_host_add_tool(host, spec, fn, user, NULL, NULL) < 0)
        exit(1);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    ptc_settings *settings = need(ptc_settings_new(NULL));
    char *text = need(malloc(MIB + 2));
    ptc_host *host;

    memset(text, 'x', MIB + 2);
    text[0] = text[MIB + 1] = '"';
    if (rounds < 1 || ptc_settings_set(settings, "max_tool_calls", "unlimited", NULL) < 0)
        return 1;
    options.settings = settings;
    host = need(ptc_host_new(&options, NULL));
    add(host, "nothing", nothing, NULL);
    add(host, "large", large, text);
    MEASURE("ptc_host_new and ptc_host_free", rounds, host_us(0));
    MEASURE("a new host and its first run", rounds / 10 + 1, host_us(1));
    MEASURE("every other run (`pass`)", rounds, run_us(host));
    MEASURE("a script's call of your tool", rounds / 20 + 1, calls_us(host, "nothing", 1000));
    MEASURE("the same with an answer of 1 MiB", rounds / 20 + 1, calls_us(host, "large", 50));
    MEASURE("ptc_tool_call of your tool", rounds, tool_us(host, "nothing", "{}"));
    MEASURE("ptc_tool_call of terminal (`true`)", rounds,
            tool_us(host, "terminal", "{\"command\": \"true\"}"));
    row_time("ptc_host_dispatch without news", dispatch_us(host));
    holdings();
    ptc_host_free(host);
    ptc_settings_free(settings);
    free(text);
    return 0;
}
