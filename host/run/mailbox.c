/* SPDX-License-Identifier: MIT
 *
 * A locked list and an eventfd.
 */
#include "run/mailbox.h"

#include "base/fd.h"
#include "run/call.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct mailbox *mailbox_new(void)
{
    struct mailbox *mailbox = calloc(1, sizeof *mailbox);

    if (!mailbox)
        return NULL;
    mailbox->event_fd = fd_above_stdio(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (mailbox->event_fd < 0 || pthread_mutex_init(&mailbox->lock, NULL) != 0) {
        if (mailbox->event_fd >= 0)
            close(mailbox->event_fd);
        free(mailbox);
        return NULL;
    }
    atomic_init(&mailbox->references, 1);
    return mailbox;
}

struct mailbox *mailbox_ref(struct mailbox *mailbox)
{
    atomic_fetch_add(&mailbox->references, 1);
    return mailbox;
}

struct mailbox *mailbox_unref(struct mailbox *mailbox)
{
    if (mailbox && atomic_fetch_sub(&mailbox->references, 1) == 1) {
        mailbox_close(mailbox);
        close(mailbox->event_fd);
        pthread_mutex_destroy(&mailbox->lock);
        free(mailbox);
    }
    return NULL;
}

void mailbox_wake(struct mailbox *mailbox)
{
    int saved = errno;
    uint64_t one = 1;
    ssize_t n = write(mailbox->event_fd, &one, sizeof one);

    (void)n; /* it can only fail because it is awake already */
    errno = saved;
}

void mailbox_quiet(struct mailbox *mailbox)
{
    uint64_t count;
    ssize_t n = read(mailbox->event_fd, &count, sizeof count);

    (void)n;
}

void mail_free(struct mail *mail)
{
    call_unref(mail->call);
    free(mail->text);
    free(mail);
}

int mailbox_post(struct mailbox *mailbox, struct mail *mail)
{
    bool closed, wake;

    /* Once the lock is free the mail may be served and everything gone that it kept alive, this
     * mailbox too: it is held until this thread has done with it. */
    mailbox_ref(mailbox);
    pthread_mutex_lock(&mailbox->lock);
    closed = mailbox->closed;
    wake = !mailbox->handler_runs || !pthread_equal(mailbox->handler_thread, pthread_self());
    if (!closed) {
        mail->next = NULL;
        if (mailbox->last)
            mailbox->last->next = mail;
        else
            mailbox->first = mail;
        mailbox->last = mail;
        atomic_store(&mailbox->waiting, true);
    }
    pthread_mutex_unlock(&mailbox->lock);
    if (closed)
        mail_free(mail);
    else if (wake)
        mailbox_wake(mailbox);
    mailbox_unref(mailbox);
    return closed ? -EPIPE : 0;
}

void mailbox_enter_handler(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    mailbox->handler_runs = true;
    mailbox->handler_thread = pthread_self();
    pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_leave_handler(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    mailbox->handler_runs = false;
    pthread_mutex_unlock(&mailbox->lock);
}

struct mail *mailbox_take(struct mailbox *mailbox)
{
    struct mail *mail;

    pthread_mutex_lock(&mailbox->lock);
    mail = mailbox->first;
    mailbox->first = mailbox->last = NULL;
    atomic_store(&mailbox->waiting, false);
    pthread_mutex_unlock(&mailbox->lock);
    return mail;
}

void mailbox_close(struct mailbox *mailbox)
{
    struct mail *mail, *next;

    pthread_mutex_lock(&mailbox->lock);
    mailbox->closed = true;
    mail = mailbox->first;
    mailbox->first = mailbox->last = NULL;
    pthread_mutex_unlock(&mailbox->lock);
    for (; mail; mail = next) {
        next = mail->next;
        mail_free(mail);
    }
}
