/* SPDX-License-Identifier: MIT
 *
 * The table "What happens when" of docs/embedding.md, row by row, against the installed library. The
 * end of the host process, memory that runs out and dlclose are tests of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <ptc_host.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXPECT(condition) expect(condition, #condition, __LINE__)

struct world {
    ptc_host *host;
    ptc_call *call;          /* kept by a tool or a policy that does not answer */
    ptc_run_handle *started; /* by a callback */
    int events, refused;
};

static const char SLEEPER[] = "import time\nprint('begun', flush=True)\ntime.sleep(600)\n";

static void expect(int holds, const char *what, int line)
{
    if (holds)
        return;
    fprintf(stderr, "line %d does not hold: %s\n", line, what);
    exit(1);
}

static ptc_host *host_new(void)
{
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_host *host = ptc_host_new(NULL, &error);

    EXPECT(host != NULL);
    return host;
}

static void add_tool(ptc_host *host, ptc_tool_fn fn, struct world *world)
{
    EXPECT(ptc_host_add_tool(host,
                             "{\"name\": \"ask\", \"description\": \"Asks.\", \"parameters\":"
                             " {\"type\": \"object\", \"properties\": {}}}",
                             fn, world, NULL, NULL) == PTC_OK);
}

/* name: of an option to set, or NULL. */
static ptc_run_handle *start(struct world *world, struct ptc_run_options options, const char *name,
                             const char *value)
{
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_settings *settings = ptc_settings_new(&error);
    ptc_run_handle *run;

    if (name)
        EXPECT(ptc_settings_set(settings, name, value, &error) == PTC_OK);
    options.settings = settings;
    options.user = world;
    run = ptc_run_start(world->host, &options, &error);
    ptc_settings_free(settings); /* runs take copies */
    if (!run)
        fprintf(stderr, "%s\n", error.message);
    EXPECT(run != NULL);
    return run;
}

static ptc_run_handle *start_code(struct world *world, const char *code, const char *name,
                                  const char *value)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;

    options.code = code;
    return start(world, options, name, value);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static const char *wait_status(ptc_host *host, ptc_run_handle *run)
{
    while (!ptc_run_result(run)) {
        pause_ms(1);
        ptc_host_dispatch(host, 0);
    }
    return ptc_result_status(ptc_run_result(run));
}

static int is(const char *text, const char *expected)
{
    if (strcmp(text, expected) == 0)
        return 1;
    fprintf(stderr, "got: %s\n", text);
    return 0;
}

static void fresh_run_works(struct world *world)
{
    ptc_run_handle *run = start_code(world, "print('fine')", NULL, NULL);

    EXPECT(is(wait_status(world->host, run), "success"));
    ptc_run_free(run);
}

/* ---- limits ---- */

static void timeout_keeps_output(struct world *world)
{
    ptc_run_handle *run = start_code(world, SLEEPER, "timeout", "1500ms");

    EXPECT(is(wait_status(world->host, run), "timeout"));
    EXPECT(strstr(ptc_result_output(ptc_run_result(run), NULL), "begun") != NULL);
    ptc_run_free(run);
}

static void memory_is_an_exception(struct world *world)
{
    ptc_run_handle *run = start_code(world,
                                     "try:\n    b'x' * (1 << 30)\n"
                                     "except MemoryError:\n    print('caught')\n",
                                     "memory", "64M");

    EXPECT(is(wait_status(world->host, run), "success"));
    EXPECT(is(ptc_result_output(ptc_run_result(run), NULL), "caught\n"));
    ptc_run_free(run);
}

static void cancelled_says_why(struct world *world)
{
    ptc_run_handle *run = start_code(world, SLEEPER, NULL, NULL);

    ptc_run_cancel(run, "the level is over");
    EXPECT(is(wait_status(world->host, run), "interrupted"));
    EXPECT(strstr(ptc_result_json(ptc_run_result(run), NULL), "the level is over") != NULL);
    ptc_run_free(run);
}

/* ---- calls ---- */

static void keep(ptc_call *call, void *user)
{
    ((struct world *)user)->call = call;
}

static void fail(ptc_call *call, void *user)
{
    static const char failure[] = "{\"error\": \"no luck\"}";

    (void)user;
    ptc_call_reply(call, failure, strlen(failure));
}

static int deny(ptc_call *call, void *user)
{
    (void)call, (void)user;
    return PTC_DENY;
}

static void failures_and_denials_are_exceptions(struct world *world)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;

    options.code = "from hermes_tools import ToolError, ask\n"
                   "try:\n    ask()\nexcept ToolError as error:\n    print(error)\n";
    for (int denied = 0; denied < 2; denied++) {
        ptc_run_handle *run;

        options.policy = denied ? deny : NULL;
        run = start(world, options, NULL, NULL);
        EXPECT(is(wait_status(world->host, run), "success"));
        EXPECT(strstr(ptc_result_output(ptc_run_result(run), NULL),
                      denied ? "denied" : "no luck") != NULL);
        ptc_run_free(run);
    }
}

static void late_reply(struct world *world)
{
    ptc_run_handle *run =
        start_code(world, "from hermes_tools import ask\nask()", "timeout", "1500ms");

    EXPECT(is(wait_status(world->host, run), "timeout")); /* never answered: until the run ends */
    ptc_run_free(run);
    EXPECT(is(ptc_call_tool(world->call), "ask"));
    EXPECT(ptc_call_reply(world->call, "1", 1) == PTC_E_STATE);
}

static int never_decide(ptc_call *call, void *user)
{
    ((struct world *)user)->call = call;
    return PTC_ASK;
}

static void nobody_decides(struct world *world)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_run_handle *run;

    options.code = "from hermes_tools import terminal\nprint(terminal('true')['error'])";
    options.policy = never_decide;
    run = start(world, options, "ask_timeout", "200ms");
    EXPECT(is(wait_status(world->host, run), "success"));
    EXPECT(strstr(ptc_result_output(ptc_run_result(run), NULL), "denied") != NULL);
    EXPECT(ptc_call_decide(world->call, PTC_ALLOW, NULL) == PTC_E_STATE);
    ptc_run_free(run);
}

/* ---- callbacks ---- */

static void try_to_block(ptc_call *call, void *user)
{
    struct world *world = user;
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;

    options.code = "pass";
    world->refused = ptc_host_dispatch(world->host, 0) == PTC_E_STATE;
    world->refused += !ptc_run(world->host, &options, &error) && error.code == PTC_E_STATE;
    world->refused +=
        !ptc_tool_call(world->host, NULL, "ask", NULL, &error) && error.code == PTC_E_STATE;
    world->started = ptc_run_start(world->host, &options, &error);
    ptc_call_reply(call, "1", 1);
}

static void callback_runs_the_loop_and_starts(struct world *world)
{
    ptc_run_handle *run = start_code(world, "from hermes_tools import ask\nask()", NULL, NULL);

    EXPECT(is(wait_status(world->host, run), "success"));
    EXPECT(world->refused == 3);
    EXPECT(world->started && is(wait_status(world->host, world->started), "success"));
    ptc_run_free(world->started);
    ptc_run_free(run);
}

static void cancel_own(void *user, const struct ptc_event *event)
{
    (void)user;
    if (event->type == PTC_EVENT_OUTPUT)
        ptc_run_cancel(event->run, NULL);
}

static void callback_cancels(struct world *world)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_run_handle *run;

    options.code = SLEEPER;
    options.event = cancel_own;
    run = start(world, options, NULL, NULL);
    EXPECT(is(wait_status(world->host, run), "interrupted"));
    ptc_run_free(run);
}

static void free_own(void *user, const struct ptc_event *event)
{
    ((struct world *)user)->events++;
    ptc_run_free(event->run);
}

static void callback_frees_its_run(struct world *world)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;

    options.code = SLEEPER;
    options.event = free_own;
    start(world, options, NULL, NULL);
    while (!world->events)
        ptc_host_dispatch(world->host, 0);
    for (int i = 0; i < 50; i++) {
        pause_ms(1);
        ptc_host_dispatch(world->host, 0);
    }
    EXPECT(world->events == 1);
}

/* ---- processes ---- */

static int first_child(void)
{
    char path[64];
    int pid = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "re");
    EXPECT(file && fscanf(file, "%d", &pid) == 1);
    fclose(file);
    return pid;
}

static void count_event(void *user, const struct ptc_event *event)
{
    (void)event;
    ((struct world *)user)->events++;
}

static void interpreter_is_killed(struct world *world)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_run_handle *run;

    options.code = SLEEPER;
    options.event = count_event;
    run = start(world, options, NULL, NULL);
    while (!world->events) { /* it has begun */
        pause_ms(1);
        ptc_host_dispatch(world->host, 0);
    }
    kill(first_child(), SIGKILL);
    EXPECT(is(wait_status(world->host, run), "error"));
    ptc_run_free(run);
}

static int child_of_fork(struct world *world, ptc_run_handle *run)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct world other = {0};

    options.code = "pass";
    if (ptc_host_dispatch(world->host, 0) != PTC_E_STATE)
        return 1;
    if (ptc_run_start(world->host, &options, &error) || error.code != PTC_E_STATE)
        return 2;
    ptc_run_free(run);
    ptc_host_free(world->host);
    other.host = host_new();
    fresh_run_works(&other);
    ptc_host_free(other.host);
    return 0;
}

static void fork_in_the_host(struct world *world)
{
    ptc_run_handle *run =
        start_code(world, "import time\ntime.sleep(0.3)\nprint('whole')", NULL, NULL);
    int status;
    pid_t pid;

    ptc_host_dispatch(world->host, 0);
    pid = fork();
    if (pid == 0)
        _exit(child_of_fork(world, run));
    EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(is(wait_status(world->host, run), "success"));
    EXPECT(is(ptc_result_output(ptc_run_result(run), NULL), "whole\n"));
    ptc_run_free(run);
}

static void descriptors_are_close_on_exec(struct world *world)
{
    ptc_run_handle *run = start_code(world, SLEEPER, NULL, NULL);

    for (int fd = 3; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);

        EXPECT(flags < 0 || flags & FD_CLOEXEC);
    }
    ptc_run_free(run); /* while it runs */
}

/* ---- the end of hosts ---- */

static void host_freed_with_active_runs(struct world *world)
{
    struct world doomed = {.host = host_new()};
    ptc_run_handle *sleeper, *asker;

    (void)world;
    add_tool(doomed.host, keep, &doomed);
    sleeper = start_code(&doomed, SLEEPER, NULL, NULL);
    asker = start_code(&doomed, "from hermes_tools import ask\nask()", NULL, NULL);
    while (!doomed.call) {
        pause_ms(1);
        ptc_host_dispatch(doomed.host, 0);
    }
    ptc_host_free(doomed.host);
    EXPECT(is(ptc_result_status(ptc_run_result(sleeper)), "interrupted"));
    ptc_run_free(sleeper);
    ptc_run_free(asker);
    EXPECT(is(ptc_call_args_json(doomed.call, NULL), "{}"));
    EXPECT(ptc_call_reply(doomed.call, "1", 1) == PTC_E_STATE);
}

static void two_hosts(struct world *world)
{
    struct world other = {.host = host_new()};
    ptc_run_handle *run = start_code(world, SLEEPER, NULL, NULL);

    add_tool(other.host, keep, &other);
    fresh_run_works(&other);
    ptc_host_cancel_all(other.host);
    ptc_host_free(other.host);
    for (int i = 0; i < 20; i++) {
        pause_ms(1);
        ptc_host_dispatch(world->host, 0);
    }
    EXPECT(ptc_run_result(run) == NULL); /* it runs */
    ptc_run_free(run);
}

static const struct {
    const char *name;
    void (*check)(struct world *world);
    ptc_tool_fn tool;
} rows[] = {
    {"timeout_keeps_output", timeout_keeps_output, keep},
    {"memory_is_an_exception", memory_is_an_exception, keep},
    {"cancelled_says_why", cancelled_says_why, keep},
    {"failures_and_denials_are_exceptions", failures_and_denials_are_exceptions, fail},
    {"late_reply", late_reply, keep},
    {"nobody_decides", nobody_decides, keep},
    {"callback_runs_the_loop_and_starts", callback_runs_the_loop_and_starts, try_to_block},
    {"callback_cancels", callback_cancels, keep},
    {"callback_frees_its_run", callback_frees_its_run, keep},
    {"interpreter_is_killed", interpreter_is_killed, keep},
    {"fork_in_the_host", fork_in_the_host, keep},
    {"descriptors_are_close_on_exec", descriptors_are_close_on_exec, keep},
    {"host_freed_with_active_runs", host_freed_with_active_runs, keep},
    {"two_hosts", two_hosts, keep},
};

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct world world = {.host = host_new()};

        alarm(30); /* a row that hangs is named by the last line */
        fprintf(stderr, "%s\n", rows[i].name);
        add_tool(world.host, rows[i].tool, &world);
        rows[i].check(&world);
        fresh_run_works(&world);
        ptc_host_free(world.host);
        EXPECT(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
    }
    puts("every row holds");
    return 0;
}
