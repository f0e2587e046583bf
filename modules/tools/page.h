/* SPDX-License-Identifier: MIT
 *
 * Cuts one page of lines out of a stream of bytes of any length, in bounded memory, while counting
 * all lines. Two forms: "N|text" lines for a reader, or the exact bytes for a script (raw).
 */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define PAGE_LINE_CHARS_MAX 2000
#define PAGE_CHARS_MAX      100000
#define PAGE_RAW_BYTES_MAX  (32u * 1024u * 1024u)

struct page {
    bool raw;
    uint64_t first, limit; /* lines wanted: first, first + 1, ...; limit 0 = all */
    struct buf out;
    struct buf line;      /* the line being collected (numbered form) */
    uint64_t line_number; /* of the line that the next byte belongs to, from 1 */
    uint64_t shown;       /* lines in out */
    uint64_t bytes, newlines, crlf;
    size_t chars;          /* characters in out (numbered form) */
    size_t raw_line_start; /* where the current line begins in out (raw form) */
    unsigned char last;    /* last byte seen */
    bool full;             /* the budget is used up: nothing more is added */
    bool line_cut;         /* a line was cut because it alone passes the raw budget */
    int error;             /* first -ENOMEM */
};

void page_init(struct page *page, bool raw, uint64_t first, uint64_t limit);
void page_deinit(struct page *page);

void page_feed(struct page *page, const unsigned char *data, size_t length);
void page_finish(struct page *page);

uint64_t page_total_lines(const struct page *page);    /* as an editor counts */
bool page_truncated(const struct page *page);          /* more lines follow the page */
const char *page_line_ending(const struct page *page); /* "lf", "crlf", "mixed", "none" */
