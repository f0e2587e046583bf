/* SPDX-License-Identifier: MIT
 *
 * Medians and percentiles. The median of the rounds' medians shrugs off a round in which the
 * machine was busy with something else; p99 does not hide it.
 */
#include "cli/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int series_add(struct series *series, double seconds)
{
    if (series->count == series->capacity) {
        size_t capacity = series->capacity ? series->capacity * 2 : 256;
        double *larger = reallocarray(series->samples, capacity, sizeof *larger);
        if (!larger)
            return -ENOMEM;
        series->samples = larger;
        series->capacity = capacity;
    }
    series->samples[series->count++] = seconds;
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Nearest rank: the smallest sample that at least this share of them does not pass. */
static double percentile(const double *samples, size_t count, double share)
{
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;

    if (!sorted)
        return 0;
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    size_t rank = (size_t)(share * (double)count);
    if ((double)rank < share * (double)count)
        rank++;
    double value = sorted[rank ? rank - 1 : 0];
    free(sorted);
    return value;
}

int series_end_round(struct series *series)
{
    size_t count = series->count - series->round_start;
    double *medians = reallocarray(series->round_medians, series->round_count + 1, sizeof *medians);

    if (!medians)
        return -ENOMEM;
    series->round_medians = medians;
    medians[series->round_count++] = percentile(series->samples + series->round_start, count, 0.5);
    series->round_start = series->count;
    return 0;
}

double series_p50(const struct series *series)
{
    return percentile(series->round_medians, series->round_count, 0.5);
}

double series_p99(const struct series *series)
{
    return percentile(series->samples, series->count, 0.99);
}

void series_deinit(struct series *series)
{
    free(series->samples);
    free(series->round_medians);
    *series = (struct series){0};
}
