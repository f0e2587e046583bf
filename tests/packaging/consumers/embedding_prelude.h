/* SPDX-License-Identifier: MIT
 *
 * What the blocks of docs/embedding.md take for granted: the program around them.
 */
#include <poll.h>
#include <ptc_host.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world {
    int points;
    int calls, ended;
    ptc_call *question;
};

static int frames, bytes_read;
static char shown[256];

static void read_your_fd(int fd)
{
    char byte;

    bytes_read += (int)read(fd, &byte, 1);
}

static void simulate_and_draw(void)
{
    frames++;
    usleep(1000);
}

static void slow_query(void)
{
    usleep(20000);
}

static void show(const char *text)
{
    snprintf(shown, sizeof shown, "%s", text);
}
