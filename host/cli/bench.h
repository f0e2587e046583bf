/* SPDX-License-Identifier: MIT
 *
 * ptc-host bench: what is measured, with what, and the samples.
 */
#pragma once

#include "cli/session.h"

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

/* Samples in seconds, with the median of each round. */
struct series {
    double *samples;
    size_t count, capacity;
    size_t round_start;
    double *round_medians;
    size_t round_count;
};

int series_add(struct series *series, double seconds); /* 0 or -ENOMEM */
int series_end_round(struct series *series);           /* 0 or -ENOMEM */
double series_p50(const struct series *series);        /* median of the rounds' medians */
double series_p99(const struct series *series);        /* of all samples, nearest rank */
void series_deinit(struct series *series);

enum bench_kind {
    BENCH_PYTHON,   /* python3 -I -S -c pass, the whole process */
    BENCH_COLD,     /* ptc-host -c pass, the whole process */
    BENCH_WARM,     /* one run in a host that is there already */
    BENCH_PINGPONG, /* 64 bytes to another process and back */
    BENCH_CALL,     /* a tool call that does nothing, as the script sees it */
    BENCH_KINDS
};

struct bench {
    struct session session;
    struct series series[BENCH_KINDS];
    const char *python;
    char self[PATH_MAX]; /* this program */
    char workspace[32];  /* a directory of our own; "" when the caller named one */
    char **cold_argv;    /* owned strings: the command line of a cold run */
    int echo_socket;
    pid_t echo_pid;
};

int bench_warm_up(struct bench *bench); /* runs that are not counted */

/* One round of each measurement; 0, or the exit code after having said what is wrong. */
int bench_processes(struct bench *bench); /* python and cold, turn by turn */
int bench_warm(struct bench *bench);
int bench_pingpong(struct bench *bench);
int bench_calls(struct bench *bench);

/* Programs: the cold command line, spawning, the echo process. */
int bench_cold_argv(struct bench *bench);
int bench_spawn(const char *path, const char *const *argv, int stdin_fd, pid_t *ret_pid);
int bench_echo_start(struct bench *bench);
void bench_echo_stop(struct bench *bench);

void bench_print_table(const struct bench *bench);
int bench_print_json(const struct bench *bench);
