/* SPDX-License-Identifier: MIT
 *
 * The pages that every script writes to. A forked child shares all pages with the zygote and pays a
 * fault for each one that it writes; a training child shows which ones these are, and each script
 * then takes them with a few system calls instead of hundreds of faults.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct zygote_setup;

struct hotpages {
    struct hotpages_range {
        uintptr_t start, length;
    } * ranges;
    size_t count;
};

/* In the zygote, once everything is frozen. Nothing is learned when the kernel does not show which
 * pages are shared; that costs speed only. */
void hotpages_learn(struct hotpages *hotpages, void (*rehearse)(void));

/* In the script's process, right after the fork. */
void hotpages_populate(const struct hotpages *hotpages);
