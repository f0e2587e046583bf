/* SPDX-License-Identifier: MIT
 *
 * The mailbox: order, waking, and answers that come too late, twice, or from many threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/call.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct tool_spec SPEC = {.name = "t"};

/* A call that a handler holds: one reference for the test as dispatcher, one for the handler. */
static struct call *call_for_handler(struct mailbox *mailbox, uint64_t id)
{
    struct call *call = call_new(NULL, mailbox, id, &SPEC);

    atomic_fetch_add(&call->references, 1);
    return call;
}

static bool is_awake(struct mailbox *mailbox)
{
    struct pollfd fd = {.fd = mailbox->event_fd, .events = POLLIN};

    return poll(&fd, 1, 0) == 1;
}

static void answers_come_in_order(void **state)
{
    struct mailbox *mailbox = mailbox_new();
    struct mail *mail, *next;
    uint64_t id = 1;

    (void)state;
    for (uint64_t i = 1; i <= 3; i++) {
        struct call *call = call_for_handler(mailbox, i);
        char text[8];

        snprintf(text, sizeof text, "%u", (unsigned)i);
        assert_int_equal(call_answer(call, text, 1), 0);
        call_unref(call);
    }
    assert_true(is_awake(mailbox));
    mailbox_quiet(mailbox);
    assert_false(is_awake(mailbox));
    for (mail = mailbox_take(mailbox); mail; mail = next, id++) {
        next = mail->next;
        assert_int_equal(mail->call->id, id);
        assert_int_equal(mail->text[0], '0' + (int)id);
        mail_free(mail);
    }
    assert_int_equal(id, 4);
    mailbox_unref(mailbox);
}

static void the_second_answer_is_refused(void **state)
{
    struct mailbox *mailbox = mailbox_new();
    struct call *call = call_for_handler(mailbox, 1);

    (void)state;
    assert_int_equal(call_answer(call, "1", 1), 0);
    assert_int_equal(call_answer(call, "2", 1), -EALREADY);
    call_unref(call);
    mail_free(mailbox_take(mailbox));
    mailbox_unref(mailbox);
}

static void after_the_end_nobody_takes_mail(void **state)
{
    struct mailbox *mailbox = mailbox_new();
    struct call *late = call_for_handler(mailbox, 1), *waiting = call_for_handler(mailbox, 2);

    (void)state;
    assert_int_equal(call_answer(waiting, "{}", 2), 0);
    mailbox_close(mailbox);
    mailbox = mailbox_unref(mailbox); /* the calls keep it */
    call_unref(waiting);
    call_unref(late);
    assert_int_equal(call_answer(late, "{}", 2), -EPIPE); /* the handler's reference goes with it */
}

static void a_handler_s_own_answer_wakes_nobody(void **state)
{
    struct mailbox *mailbox = mailbox_new();
    struct call *call = call_for_handler(mailbox, 1);

    (void)state;
    mailbox_enter_handler(mailbox);
    assert_int_equal(call_answer(call, "{}", 2), 0);
    mailbox_leave_handler(mailbox);
    assert_false(is_awake(mailbox));
    assert_true(atomic_load(&mailbox->waiting));
    mail_free(mailbox_take(mailbox));
    call_unref(call);
    mailbox_unref(mailbox);
}

static void *answer(void *call)
{
    call_answer(call, "{}", 2);
    return NULL;
}

static void many_threads_answer(void **state)
{
    struct mailbox *mailbox = mailbox_new();
    struct call *calls[16];
    pthread_t threads[16];
    int count = 0;

    (void)state;
    for (int i = 0; i < 16; i++) {
        calls[i] = call_for_handler(mailbox, (uint64_t)i + 1);
        pthread_create(&threads[i], NULL, answer, calls[i]);
    }
    for (int i = 0; i < 16; i++) {
        pthread_join(threads[i], NULL);
        call_unref(calls[i]);
    }
    for (struct mail *mail = mailbox_take(mailbox), *next; mail; mail = next, count++) {
        next = mail->next;
        mail_free(mail);
    }
    assert_int_equal(count, 16);
    mailbox_unref(mailbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_in_order),
        cmocka_unit_test(the_second_answer_is_refused),
        cmocka_unit_test(after_the_end_nobody_takes_mail),
        cmocka_unit_test(a_handler_s_own_answer_wakes_nobody),
        cmocka_unit_test(many_threads_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
