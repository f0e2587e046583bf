/* SPDX-License-Identifier: MIT
 *
 * Life of a call object.
 */
#include "run/call.h"

#include "base/buf.h"
#include "run/parcel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct call *call_new(struct run *run, struct mailbox *mailbox, uint64_t id,
                      const struct tool_spec *spec)
{
    size_t name_bytes = strlen(spec->name) + 1;
    struct call *call = calloc(1, sizeof *call + name_bytes);

    if (!call)
        return NULL;
    call->tool = memcpy(call + 1, spec->name, name_bytes);
    call->id = id;
    call->spec = spec;
    call->run = run;
    call->mailbox = mailbox_ref(mailbox);
    atomic_init(&call->references, 1);
    return call;
}

void call_let_go(struct call *call, struct loop *loop)
{
    parcel_free(call->parcel, loop);
    call->parcel = NULL;
    if (atomic_load(&call->references) == 1) { /* nobody else can look at it */
        loop_free_later(loop, call->args_text, call->args_length);
        call->args_text = NULL;
    }
    call_unref(call);
}

struct call *call_unref(struct call *call)
{
    if (call && atomic_fetch_sub(&call->references, 1) == 1) {
        json_decref(call->args);
        json_decref(call->warning);
        free(call->args_text);
        parcel_free(call->parcel, NULL);
        mailbox_unref(call->mailbox);
        free(call);
    }
    return NULL;
}

static struct mail *mail_new(struct call *call, const char *text, size_t length)
{
    struct mail *mail = calloc(1, sizeof *mail);

    if (!mail)
        return NULL;
    mail->text = malloc(length + 1);
    if (!mail->text) {
        free(mail);
        return NULL;
    }
    memcpy(mail->text, text, length);
    mail->text[length] = '\0';
    mail->length = length;
    mail->call = call;
    return mail;
}

int call_make_args_text(struct call *call)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);

    if (call->args_text)
        return 0;
    if (json_append(&text, call->args) < 0)
        return -ENOMEM;
    call->args_text = buf_steal_text(&text, &call->args_length);
    return call->args_text ? 0 : -ENOMEM;
}

int call_decide(struct call *call, bool allow, const char *reason)
{
    struct mail *mail;
    int asked = 1, late = 3;

    if (!atomic_compare_exchange_strong(&call->asked, &asked, 2)) {
        if (atomic_compare_exchange_strong(&call->asked, &late, 2))
            call_unref(call);
        return -EALREADY;
    }
    mail = mail_new(call, reason ? reason : "", reason ? strlen(reason) : 0);
    if (!mail) {
        atomic_store(&call->asked, 1);
        return -ENOMEM;
    }
    mail->kind = allow ? MAIL_ALLOW : MAIL_DENY;
    return mailbox_post(call->mailbox, mail);
}

int call_answer(struct call *call, const char *text, size_t length)
{
    struct mail *mail;

    if (atomic_exchange(&call->answered, true))
        return -EALREADY;
    if (atomic_load(&call->unwanted)) {
        call_unref(call);
        return -EPIPE;
    }
    mail = mail_new(call, text, length);
    if (!mail) {
        atomic_store(&call->answered, false);
        return -ENOMEM;
    }
    return mailbox_post(call->mailbox, mail); /* the handler's reference goes with the mail */
}
