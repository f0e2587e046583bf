/* SPDX-License-Identifier: MIT
 *
 * The paginator. Only the lines of the page are ever stored, and of a long line no more than the
 * characters that can be shown.
 */
#include "tools/page.h"

#include "base/utf8.h"

#include <string.h>

/* Four bytes a character and one more, so that "longer than the maximum" can be seen. */
#define LINE_BYTES_MAX (PAGE_LINE_CHARS_MAX * 4 + 1)

void page_init(struct page *page, bool raw, uint64_t first, uint64_t limit)
{
    *page = (struct page){.raw = raw, .first = first, .limit = limit, .line_number = 1};
    buf_init(&page->out, raw ? PAGE_RAW_BYTES_MAX : 0);
    buf_init(&page->line, 0);
}

void page_deinit(struct page *page)
{
    buf_deinit(&page->out);
    buf_deinit(&page->line);
}

static bool page_wants_line(const struct page *page)
{
    return !page->full && page->line_number >= page->first &&
           (page->limit == 0 || page->line_number - page->first < page->limit);
}

static void page_note_error(struct page *page, int r)
{
    if (r < 0 && page->error == 0) {
        page->error = r;
    }
}

/* Characters of valid UTF-8, and the byte at which character `stop` begins (length if fewer). */
static size_t count_chars(const unsigned char *text, size_t length, size_t stop, size_t *ret_offset)
{
    size_t chars = 0;

    *ret_offset = length;
    for (size_t i = 0; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            if (chars == stop) {
                *ret_offset = i;
            }
            chars++;
        }
    }
    return chars;
}

/* Renders the collected line as "N|text"; when it does not fit the budget the page is full. */
static void page_show_line(struct page *page)
{
    _cleanup_buf_ struct buf shown = BUF_INIT(0);
    size_t gutter = 0, offset = 0, chars = 0;
    int r = buf_append_format(&shown, "%s%llu|", page->shown > 0 ? "\n" : "",
                              (unsigned long long)page->line_number);

    gutter = shown.length;
    if (r == 0) {
        r = utf8_append_replaced(&shown, page->line.data, page->line.length);
    }
    if (r < 0) {
        page_note_error(page, r);
        return;
    }
    chars = count_chars(shown.data + gutter, shown.length - gutter, PAGE_LINE_CHARS_MAX, &offset);
    if (chars > PAGE_LINE_CHARS_MAX) {
        static const char cut[] = "... [truncated]";
        shown.length = gutter + offset;
        page_note_error(page, buf_append_text(&shown, cut));
        chars = PAGE_LINE_CHARS_MAX + sizeof(cut) - 1;
    }
    if (page->chars + gutter + chars > PAGE_CHARS_MAX) {
        page->full = true;
        return;
    }
    page_note_error(page, buf_append(&page->out, shown.data, shown.length));
    page->chars += gutter + chars;
    page->shown++;
}

static void page_collect_numbered(struct page *page, const unsigned char *data, size_t length)
{
    size_t room = LINE_BYTES_MAX - page->line.length;

    page_note_error(page, buf_append(&page->line, data, length < room ? length : room));
}

/* Keeps whole lines; only a line that alone passes the budget is cut. */
static void page_collect_raw(struct page *page, const unsigned char *data, size_t length)
{
    size_t room = PAGE_RAW_BYTES_MAX - page->out.length;

    if (length <= room) {
        page_note_error(page, buf_append(&page->out, data, length));
        return;
    }
    page->full = true;
    if (page->raw_line_start > 0) {
        page->out.length = page->raw_line_start;
        return;
    }
    page_note_error(page, buf_append(&page->out, data, room));
    page->out.length = utf8_floor(page->out.data, page->out.length);
    page->line_cut = true;
    page->shown++;
}

static void page_collect(struct page *page, const unsigned char *data, size_t length)
{
    if (page_wants_line(page) && length > 0) {
        (page->raw ? page_collect_raw : page_collect_numbered)(page, data, length);
    }
}

static void page_end_line(struct page *page)
{
    if (page_wants_line(page)) {
        if (page->raw) {
            page->raw_line_start = page->out.length;
            page->shown++;
        } else {
            page_show_line(page);
        }
    }
    buf_clear(&page->line);
    page->line_number++;
}

/* One newline was found at data[at]. */
static void page_newline(struct page *page, const unsigned char *data, size_t at)
{
    bool crlf = (at > 0 ? data[at - 1] : page->last) == '\r';

    page->newlines++;
    page->crlf += crlf;
    if (page->raw) {
        page_collect(page, data, at + 1);
    } else {
        page_collect(page, data, at);
        if (crlf && page->line.length > 0 && page->line.data[page->line.length - 1] == '\r') {
            page->line.length--; /* for display; a line that was cut before its CR has none */
        }
    }
    page_end_line(page);
}

void page_feed(struct page *page, const unsigned char *data, size_t length)
{
    page->bytes += length;
    while (length > 0) {
        const unsigned char *newline = memchr(data, '\n', length);
        size_t used = newline != NULL ? (size_t)(newline - data) + 1 : length;
        if (newline != NULL) {
            page_newline(page, data, used - 1);
        } else {
            page_collect(page, data, length);
        }
        page->last = data[used - 1];
        data += used;
        length -= used;
    }
}

void page_finish(struct page *page)
{
    if (page->bytes > 0 && page->last != '\n') {
        page_end_line(page);
    }
}

uint64_t page_total_lines(const struct page *page)
{
    return page->newlines + (page->bytes > 0 && page->last != '\n');
}

bool page_truncated(const struct page *page)
{
    return page->first - 1 + page->shown < page_total_lines(page) &&
           page->first <= page_total_lines(page);
}

const char *page_line_ending(const struct page *page)
{
    if (page->newlines == 0) {
        return "none";
    }
    if (page->crlf == 0) {
        return "lf";
    }
    return page->crlf == page->newlines ? "crlf" : "mixed";
}
