/* SPDX-License-Identifier: MIT
 *
 * The configuration that every run shares. Isolated: no environment variable, no user site, no
 * current directory, no PATH look-up. Every path is given but the prefix, which CPython's
 * getpath.py finds with five stat calls: given that too it forgets where the standard library is,
 * and frozen modules (os, codecs, abc) have no __file__ and inspect no source of them.
 */
#include "python/interp_config.h"

#include <locale.h>

static PyStatus interp_config_preinitialize(void)
{
    /* Python sets LC_CTYPE from the environment, which here holds nothing. C.UTF-8 is what python3
     * would end up with, and time.strftime with non-ASCII text needs it. glibc has it built in. */
    (void)setlocale(LC_CTYPE, "C.UTF-8");

    PyPreConfig preconfig;
    PyPreConfig_InitIsolatedConfig(&preconfig);
    preconfig.utf8_mode = 1;
    return Py_PreInitialize(&preconfig);
}

static PyStatus interp_config_set_paths(PyConfig *target, const struct interp_config *config)
{
    const char *stdlib = config->search_path_count > 0 ? config->search_paths[0] : NULL;
    const struct {
        wchar_t **slot;
        const char *value;
    } strings[] = {
        {&target->program_name, config->executable},
        {&target->executable, config->executable},
        {&target->base_executable, config->executable},
        {&target->base_prefix, config->prefix},
        {&target->exec_prefix, config->prefix},
        {&target->base_exec_prefix, config->prefix},
        {&target->stdlib_dir, stdlib},
    };
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        PyStatus status = PyConfig_SetBytesString(target, strings[i].slot, strings[i].value);
        if (PyStatus_Exception(status)) {
            return status;
        }
    }
    return PyStatus_Ok();
}

static PyStatus interp_config_set_search_paths(PyConfig *target, const struct interp_config *config)
{
    target->module_search_paths_set = 1;
    for (size_t i = 0; i < config->search_path_count; i++) {
        wchar_t *path = Py_DecodeLocale(config->search_paths[i], NULL);
        if (path == NULL) {
            return PyStatus_NoMemory();
        }
        PyStatus status = PyWideStringList_Append(&target->module_search_paths, path);
        PyMem_RawFree(path);
        if (PyStatus_Exception(status)) {
            return status;
        }
    }
    return PyStatus_Ok();
}

/* backslashreplace, where python3 in UTF-8 mode has surrogateescape: printing a lone surrogate must
 * not end a script, and a file name with foreign bytes printed as \udcff tells the reader more than
 * the U+FFFD that a raw byte would become on its way into JSON. */
static PyStatus interp_config_set_stdio(PyConfig *target)
{
    target->buffered_stdio = 1;
    target->configure_c_stdio = 0;
    PyStatus status = PyConfig_SetBytesString(target, &target->stdio_encoding, "utf-8");
    if (PyStatus_Exception(status)) {
        return status;
    }
    return PyConfig_SetBytesString(target, &target->stdio_errors, "backslashreplace");
}

static PyStatus interp_config_fill(PyConfig *target, const struct interp_config *config)
{
    target->site_import = 0; /* site would execute the lines of .pth files */
    target->parse_argv = 0;
    target->write_bytecode = 0;
    target->install_signal_handlers = 1;
    target->faulthandler = 0;

    PyStatus status = interp_config_set_paths(target, config);
    if (PyStatus_Exception(status)) {
        return status;
    }
    status = interp_config_set_search_paths(target, config);
    if (PyStatus_Exception(status)) {
        return status;
    }
    return interp_config_set_stdio(target);
}

PyStatus interp_config_start(const struct interp_config *config)
{
    PyStatus status = interp_config_preinitialize();
    if (PyStatus_Exception(status)) {
        return status;
    }
    PyConfig target;
    PyConfig_InitIsolatedConfig(&target);
    status = interp_config_fill(&target, config);
    if (!PyStatus_Exception(status)) {
        status = Py_InitializeFromConfig(&target);
    }
    PyConfig_Clear(&target);
    return status;
}
