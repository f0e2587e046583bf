/* SPDX-License-Identifier: MIT
 *
 * See interpreter.h.
 */
#include "child/interpreter.h"

#include "child/setup.h"
#include "hermes/hermes.h"
#include "python/interp.h"

int interpreter_start(const struct zygote_setup *setup, struct err *err)
{
    static const struct _inittab modules[] = {{"hermes_tools", hermes_module_init}, {NULL, NULL}};
    struct interp_config config = {
        .executable = setup->executable,
        .prefix = setup->prefix,
        .search_paths = setup->search_paths,
        .search_path_count = setup->search_path_count,
        .preload = setup->preload,
        .preload_count = setup->preload_count,
        .shared = !setup->cold,
    };

    return interp_init(&config, modules, err);
}

bool interpreter_is_there(void)
{
    return Py_IsInitialized();
}

int interpreter_ready(const struct zygote_setup *setup, struct err *err)
{
    if (!interpreter_is_there())
        return interpreter_start(setup, err);
    interp_after_fork_child();
    return 0;
}
