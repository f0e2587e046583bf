/* SPDX-License-Identifier: MIT
 *
 * ptc_host.h: run model-written Python that calls tools, from C (C99) or any language with a C FFI.
 *
 * A script runs in real CPython in a process of its own, never in yours. Its calls to tools arrive
 * here; only what it prints goes back.
 *
 *     struct ptc_error error = PTC_ERROR_INIT;
 *     ptc_host *host = ptc_host_new(NULL, &error);
 *     struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
 *     options.code = "from hermes_tools import terminal\nprint(terminal('date')['output'])";
 *     ptc_result *result = ptc_run(host, &options, &error);
 *     puts(ptc_result_json(result, NULL));
 *     ptc_result_free(result);
 *     ptc_host_free(host);
 *
 * Rules. Functions return 0 or a negative PTC_E_* code, or NULL for an object that could not be
 * made; `error` (may be NULL) then says why. Text is UTF-8 and NUL-terminated unless a length stands
 * beside it. What a getter returns is borrowed and lives as long as the object it came from. A host
 * is used by one thread at a time; different hosts are independent; only ptc_run_cancel and
 * ptc_call_reply may be called from any thread. Callbacks run on the thread that runs the host. The
 * library starts no thread, takes no signal, and leaves cwd, locale, environment and stdio alone.
 */
#ifndef PTC_HOST_H
#define PTC_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PTC_API __attribute__((visibility("default")))
#else
#define PTC_API
#endif

#define PTC_VERSION_MAJOR 0
#define PTC_VERSION_MINOR 1
#define PTC_VERSION_PATCH 0

typedef struct ptc_host ptc_host;
typedef struct ptc_settings ptc_settings;
typedef struct ptc_run_handle ptc_run_handle;
typedef struct ptc_result ptc_result;
typedef struct ptc_call ptc_call;

/* ---- errors ---------------------------------------------------------------------------------- */

enum {
    PTC_OK = 0,
    PTC_E_INVALID = -1, /* an argument, option or value is wrong; the message names it */
    PTC_E_NO_MEMORY = -2,
    PTC_E_SYSTEM = -3,      /* the system refused something; system_errno says what */
    PTC_E_NOT_FOUND = -4,   /* file, option or tool does not exist */
    PTC_E_UNAVAILABLE = -5, /* the sandbox or the helper program cannot be had on this machine */
    PTC_E_STATE = -6        /* not now: already ended, already answered, wrong thread */
};

struct ptc_error {
    size_t struct_size; /* sizeof(struct ptc_error) */
    int code;           /* PTC_E_* */
    int system_errno;   /* positive errno or 0 */
    char message[1024]; /* one sentence */
};

/* clang-format off */
#define PTC_ERROR_INIT {sizeof(struct ptc_error), 0, 0, {0}}
/* clang-format on */

/* ---- settings: every option of a run, by name ------------------------------------------------- */

/* Options are named as on the command line, with underscores: "timeout", "max_tool_calls",
 * "workspace"... The same names are the keys of the config file's "run" object. */
PTC_API ptc_settings *ptc_settings_new(struct ptc_error *error); /* every option at its default */
PTC_API ptc_settings *ptc_settings_copy(const ptc_settings *settings, struct ptc_error *error);
PTC_API void ptc_settings_free(ptc_settings *settings); /* NULL is fine */

/* value is text as a person would type it ("30", "2G", "read_file,terminal"). An option that may be
 * repeated ("read", "env", ...) adds. */
PTC_API int ptc_settings_set(ptc_settings *settings, const char *name, const char *value,
                             struct ptc_error *error);

/* A JSON object {"timeout": 30, ...}, as in the config file's "run". Nothing is set on error. */
PTC_API int ptc_settings_set_json(ptc_settings *settings, const char *json, size_t length,
                                  struct ptc_error *error);

/* A config file {"run": {...}}. PTC_E_NOT_FOUND when there is no such file. Unknown keys are errors
 * that name the nearest known one. */
PTC_API int ptc_settings_load(ptc_settings *settings, const char *path, struct ptc_error *error);

/* The option table, for help texts and bindings. NULL at the end (index from 0). */
struct ptc_option_info {
    size_t struct_size;
    const char *name;          /* "max_tool_calls" */
    const char *value_name;    /* "N"; NULL for a switch */
    const char *default_value; /* "50"; NULL when there is none */
    const char *help;          /* one sentence; NULL: help texts leave it out */
    int repeatable;
};
PTC_API const struct ptc_option_info *ptc_option_info_at(size_t index);

/* ---- hosts ------------------------------------------------------------------------------------ */

enum { PTC_LOG_ERROR = 0, PTC_LOG_WARNING = 1, PTC_LOG_INFO = 2, PTC_LOG_DEBUG = 3 };
typedef void (*ptc_log_fn)(void *user, int level, const char *line);

struct ptc_host_options {
    size_t struct_size;
    /* The program ptc-child. NULL: beside this library's own build or install tree, then the
     * configured libexecdir; looked for when a run needs it. */
    const char *child_path;
    const ptc_settings *settings; /* defaults of every run; copied. NULL: built-in ones */
    ptc_log_fn log;               /* NULL: nothing is logged */
    void *log_user;
    int log_level; /* PTC_LOG_* */
    /* Where the folders of named sessions are made. NULL: $XDG_STATE_HOME/ptc-host/sessions, or
     * ~/.local/state/ptc-host/sessions. */
    const char *sessions_dir;
};
/* clang-format off */
#define PTC_HOST_OPTIONS_INIT {sizeof(struct ptc_host_options), NULL, NULL, NULL, NULL, 1, NULL}
/* clang-format on */

PTC_API ptc_host *ptc_host_new(const struct ptc_host_options *options, struct ptc_error *error);

/* Ends what still runs (without callbacks), waits at most two seconds for it to be gone, frees. */
PTC_API void ptc_host_free(ptc_host *host);

/* ---- tools of your own ------------------------------------------------------------------------ */

/* Called on the thread that runs the host. Answer with ptc_call_reply, now or later, from any
 * thread, exactly once; until then the script's call waits (other calls go on). */
typedef void (*ptc_tool_fn)(ptc_call *call, void *user);

/* spec_json: {"name": "...", "description": "...", "parameters": {JSON Schema of an object},
 * "flags": ["read_only", "parallel_safe", "needs_approval", "returns_errors"]}. Arguments are
 * validated against it and defaults filled in before fn is called. An answer with "error" (also of a
 * denied call) is raised in the script as ToolError, unless the flags have "returns_errors": then it
 * is returned as it is. destroy (may be NULL) is called with user when the host is freed. */
PTC_API int ptc_host_add_tool(ptc_host *host, const char *spec_json, ptc_tool_fn fn, void *user,
                              void (*destroy)(void *user), struct ptc_error *error);

PTC_API const char *ptc_call_tool(const ptc_call *call);
PTC_API const char *ptc_call_args_json(const ptc_call *call,
                                       size_t *ret_length); /* UTF-8 JSON object */

/* result_json: any JSON value; it is copied. {"error": "..."} tells the script of a failure. Frees
 * the call. A reply that comes after the run has ended is dropped: PTC_E_STATE. */
PTC_API int ptc_call_reply(ptc_call *call, const char *result_json, size_t length);

/* ---- policy: may this call be made? ------------------------------------------------------------ */

enum { PTC_ALLOW = 0, PTC_DENY = 1, PTC_ASK = 2 };

/* Called for every call that passed the allow-list, the budget and the check of its arguments, before
 * it is made. Returns PTC_ALLOW, PTC_DENY, or PTC_ASK: then the whole run is frozen and its clock
 * stands still until ptc_call_decide, or until the option ask_timeout has passed (which denies). A
 * denied call is a dict with "error" for the script, which goes on. Anything else means PTC_DENY. */
typedef int (*ptc_policy_fn)(ptc_call *call, void *user);

/* Answers PTC_ASK, from any thread, once, also from inside the policy function. reason (may be NULL)
 * is told to the script. 0; PTC_E_STATE: not asked, decided already, or the run is over. */
PTC_API int ptc_call_decide(ptc_call *call, int decision, const char *reason);

/* The call's number in its run, from 1 (the same as in events and in the result's tool_calls). */
PTC_API uint64_t ptc_call_number(const ptc_call *call);
/* The user pointer of the run that makes the call (ptc_run_options.user). */
PTC_API void *ptc_call_run_user(const ptc_call *call);

/* ---- events -------------------------------------------------------------------------------------- */

enum {
    PTC_EVENT_OUTPUT = 1,       /* stream, data, length */
    PTC_EVENT_CALL_STARTED = 2, /* call, tool, data = arguments as JSON (shortened to 4096 bytes) */
    PTC_EVENT_CALL_ENDED = 3,   /* call, tool, ok, duration_us; one for each CALL_STARTED */
    PTC_EVENT_HEARTBEAT = 4,    /* duration_us = since the start; option heartbeat */
    PTC_EVENT_ENDED = 5         /* the result is there; the last event of a run */
};

struct ptc_event {
    size_t struct_size; /* of the library's struct: a newer library may have more at the end */
    int type;           /* PTC_EVENT_* */
    ptc_run_handle *run;
    int stream; /* PTC_STREAM_* */
    int ok;
    uint64_t call; /* number of the call */
    uint64_t duration_us;
    const char *tool;
    const char *data; /* not NUL-terminated: see length. Borrowed for the time of the callback */
    size_t length;
};
typedef void (*ptc_event_fn)(void *user, const struct ptc_event *event);

/* ---- runs ------------------------------------------------------------------------------------- */

enum { PTC_STREAM_STDOUT = 1, PTC_STREAM_STDERR = 2 };
typedef void (*ptc_output_fn)(void *user, int stream, const char *data, size_t length);

struct ptc_run_options {
    size_t struct_size;
    const char *code;        /* the script as UTF-8 text; or NULL and ... */
    size_t code_length;      /* 0: strlen(code) */
    const char *path;        /* ... a file to run, as python3 FILE would */
    const char *const *argv; /* sys.argv[1:] */
    size_t argc;
    const char *argv0;            /* sys.argv[0] for code; NULL: "script.py" */
    const ptc_settings *settings; /* NULL: the host's */
    ptc_output_fn output;         /* live output as it comes, raw bytes; NULL: none */
    void *user;                   /* of output, event and policy */
    ptc_event_fn event;           /* NULL: none */
    ptc_policy_fn policy;         /* NULL: every call is allowed */
    int workspace_fd;             /* an open directory (not kept); -1: the option workspace */
    /* Instead of code and path: one call of this tool, without a script, with these arguments (a
     * JSON object; NULL: none). What it answers is "value" in the run's result. */
    const char *tool;
    const char *tool_args_json;
};
/* clang-format off */
#define PTC_RUN_OPTIONS_INIT {sizeof(struct ptc_run_options), NULL, 0, NULL, NULL, 0, NULL, NULL, \
                              NULL, NULL, NULL, NULL, -1, NULL, NULL}
/* clang-format on */

/* Runs to the end. NULL only when the run could not be tried (error says why); a script that fails,
 * is stopped, or is refused by the sandbox has a result that says so. */
PTC_API ptc_result *ptc_run(ptc_host *host, const struct ptc_run_options *options,
                            struct ptc_error *error);

/* One call of one tool, blocking, with the same sandbox, limits and checks: ptc_run with
 * options.tool. */
PTC_API ptc_result *ptc_tool_call(ptc_host *host, const ptc_settings *settings, const char *tool,
                                  const char *args_json, struct ptc_error *error);

/* The same in the background of the caller's own loop: see ptc_host_fd. */
PTC_API ptc_run_handle *ptc_run_start(ptc_host *host, const struct ptc_run_options *options,
                                      struct ptc_error *error);
PTC_API const ptc_result *ptc_run_result(const ptc_run_handle *run); /* NULL while it runs */
PTC_API void ptc_run_free(ptc_run_handle *run);                      /* cancels if needed */

/* From any thread, and from a signal handler. reason (may be NULL) ends up in the result. */
PTC_API void ptc_run_cancel(ptc_run_handle *run, const char *reason);

/* Cancels whatever the host runs: for a signal handler of a program that blocks in ptc_run. */
PTC_API void ptc_host_cancel_all(ptc_host *host);

/* One pollable fd, the time after which ptc_host_dispatch wants to be called anyway (-1: never), and
 * the work itself: never blocks; budget_us bounds it (0: all that is due). Returns callbacks run. */
PTC_API int ptc_host_fd(const ptc_host *host);
PTC_API int ptc_host_timeout_ms(const ptc_host *host);
PTC_API int ptc_host_dispatch(ptc_host *host, uint64_t budget_us);

/* ---- results ---------------------------------------------------------------------------------- */

PTC_API const char *ptc_result_json(const ptc_result *result, size_t *ret_length);
PTC_API const char *
ptc_result_status(const ptc_result *result); /* "success", "error", "timeout", ... */
PTC_API const char *ptc_result_output(const ptc_result *result, size_t *ret_length);
PTC_API const char *ptc_result_stderr(const ptc_result *result, size_t *ret_length);
PTC_API const char *ptc_result_error(const ptc_result *result);  /* NULL on success */
PTC_API const char *ptc_result_hint(const ptc_result *result);   /* NULL: none */
PTC_API int ptc_result_exit_code(const ptc_result *result);      /* -1: none */
PTC_API const char *ptc_result_signal(const ptc_result *result); /* "SIGSEGV"; NULL: none */
PTC_API double ptc_result_duration_seconds(const ptc_result *result);
PTC_API uint64_t ptc_result_tool_calls(const ptc_result *result); /* calls that were made */
/* The result of the tool of a ptc_tool_call, as JSON; NULL: none. */
PTC_API const char *ptc_result_value_json(const ptc_result *result, size_t *ret_length);
PTC_API void ptc_result_free(ptc_result *result);

/* ---- texts made from the tool specs ------------------------------------------------------------ */

/* The execute_code tool definition for format "openai", "anthropic" or "mcp", with the tools and
 * limits of settings. Free with ptc_free. */
PTC_API char *ptc_schema_json(const ptc_host *host, const ptc_settings *settings,
                              const char *format, struct ptc_error *error);
/* hermes_tools.pyi for the tools of settings. Free with ptc_free. */
PTC_API char *ptc_stub_text(const ptc_host *host, const ptc_settings *settings,
                            struct ptc_error *error);
PTC_API void ptc_free(void *pointer);

/* What a host has done and holds, as a JSON object: runs_started, runs_active, calls_made,
 * calls_refused, zygotes, zygote_starts, ... Keys are added, never changed. Free with ptc_free. */
PTC_API char *ptc_host_stats_json(const ptc_host *host);

PTC_API const char *ptc_version(void); /* "0.1.0" */
/* What this build and this kernel have, as a JSON object: version, python, user_namespaces,
 * landlock_abi, seccomp, ... Free with ptc_free. */
PTC_API char *ptc_features_json(void);

#ifdef __cplusplus
}
#endif

#endif
