/* SPDX-License-Identifier: MIT
 *
 * The only part of a host that other threads may touch: answers to calls, and the eventfd that
 * wakes the loop. It is counted, so that a late answer after the host is gone finds it closed, not
 * freed.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct mail {
    struct mail *next;
    struct call *call; /* the handler's reference */
    enum { MAIL_ANSWER, MAIL_ALLOW, MAIL_DENY } kind;
    char *text; /* JSON of the answer, or the reason; owned */
    size_t length;
};

struct mailbox {
    pthread_mutex_t lock;
    struct mail *first, *last;
    bool closed;
    bool handler_runs; /* and on this thread: its own answers need no waking */
    pthread_t handler_thread;
    int event_fd;
    atomic_bool waiting; /* there is mail */
    atomic_bool cancel_all;
    atomic_int references;
};

struct mailbox *mailbox_new(void); /* NULL: no memory, or no eventfd */
struct mailbox *mailbox_ref(struct mailbox *mailbox);
struct mailbox *mailbox_unref(struct mailbox *mailbox); /* returns NULL */

/* Around a handler's call, on the dispatching thread, which looks into the mailbox right after. */
void mailbox_enter_handler(struct mailbox *mailbox);
void mailbox_leave_handler(struct mailbox *mailbox);

/* Async-signal-safe. */
void mailbox_wake(struct mailbox *mailbox);

/* Takes over mail. 0, or -EPIPE when the host is gone (mail is freed then). */
int mailbox_post(struct mailbox *mailbox, struct mail *mail);

void mailbox_quiet(struct mailbox *mailbox); /* the eventfd is seen */

/* Everything that came, in order. */
struct mail *mailbox_take(struct mailbox *mailbox);
void mailbox_close(struct mailbox *mailbox); /* later posts are refused; waiting mail is freed */
void mail_free(struct mail *mail);
