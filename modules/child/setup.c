/* SPDX-License-Identifier: MIT
 *
 * Reads SETUP and BIND. They come from the host, which is trusted; they are checked all the same,
 * so that a version mismatch is an error and not a crash.
 */
#include "child/setup.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fd.h"

#include <errno.h>
#include <stdlib.h>

#define SETUP_BYTES_MAX (1024 * 1024)

static json_t *object_read(int memfd, struct err *err)
{
    _cleanup_buf_ struct buf text = BUF_INIT(SETUP_BYTES_MAX);
    json_t *json;
    int r = fd_read_all(memfd, &text);

    if (r < 0) {
        err_errno(err, r, "cannot read the set-up that the host sent");
        return NULL;
    }
    json = json_parse((const char *)text.data, text.length, JSON_DEPTH_MAX, err);
    if (json && !json_is_object(json)) {
        err_set(err, -EPROTO, "the set-up that the host sent is no object");
        json_decref(json);
        return NULL;
    }
    return json;
}

static int string_list(const json_t *object, const char *key, const char ***ret_items,
                       size_t *ret_count)
{
    json_t *array = json_object_get(object, key);
    size_t count = json_array_size(array);
    const char **items = calloc(count + 1, sizeof *items);

    if (!items)
        return -ENOMEM;
    *ret_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *text = bytes_from_json(json_array_get(array, i));

        if (text)
            items[(*ret_count)++] = text;
    }
    *ret_items = items;
    return 0;
}

static uint64_t number(const json_t *object, const char *key, uint64_t fallback)
{
    json_t *value = json_object_get(object, key);

    return json_is_integer(value) && json_integer_value(value) >= 0
               ? (uint64_t)json_integer_value(value)
               : fallback;
}

int zygote_setup_read(struct zygote_setup *setup, int memfd, struct err *err)
{
    int r;

    *setup = (struct zygote_setup){.json = object_read(memfd, err)};
    if (!setup->json)
        return -EPROTO;
    setup->executable = json_string_value(json_object_get(setup->json, "executable"));
    setup->prefix = json_string_value(json_object_get(setup->json, "prefix"));
    r = string_list(setup->json, "search_paths", &setup->search_paths, &setup->search_path_count);
    if (r == 0)
        r = string_list(setup->json, "preload", &setup->preload, &setup->preload_count);
    if (r < 0)
        return err_errno(err, r, "set-up");
    setup->cold = json_is_true(json_object_get(setup->json, "cold"));
    if (!setup->executable || !setup->prefix || !setup->search_path_count)
        return err_set(err, -EPROTO, "the set-up names no interpreter");
    return 0;
}

int run_setup_read(struct run_setup *setup, int memfd, struct err *err)
{
    json_t *limits;
    int r;

    *setup = (struct run_setup){.json = object_read(memfd, err)};
    if (!setup->json)
        return -EPROTO;
    setup->workspace = bytes_from_json(json_object_get(setup->json, "workspace"));
    if (!setup->workspace)
        return err_set(err, -EPROTO, "the set-up of the run names no workspace");
    setup->workspace_device = number(setup->json, "device", 0);
    setup->workspace_inode = number(setup->json, "inode", 0);
    setup->scratch_cwd = json_is_true(json_object_get(setup->json, "scratch_cwd"));
    setup->tmp_bytes = number(setup->json, "tmp_bytes", 256 << 20);
    setup->tmp_inodes = number(setup->json, "tmp_inodes", 16384);
    setup->output_bytes = number(setup->json, "output_bytes", 50000);
    r = string_list(setup->json, "env", &setup->env, &setup->env_count);
    if (r < 0)
        return err_errno(err, r, "set-up");
    limits = json_object_get(setup->json, "limits");
    setup->limits = (struct rlimits){
        .cpu_ms = number(limits, "cpu_ms", 0),
        .memory_bytes = number(limits, "memory_bytes", 0),
        .processes = number(limits, "processes", 0),
        .file_bytes = number(limits, "file_bytes", 0),
        .open_files = number(limits, "open_files", 0),
    };
    return 0;
}
