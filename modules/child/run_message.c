/* SPDX-License-Identifier: MIT
 *
 * Reads RUN in the run's own process. The host is trusted; what is checked is checked to turn a
 * version mismatch into a sentence.
 */
#include "child/run_message.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "hermes/channel.h"
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The head as JSON. The body is the script as it is: a file's bytes may be of any encoding. */
static json_t *run_receive(struct hermes_channel *channel, struct script_source *source,
                           struct err *err)
{
    char *head = NULL, *body = NULL;
    size_t head_length = 0;
    json_t *json;
    int r = hermes_channel_receive_run(channel, &head, &head_length, &body, &source->code_length);

    if (r < 0) {
        err_errno(err, r, "no script came");
        return NULL;
    }
    source->code = body ? body : "";
    json = json_parse(head, head_length, JSON_DEPTH_MAX, err);
    free(head);
    return json;
}

static const char **strings(const json_t *array, size_t *ret_count)
{
    size_t count = json_array_size(array);
    const char **items = calloc(count + 1, sizeof *items);

    *ret_count = 0;
    for (size_t i = 0; items && i < count; i++) {
        items[i] = bytes_from_json(json_array_get(array, i));
        if (!items[i])
            return NULL;
        *ret_count = i + 1;
    }
    return items;
}

static int tools_read(struct toolset *tools, const json_t *array, struct err *err)
{
    size_t index;
    json_t *item;

    json_array_foreach(array, index, item)
    {
        const struct tool_spec *spec = json_is_string(item)
                                           ? toolset_builtin_find(json_string_value(item))
                                           : spec_from_json(item, err);
        int r = spec ? toolset_add(tools, spec) : -EPROTO;

        if (r < 0)
            return err_set(err, r, "tool %zu of the run cannot be used", index);
    }
    return 0;
}

int run_message_receive(struct run_message *message, struct hermes_channel *channel,
                        struct err *err)
{
    struct script_source *source = &message->source;
    json_t *json; /* kept: strings are borrowed from it */

    memset(message, 0, sizeof *message);
    json = run_receive(channel, source, err);
    if (!json)
        return -EPROTO;
    source->filename = bytes_from_json(json_object_get(json, "filename"));
    source->argv0 = bytes_from_json(json_object_get(json, "argv0"));
    if (!source->filename || !source->argv0)
        return err_set(err, -EPROTO, "the script that came has no name");
    source->is_bytes = json_is_true(json_object_get(json, "from_file"));
    source->argv = strings(json_object_get(json, "argv"), &source->argv_count);
    source->extra_path = strings(json_object_get(json, "path"), &source->extra_path_count);
    if (!source->argv || !source->extra_path)
        return err_errno(err, -ENOMEM, "the script that came");
    return tools_read(&message->tools, json_object_get(json, "tools"), err);
}
