/* SPDX-License-Identifier: MIT
 *
 * Finds the script before anything is started, so that a wrong path costs no time and gets a plain
 * answer. Pipes (standard input, <(...) of a shell) are read here; files are left to the library,
 * which gives them their __file__.
 */
#include "cli/source.h"

#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No script is as large; a stream that never ends must not fill the memory. */
#define CODE_BYTES_MAX ((size_t)32 << 20)

#define BLANK_BYTES_MAX 4096

static const char *const no_code = "there is no code to run: ";

static bool is_blank(const char *code, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isspace((unsigned char)code[i]))
            return false;
    return true;
}

/* Doubles the room when it is full; one byte more than the limit is room enough to notice. */
static int make_room(char **data, size_t used, size_t *capacity)
{
    if (used < *capacity)
        return 0;
    *capacity = *capacity ? *capacity * 2 : 65536;
    if (*capacity > CODE_BYTES_MAX + 1)
        *capacity = CODE_BYTES_MAX + 1;
    char *larger = realloc(*data, *capacity);
    if (!larger)
        return -ENOMEM;
    *data = larger;
    return 0;
}

static int read_all(int fd, struct source *source)
{
    size_t capacity = 0, used = 0;

    for (;;) {
        if (used > CODE_BYTES_MAX)
            return -EFBIG;
        if (make_room(&source->owned, used, &capacity) < 0)
            return -ENOMEM;
        ssize_t n = read(fd, source->owned + used, capacity - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        used += (size_t)n;
    }
    source->code = source->owned;
    source->code_length = used;
    return 0;
}

static int load_stream(struct source *source, int fd, const char *name, char *problem, size_t size)
{
    int r = read_all(fd, source);

    if (r == -EFBIG)
        snprintf(problem, size, "what comes from %s is larger than %zu MiB", name,
                 CODE_BYTES_MAX >> 20);
    else if (r < 0)
        snprintf(problem, size, "cannot read from %s: %s", name, strerror(-r));
    else if (is_blank(source->code, source->code_length))
        snprintf(problem, size, "%s%s is empty", no_code, name);
    else
        return 0;
    return -1;
}

/* Whether a small file has nothing but blanks; a large one has more, or is nobody's mistake. */
static bool file_is_blank(int fd, size_t length)
{
    char text[BLANK_BYTES_MAX];
    ssize_t n = pread(fd, text, length, 0);

    return n == (ssize_t)length && is_blank(text, length);
}

static int load_file(struct source *source, const char *path, char *problem, size_t size)
{
    /* O_NOCTTY only: a FIFO has to wait for its writer, as any reader would. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat status;
    int r = -1;

    if (fd < 0 || fstat(fd, &status) < 0)
        snprintf(problem, size, "cannot open the script '%.700s': %s", path, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        snprintf(problem, size, "'%.700s' is a directory; name the script to run", path);
    else if (!S_ISREG(status.st_mode))
        r = load_stream(source, fd, path, problem, size);
    else if (status.st_size <= BLANK_BYTES_MAX && file_is_blank(fd, (size_t)status.st_size))
        snprintf(problem, size, "%s'%.700s' is empty", no_code, path);
    else
        r = 0;
    if (r == 0 && !source->code)
        source->path = path;
    if (fd >= 0)
        close(fd);
    return r;
}

int source_load(struct source *source, const struct cli_options *options, char *problem,
                size_t size)
{
    *source = (struct source){0};
    if (options->code && is_blank(options->code, strlen(options->code))) {
        snprintf(problem, size, "%s-c got an empty text", no_code);
        return -1;
    }
    if (options->code) {
        source->code = options->code;
        source->code_length = strlen(options->code);
        return 0;
    }
    if (!options->script || strcmp(options->script, "-") == 0)
        return load_stream(source, STDIN_FILENO, "standard input", problem, size);
    return load_file(source, options->script, problem, size);
}

int source_read_stdin(struct source *source, char *problem, size_t size)
{
    char *text;

    if (load_stream(source, STDIN_FILENO, "standard input", problem, size) < 0)
        return -1;
    text = realloc(source->owned, source->code_length + 1);
    if (!text) {
        snprintf(problem, size, "no memory");
        return -1;
    }
    text[source->code_length] = '\0';
    source->code = source->owned = text;
    return 0;
}

void source_deinit(struct source *source)
{
    free(source->owned);
    *source = (struct source){0};
}
