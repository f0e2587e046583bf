/* SPDX-License-Identifier: MIT
 *
 * The figures as a table for people and as JSON for a guard in a test.
 */
#include "cli/bench.h"
#include "cli/output.h"

#include <stdlib.h>

struct row {
    enum bench_kind kind, base;
    const char *title, *key;
};

static const struct row rows[] = {
    {BENCH_PYTHON, BENCH_PYTHON, "python3 -I -S -c pass", "python"},
    {BENCH_COLD, BENCH_PYTHON, "ptc-host -c pass (cold)", "cold"},
    {BENCH_WARM, BENCH_PYTHON, "a run in a warm host", "warm"},
    {BENCH_PINGPONG, BENCH_PINGPONG, "socketpair ping-pong", "pingpong"},
    {BENCH_CALL, BENCH_PINGPONG, "a tool call (no-op)", "call"},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static double ratio(const struct bench *bench, const struct row *row)
{
    double base = series_p50(&bench->series[row->base]);

    return base > 0 ? series_p50(&bench->series[row->kind]) / base : 0;
}

static const char *human_time(double seconds, char *text, size_t size)
{
    if (seconds < 1e-3)
        snprintf(text, size, "%.1f us", seconds * 1e6);
    else
        snprintf(text, size, "%.2f ms", seconds * 1e3);
    return text;
}

static void print_row(const struct bench *bench, const struct row *row)
{
    const struct series *series = &bench->series[row->kind];
    char p50[32], p99[32], against[64] = "";

    if (row->base != row->kind)
        snprintf(against, sizeof against, "%8.2fx of %s", ratio(bench, row),
                 row->base == BENCH_PYTHON ? "python3" : "ping-pong");
    printf("%-26s %12s %12s %8zu  %s\n", row->title,
           human_time(series_p50(series), p50, sizeof p50),
           human_time(series_p99(series), p99, sizeof p99), series->count, against);
}

void bench_print_table(const struct bench *bench)
{
    printf("ptc-host %s against %s, %ld rounds\n\n", ptc_version(), bench->python,
           bench->session.options->rounds ? bench->session.options->rounds : 5);
    printf("%-26s %12s %12s %8s\n", "", "p50", "p99", "samples");
    for (size_t i = 0; i < ROW_COUNT; i++)
        print_row(bench, &rows[i]);
}

static void write_json(FILE *file, const struct bench *bench)
{
    fprintf(file, "{\"version\":\"%s\",\"rounds\":%zu,\"python_path\":", ptc_version(),
            bench->series[BENCH_PYTHON].round_count);
    output_json_string(file, bench->python);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct series *series = &bench->series[rows[i].kind];
        fprintf(file, ",\"%s\":{\"p50_us\":%.2f,\"p99_us\":%.2f,\"samples\":%zu,\"ratio\":%.4f}",
                rows[i].key, series_p50(series) * 1e6, series_p99(series) * 1e6, series->count,
                ratio(bench, &rows[i]));
    }
    putc('}', file);
}

int bench_print_json(const struct bench *bench)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    if (!file)
        return output_fail(bench->session.options, 1, "bench: no memory");
    write_json(file, bench);
    int exit_code = fclose(file) == 0 ? output_result(text, length) : 1;
    free(text);
    return exit_code;
}
