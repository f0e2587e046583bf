/* SPDX-License-Identifier: MIT
 *
 * The config file: {"run": {...}} with the names of the option table. An unknown key is an error: a
 * limit that was misspelt must not silently be no limit.
 */
#include "api/settings.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define CONFIG_BYTES_MAX (1 << 20)

static const char *const config_keys[] = {"run"};

static int file_read(const char *path, struct buf *text, struct err *err)
{
    /* O_NONBLOCK: a FIFO in place of the file must not hang the start. */
    _cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;

    if (fd < 0)
        return err_errno(err, -errno, "cannot open");
    if (fstat(fd, &status) < 0)
        return err_errno(err, -errno, "cannot look at it");
    if (!S_ISREG(status.st_mode))
        return err_set(err, -EINVAL, "it is not a regular file");
    int r = fd_read_all(fd, text);
    if (r == -EMSGSIZE)
        return err_set(err, -EINVAL, "it is larger than 1 MiB");
    return r < 0 ? err_errno(err, r, "cannot read") : 0;
}

static int keys_check(json_t *config, struct err *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(config))
        return err_set(err, -EINVAL, "it takes a JSON object {\"run\": {...}}, not %s",
                       json_type_name(config));
    json_object_foreach(config, key, value)
    {
        if (str_equal(key, config_keys[0]))
            continue;
        /* The likeliest mistake: an option written at the top. */
        if (settings_option_find(key, NULL))
            return err_set(err, -EINVAL, "'%s' belongs in the \"run\" object", key);
        const char *nearest = str_nearest(key, config_keys, 1);
        return err_set(err, -EINVAL, "there is no key '%.60s'; %s '%s'", key,
                       nearest ? "did you mean" : "the known one is", config_keys[0]);
    }
    return 0;
}

static int config_apply(struct ptc_settings *settings, const struct buf *text, struct err *err)
{
    _cleanup_json_ json_t *config =
        json_parse((const char *)text->data, text->length, JSON_DEPTH_MAX, err);

    if (!config)
        return err->code;
    int r = keys_check(config, err);
    json_t *run = json_object_get(config, "run");
    if (r < 0 || !run)
        return r;
    r = settings_set_object(settings, run, err);
    return r < 0 ? err_context(err, "run") : 0;
}

int ptc_settings_load(ptc_settings *settings, const char *path, struct ptc_error *error)
{
    struct err err = ERR_INIT;
    _cleanup_buf_ struct buf text = BUF_INIT(CONFIG_BYTES_MAX);
    int r = file_read(path, &text, &err);

    if (r == 0)
        r = config_apply(settings, &text, &err);
    if (r == 0)
        return PTC_OK;
    err_context(&err, "%s", path);
    return settings_report(error, &err);
}
