/* SPDX-License-Identifier: MIT
 *
 * The table of local tools by name, and the one shape of a failure.
 */
#include "tools/tools.h"

#include "base/buf.h"
#include "tools/handlers.h"

#include <stdarg.h>
#include <string.h>

#define ERROR_BYTES_MAX 16384

static json_t *tool_patch(struct tool_call *call, const json_t *args)
{
    (void)call;
    (void)args;
    return tools_error("patch is not built yet in this version; read_file(path, raw=True) and "
                       "write_file work");
}

tool_handler tools_find(const char *name)
{
    static const struct {
        const char *name;
        tool_handler handler;
    } table[] = {
        {"read_file", tool_read_file}, {"write_file", tool_write_file},
        {"terminal", tool_terminal},   {"search_files", tool_search_files},
        {"patch", tool_patch},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].name, name) == 0) {
            return table[i].handler;
        }
    }
    return NULL;
}

json_t *tools_error(const char *format, ...)
{
    _cleanup_buf_ struct buf text = BUF_INIT(ERROR_BYTES_MAX);
    va_list args;
    int r = 0;

    va_start(args, format);
    r = buf_append_vformat(&text, format, args);
    va_end(args);
    if (r < 0) {
        return json_pack("{s:s}", "error", "the tool failed (its message was too long to report)");
    }
    return json_pack("{s:o?}", "error", json_text((const char *)text.data, text.length));
}
