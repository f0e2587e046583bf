/* SPDX-License-Identifier: MIT
 *
 * No surprise in the host process: what it may be like, what must not change in it, and how long the
 * things live that it holds.
 */
#include "api_harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLEEPER "import time\nprint('begun', flush=True)\ntime.sleep(600)\n"

static void expect_run(ptc_host *host, struct harness *harness, const char *code,
                       const char *output)
{
    json_t *result = harness_run_on(host, harness->settings, code);

    harness_expect(result, "success", output);
    json_decref(result);
}

static ptc_run_handle *start(ptc_host *host, struct harness *harness, const char *code,
                             ptc_event_fn event, void *user)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_run_handle *run;

    options.code = code;
    options.settings = harness->settings;
    options.event = event;
    options.user = user;
    run = ptc_run_start(host, &options, &error);
    if (!run)
        fail_msg("not started: %s", error.message);
    return run;
}

/* Runs fn in a forked process, for what cannot be undone; its asserts fail the test. */
static void in_child(void (*fn)(struct harness *), struct harness *harness)
{
    int status = 0;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        fn(harness);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the forked host ended with status 0x%x (line %d)", status, WEXITSTATUS(status));
}

/* In a forked host: cmocka's asserts would return into a test that is the parent's. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            _exit(__LINE__ % 250 + 1);                                                             \
    } while (0)

static bool child_run_is(ptc_host *host, struct harness *harness, const char *code,
                         const char *output)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_result *result;
    bool same;

    options.code = code;
    options.settings = harness->settings;
    result = ptc_run(host, &options, NULL);
    same = result && strcmp(ptc_result_status(result), "success") == 0 &&
           strcmp(ptc_result_output(result, NULL), output) == 0;
    ptc_result_free(result);
    return same;
}

/* ---- what the host may be like ---- */

struct crowd {
    atomic_bool stop;
    atomic_int ready;
    pthread_t threads[50];
};

static void *hold_a_lock(void *user)
{
    struct crowd *crowd = user;
    int number = atomic_fetch_add(&crowd->ready, 1);
    FILE *held = number == 0 ? stdout : number == 1 ? stderr : NULL;

    if (held)
        flockfile(held);
    while (!atomic_load(&crowd->stop)) {
        void *blocks[64];

        for (int i = 0; i < 64; i++)
            blocks[i] = malloc((size_t)(16 << (i % 12)));
        for (int i = 0; i < 64; i++)
            free(blocks[i]);
        usleep((unsigned)(100 + number * 10));
    }
    if (held)
        funlockfile(held);
    return NULL;
}

static void fifty_threads_hold_locks(void **state)
{
    struct harness *harness = *state;
    struct crowd crowd = {0};
    int good = 0;

    for (int i = 0; i < 50; i++)
        assert_int_equal(pthread_create(&crowd.threads[i], NULL, hold_a_lock, &crowd), 0);
    while (atomic_load(&crowd.ready) < 50)
        usleep(1000);
    for (int i = 0; i < 3; i++) {
        ptc_host *host = harness_host(harness);

        for (int k = 0; k < 4; k++) /* no assert, which would print */
            good += child_run_is(
                host, harness,
                "from hermes_tools import terminal\nprint(terminal('echo 1')['output'])", "1\n");
        ptc_host_free(host);
    }
    atomic_store(&crowd.stop, true);
    for (int i = 0; i < 50; i++)
        pthread_join(crowd.threads[i], NULL);
    assert_int_equal(good, 12);
}

#define MANY_FDS 10000

static void with_ten_thousand_fds(struct harness *harness)
{
    struct rlimit limit = {MANY_FDS + 500, MANY_FDS + 500};
    ptc_host *host;
    int fds[MANY_FDS];

    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        _exit(0);                           /* the parent has said so */
    fds[0] = open("/etc/passwd", O_RDONLY); /* none of them close-on-exec */
    for (int i = 1; i < MANY_FDS; i++)
        REQUIRE((fds[i] = dup(fds[0])) > 0);
    host = harness_host(harness);
    REQUIRE(child_run_is(host, harness,
                         "import os\n"
                         "print([fd for fd in os.listdir('/proc/self/fd') if int(fd) > 3\n"
                         "       and os.path.exists('/proc/self/fd/' + fd)])\n"
                         "from hermes_tools import terminal\n"
                         "print(terminal('ls /proc/self/fd | wc -l')['output'])",
                         "[]\n4\n"));
    ptc_host_free(host);
    for (int i = 0; i < MANY_FDS; i++)
        REQUIRE(fcntl(fds[i], F_GETFD) == 0);
}

static void ten_thousand_fds_are_open(void **state)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < MANY_FDS + 500 && geteuid() != 0) {
        print_message("SKIPPED: no more than %ld files may be open here\n", (long)limit.rlim_max);
        skip();
    }
    in_child(with_ten_thousand_fds, *state);
}

static void as_nobody(struct harness *harness)
{
    ptc_host *host;

    REQUIRE(setgid(65534) == 0 && setuid(65534) == 0);
    prctl(PR_SET_DUMPABLE, 1);
    if (access(PTC_TEST_CHILD, X_OK) < 0)
        _exit(77);
    host = harness_host(harness);
    REQUIRE(child_run_is(host, harness,
                         "import os\nfrom hermes_tools import terminal\n"
                         "open('mine', 'w').write('x')\n"
                         "print(os.stat('mine').st_uid == os.getuid() != 0,\n"
                         "      terminal('cat mine')['output'])",
                         "True x\n"));
    ptc_host_free(host);
}

static void the_host_is_not_root(void **state)
{
    struct harness *harness = *state;
    int status;
    pid_t pid;

    if (geteuid() != 0) {
        print_message("SKIPPED: not root, so that every other test here is this one\n");
        skip();
    }
    assert_int_equal(chown(harness->workspace, 65534, 65534), 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        alarm(60);
        as_nobody(harness);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("SKIPPED: the build tree is closed to other users\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void close_the_channel_while_it_is_answered(ptc_call *call, void *user)
{
    size_t length = 8 << 20;
    char *text = malloc(length);

    (void)user;
    memset(text, 'x', length);
    text[0] = text[length - 1] = '"';
    ptc_call_reply(call, text, length);
    free(text);
}

static void without_sigpipe_handler(struct harness *harness)
{
    ptc_host *host = harness_host(harness);

    signal(SIGPIPE, SIG_DFL);
    harness_add_tool(host, "big", "", close_the_channel_while_it_is_answered, NULL);
    REQUIRE(child_run_is(host, harness,
                         "import os, threading, time\nfrom hermes_tools import big\n"
                         "def call():\n"
                         "    try: big()\n"
                         "    except BaseException: pass\n"
                         "threading.Thread(target=call, daemon=True).start()\n"
                         "time.sleep(0.05)\nos.close(3)\nprint('closed', flush=True)\n"
                         "time.sleep(0.2)\nos._exit(0)",
                         "closed\n"));
    for (int i = 0; i < 5; i++) /* and one that dies in the middle */
        REQUIRE(!child_run_is(host, harness,
                              "import os, threading, time\nfrom hermes_tools import big\n"
                              "threading.Thread(target=big, daemon=True).start()\n"
                              "time.sleep(0.01)\nos.kill(os.getpid(), 9)",
                              ""));
    ptc_host_free(host);
}

static void sigpipe_is_at_its_default(void **state)
{
    in_child(without_sigpipe_handler, *state);
}

static bool stdio_is_free(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return false;
    return true;
}

static void look_at_stdio(ptc_call *call, void *user)
{
    *(bool *)user = stdio_is_free();
    ptc_call_reply(call, "{}", 2);
}

static void without_stdio(struct harness *harness)
{
    bool was_free = false;
    ptc_host *host;

    close(0);
    close(1);
    close(2);
    host = harness_host(harness);
    REQUIRE(stdio_is_free());
    harness_add_tool(host, "look", "", look_at_stdio, &was_free);
    REQUIRE(child_run_is(host, harness,
                         "import sys\nfrom hermes_tools import look, terminal\nlook()\n"
                         "print(terminal('echo 1')['output'], sys.stdin.read(1) == '')",
                         "1 True\n"));
    REQUIRE(was_free && stdio_is_free());
    ptc_host_free(host);
    REQUIRE(stdio_is_free());
}

static void stdin_stdout_and_stderr_are_closed(void **state)
{
    in_child(without_stdio, *state);
}

/* ---- what must not change in it ---- */

struct snapshot {
    char cwd[4096], locale[256], name[32], fds[8192];
    char **environ_at, *environ_copy;
    struct {
        void (*handler)(int);
        int flags;
        uint64_t mask;
    } actions[NSIG];
    uint64_t mask;
    struct itimerval timer;
    struct rlimit limits[RLIMIT_NLIMITS];
    mode_t umask;
    int dumpable, death_signal, subreaper, no_new_privs, tasks, children;
};

static char *environ_text(void)
{
    size_t size;
    char *text;
    FILE *file = open_memstream(&text, &size);

    for (char **entry = environ; *entry; entry++)
        fprintf(file, "%s\n", *entry);
    fclose(file);
    return text;
}

/* "0 -> /dev/null\n..." */
static void fds_text(char *text, size_t size)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;

    text[0] = '\0';
    while ((entry = readdir(dir))) {
        char target[256], line[600];
        ssize_t n;

        if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(dir))
            continue;
        n = readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        snprintf(line, sizeof line, "%s -> %s\n", entry->d_name, target);
        strncat(text, line, size - strlen(text) - 1);
    }
    closedir(dir);
}

static int count_entries(const char *path)
{
    DIR *dir = opendir(path);
    int count = -2; /* "." and ".." */

    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void snapshot_take_action(struct snapshot *snapshot, int number)
{
    struct sigaction action;

    if (sigaction(number, NULL, &action) < 0)
        return;
    snapshot->actions[number].handler = action.sa_handler;
    snapshot->actions[number].flags = action.sa_flags;
    memcpy(&snapshot->actions[number].mask, &action.sa_mask, sizeof(uint64_t));
}

static void snapshot_take(struct snapshot *snapshot)
{
    sigset_t mask;

    memset(snapshot, 0, sizeof *snapshot);
    assert_non_null(getcwd(snapshot->cwd, sizeof snapshot->cwd));
    snprintf(snapshot->locale, sizeof snapshot->locale, "%s", setlocale(LC_ALL, NULL));
    prctl(PR_GET_NAME, snapshot->name);
    fds_text(snapshot->fds, sizeof snapshot->fds);
    snapshot->environ_at = environ;
    snapshot->environ_copy = environ_text();
    for (int number = 1; number < NSIG; number++)
        snapshot_take_action(snapshot, number);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    memcpy(&snapshot->mask, &mask, sizeof snapshot->mask); /* libc leaves the rest as it was */
    getitimer(ITIMER_REAL, &snapshot->timer);
    for (int i = 0; i < RLIMIT_NLIMITS; i++)
        getrlimit(i, &snapshot->limits[i]);
    snapshot->umask = umask(0);
    umask(snapshot->umask);
    snapshot->dumpable = prctl(PR_GET_DUMPABLE);
    prctl(PR_GET_PDEATHSIG, &snapshot->death_signal);
    prctl(PR_GET_CHILD_SUBREAPER, &snapshot->subreaper);
    snapshot->no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    snapshot->tasks = count_entries("/proc/self/task");
    snapshot->children = harness_children();
}

static void snapshots_compare(struct snapshot *before, struct snapshot *after)
{
    assert_string_equal(before->environ_copy, after->environ_copy);
    assert_string_equal(before->fds, after->fds);
    free(before->environ_copy);
    free(after->environ_copy);
    before->environ_copy = after->environ_copy = NULL;
    assert_memory_equal(before, after, sizeof *before);
}

/* Everything that is likely to make a library talk, change or keep something. */
static void do_a_bit_of_everything(struct harness *harness)
{
    static const char *const codes[] = {
        "print('x' * 200000)",
        "import sys; sys.stderr.write('y' * 200000)",
        "1/0",
        "import os; os.kill(os.getpid(), 11)",
        "import os; os.chdir('/'); os.umask(0); os.environ['A'] = 'B'; os._exit(9)",
        "from hermes_tools import terminal\nprint(terminal('echo a; echo b >&2; sleep 60 &'))",
        "def f(:",
        "   ",
    };
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    ptc_host *host = harness_host(harness);

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        json_decref(harness_run_on(host, harness->settings, codes[i]));
    ptc_settings_set(harness->settings, "no_such_option", "1", NULL);
    ptc_settings_load(harness->settings, "/nonexistent", NULL);
    ptc_result_free(ptc_tool_call(host, harness->settings, "read_file", "{}", NULL));
    ptc_run_free(start(host, harness, SLEEPER, NULL, NULL));
    ptc_host_free(host);
    options.child_path = "/bin/false"; /* a helper program that is none */
    host = ptc_host_new(&options, NULL);
    json_decref(harness_run_on(host, harness->settings, "print(1)"));
    ptc_host_free(host);
}

static off_t redirect(int fd, int *ret_saved, int *ret_file)
{
    char path[] = "/tmp/ptc-test-XXXXXX";

    fflush(NULL);
    *ret_saved = fcntl(fd, F_DUPFD_CLOEXEC, 500);
    *ret_file = mkstemp(path);
    unlink(path);
    return dup2(*ret_file, fd);
}

static off_t restore(int fd, int saved, int file)
{
    struct stat st;

    fflush(NULL);
    fstat(file, &st);
    dup2(saved, fd);
    close(saved);
    close(file);
    return st.st_size;
}

static void nothing_changes_and_nothing_is_printed(void **state)
{
    struct harness *harness = *state;
    struct snapshot *before = malloc(sizeof *before), *after = malloc(sizeof *after);
    int out_saved, out_file, err_saved, err_file;
    off_t printed;

    setenv("PTC_TEST_MARK", "here", 1);
    ptc_host_free(harness->host); /* its fds are not what is looked at */
    harness->host = NULL;
    snapshot_take(before);
    free(before->environ_copy);
    snapshot_take(before); /* jansson and libc have what they keep */
    redirect(STDOUT_FILENO, &out_saved, &out_file);
    redirect(STDERR_FILENO, &err_saved, &err_file);
    do_a_bit_of_everything(harness);
    printed = restore(STDOUT_FILENO, out_saved, out_file);
    printed += restore(STDERR_FILENO, err_saved, err_file);
    snapshot_take(after);
    assert_int_equal(printed, 0);
    snapshots_compare(before, after);
    free(before);
    free(after);
    harness->host = harness_host(harness);
}

/* ---- fork ---- */

static void count_output(void *user, const struct ptc_event *event)
{
    if (event->type == PTC_EVENT_OUTPUT)
        *(size_t *)user += event->length;
}

static void touch_everything_in_the_child(struct harness *harness, ptc_run_handle *runs[2])
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;

    options.code = "pass";
    options.settings = harness->settings;
    REQUIRE(ptc_host_dispatch(harness->host, 0) == PTC_E_STATE);
    REQUIRE(!ptc_run_start(harness->host, &options, &error) && error.code == PTC_E_STATE);
    REQUIRE(!ptc_run(harness->host, &options, &error) && error.code == PTC_E_STATE);
    REQUIRE(!ptc_run_result(runs[0]));
    ptc_run_cancel(runs[0], "from the child");
    ptc_host_cancel_all(harness->host);
    ptc_host_timeout_ms(harness->host);
    ptc_free(ptc_host_stats_json(harness->host));
    ptc_run_free(runs[0]);
    ptc_host_free(harness->host);
    ptc_run_free(runs[1]);
}

static void fork_in_the_host_is_harmless(void **state)
{
    struct harness *harness = *state;
    const char *code = "import time\nprint('begun', flush=True)\ntime.sleep(0.7)\n"
                       "from hermes_tools import terminal\nterminal('echo x')\n";
    size_t seen[2] = {0};
    ptc_run_handle *runs[2];
    int status;
    pid_t pid;

    for (int i = 0; i < 2; i++)
        runs[i] = start(harness->host, harness, code, count_output, &seen[i]);
    while (!seen[0] || !seen[1]) {
        usleep(1000);
        ptc_host_dispatch(harness->host, 0);
    }
    pid = fork();
    if (pid == 0) {
        alarm(30);
        touch_everything_in_the_child(harness, runs);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    for (int i = 0; i < 2; i++) {
        const ptc_result *result = harness_wait(harness->host, runs[i]);

        if (strcmp(ptc_result_status(result), "success") != 0)
            fail_msg("%s", ptc_result_json(result, NULL));
        ptc_run_free(runs[i]);
    }
    expect_run(harness->host, harness, "print(1)", "1\n");
}

/* ---- lifetimes ---- */

static void keep_call(ptc_call *call, void *user)
{
    *(ptc_call **)user = call;
}

static ptc_run_handle *start_waiting(struct harness *harness, ptc_call **ret_call)
{
    ptc_run_handle *run =
        start(harness->host, harness, "from hermes_tools import slow\nslow()", NULL, NULL);

    while (!*ret_call) {
        usleep(1000);
        ptc_host_dispatch(harness->host, 0);
    }
    return run;
}

static void replies_that_come_too_late(void **state)
{
    struct harness *harness = *state;
    ptc_call *call = NULL, *second = NULL;
    ptc_run_handle *run;

    harness_add_tool(harness->host, "slow", "", keep_call, &call);
    run = start_waiting(harness, &call);
    ptc_run_free(run); /* the run is over */
    assert_string_equal(ptc_call_tool(call), "slow");
    assert_string_equal(ptc_call_args_json(call, NULL), "{}");
    assert_int_equal(ptc_call_reply(call, "1", 1), PTC_E_STATE);

    call = NULL;
    run = start_waiting(harness, &call);
    second = call;
    ptc_host_free(harness->host); /* the host is gone, too */
    assert_string_equal(ptc_result_status(ptc_run_result(run)), "interrupted");
    ptc_run_cancel(run, "too late");
    ptc_run_free(run);
    assert_string_equal(ptc_call_tool(second), "slow");
    assert_int_equal(ptc_call_number(second), 1);
    assert_int_equal(ptc_call_reply(second, "1", 1), PTC_E_STATE);
    harness->host = harness_host(harness);
}

static int descendants(pid_t pid, pid_t *ret_pids, int capacity)
{
    char path[64];
    int count = 0, child;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    file = fopen(path, "r");
    while (file && fscanf(file, "%d", &child) == 1 && count < capacity) {
        ret_pids[count++] = child;
        count += descendants(child, ret_pids + count, capacity - count);
    }
    if (file)
        fclose(file);
    return count;
}

static void a_host_is_freed_with_ten_runs(void **state)
{
    struct harness *harness = *state;
    ptc_run_handle *runs[10];
    size_t seen[10] = {0};
    pid_t pids[256];
    int count, begun = 0;

    for (int i = 0; i < 10; i++)
        runs[i] = start(harness->host, harness,
                        "from hermes_tools import terminal\nterminal('sleep 600 &')\n" SLEEPER,
                        count_output, &seen[i]);
    while (begun < 10) {
        usleep(1000);
        ptc_host_dispatch(harness->host, 0);
        begun = 0;
        for (int i = 0; i < 10; i++)
            begun += seen[i] > 0;
    }
    count = descendants(getpid(), pids, 256);
    assert_true(count >=
                31); /* the zygote; each run's init, script and tools, if not the sleeper */
    ptc_host_free(harness->host);
    for (int i = 0; i < count; i++)
        assert_true(harness_wait_gone(pids[i], 2000));
    for (int i = 0; i < 10; i++) {
        assert_string_equal(ptc_result_status(ptc_run_result(runs[i])), "interrupted");
        assert_non_null(strstr(ptc_result_output(ptc_run_result(runs[i]), NULL), "begun"));
        ptc_run_free(runs[i]);
    }
    harness->host = harness_host(harness);
}

static void two_hosts_in_one_loop(void **state)
{
    struct harness *harness = *state;
    ptc_host *hosts[2] = {harness->host, harness_host(harness)};
    ptc_run_handle *runs[10];
    int left = 10;

    for (int i = 0; i < 10; i++)
        runs[i] = start(hosts[i % 2], harness,
                        "from hermes_tools import terminal\n"
                        "for i in range(5): print(terminal('echo %d' % i)['output'])",
                        NULL, NULL);
    while (left) {
        struct pollfd fds[2] = {{ptc_host_fd(hosts[0]), POLLIN, 0},
                                {ptc_host_fd(hosts[1]), POLLIN, 0}};

        poll(fds, 2, 100);
        for (int i = 0; i < 2; i++)
            assert_true(ptc_host_dispatch(hosts[i], 500) >= 0);
        left = 0;
        for (int i = 0; i < 10; i++)
            left += !ptc_run_result(runs[i]);
    }
    for (int i = 0; i < 10; i++) {
        assert_string_equal(ptc_result_output(ptc_run_result(runs[i]), NULL), "0\n1\n2\n3\n4\n");
        ptc_run_free(runs[i]);
    }
    ptc_host_free(hosts[1]);
}

/* ---- callbacks that free their own run ---- */

struct suicide {
    ptc_run_handle *run;
    int event; /* at this event; 0: policy; -1: tool; -2: output function */
    bool done;
};

static void suicide_commit(struct suicide *suicide)
{
    if (suicide->done)
        return;
    suicide->done = true;
    ptc_run_free(suicide->run);
}

static void suicide_event(void *user, const struct ptc_event *event)
{
    struct suicide *suicide = user;

    assert_false(suicide->done); /* nothing is told of a run that was freed */
    assert_ptr_equal(event->run, suicide->run);
    if (event->type == suicide->event)
        suicide_commit(suicide);
}

static void suicide_output(void *user, int stream, const char *data, size_t length)
{
    struct suicide *suicide = user;

    (void)stream;
    (void)data;
    (void)length;
    if (suicide->event == -2)
        suicide_commit(suicide);
}

static int suicide_policy(ptc_call *call, void *user)
{
    struct suicide *suicide = user;

    if (strcmp(ptc_call_tool(call), "own") == 0 && suicide->event == 0)
        suicide_commit(suicide);
    return PTC_ALLOW;
}

static void suicide_tool(ptc_call *call, void *user)
{
    struct suicide *suicide = ptc_call_run_user(call);

    (void)user;
    if (suicide->event == -1)
        suicide_commit(suicide);
    ptc_call_reply(call, "{}", 2);
}

static void callbacks_that_free_their_run(void **state)
{
    struct harness *harness = *state;

    harness_set(harness, "heartbeat", "0.02");
    harness_add_tool(harness->host, "own", "", suicide_tool, NULL);
    for (int event = -2; event <= PTC_EVENT_ENDED; event++) {
        struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
        struct suicide suicide = {.event = event};

        options.code = "import time\nfrom hermes_tools import own\nprint('x', flush=True)\nown()\n"
                       "time.sleep(0.05)";
        options.settings = harness->settings;
        options.event = suicide_event;
        options.output = suicide_output;
        options.policy = suicide_policy;
        options.user = &suicide;
        suicide.run = ptc_run_start(harness->host, &options, NULL);
        assert_non_null(suicide.run);
        for (int i = 0; i < 5000 && !suicide.done; i++) {
            usleep(1000);
            ptc_host_dispatch(harness->host, 0);
        }
        if (!suicide.done)
            fail_msg("event %d did not come", event);
    }
    expect_run(harness->host, harness, "print(1)", "1\n");
}

static void note_end(void *user, const struct ptc_event *event)
{
    if (event->type == PTC_EVENT_ENDED) {
        assert_non_null(ptc_run_result(event->run));
        ++*(int *)user;
    }
}

static void runs_that_never_began_end_in_the_loop(void **state)
{
    struct harness *harness = *state;
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    int ended = 0;
    ptc_run_handle *run = start(harness->host, harness, "  \n", note_end, &ended);
    ptc_host *host;

    assert_int_equal(ended, 0); /* not before its owner has a handle */
    ptc_host_dispatch(harness->host, 0);
    assert_int_equal(ended, 1);
    ptc_run_free(run);
    options.child_path = "/bin/sh"; /* reads nothing, ends */
    host = ptc_host_new(&options, NULL);
    run = start(host, harness, "print(1)", note_end, &ended);
    assert_int_equal(ended, 1);
    harness_wait(host, run);
    while (ended < 2)
        ptc_host_dispatch(host, 0);
    assert_string_equal(ptc_result_status(ptc_run_result(run)), "sandbox_unavailable");
    ptc_run_free(run);
    ptc_host_free(host);
}

/* ---- a signal handler of the host's ---- */

static ptc_host *host_of_handler;

static void on_alarm(int number)
{
    (void)number;
    ptc_host_cancel_all(host_of_handler);
}

static void a_signal_handler_cancels(void **state)
{
    struct harness *harness = *state;
    struct sigaction action = {.sa_handler = on_alarm}, before;
    struct itimerval soon = {.it_value = {.tv_usec = 300000}}, never = {0};
    json_t *result;

    host_of_handler = harness->host;
    sigaction(SIGALRM, &action, &before); /* no SA_RESTART: EINTR is no end of the loop either */
    setitimer(ITIMER_REAL, &soon, NULL);
    result = harness_run(harness, SLEEPER);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_string_equal(harness_text(result, "status"), "interrupted");
    json_decref(result);
    expect_run(harness->host, harness, "print(1)", "1\n");
}

/* ---- two calls at once, answered from inside their handlers ---- */

static void answer_at_once(ptc_call *call, void *user)
{
    (void)user;
    ptc_call_reply(call, "{\"a\": 1}", 8);
}

static void an_answer_starts_the_next_call(void **state)
{
    struct harness *harness = *state;

    harness_add_tool(harness->host, "own", "", answer_at_once, NULL);
    harness_set(harness, "max_tool_calls", "0");
    for (int i = 0; i < 20; i++)
        expect_run(harness->host, harness,
                   "from concurrent.futures import ThreadPoolExecutor\n"
                   "from hermes_tools import own\n"
                   "with ThreadPoolExecutor(4) as pool:\n"
                   "    print(sum(r['a'] for r in pool.map(lambda i: own(), range(40))))",
                   "40\n");
}

/* ---- structs of other versions ---- */

struct newer_run_options {
    struct ptc_run_options known;
    void *later[4];
};
struct newer_host_options {
    struct ptc_host_options known;
    long later[4];
};

static void structs_of_newer_and_broken_callers(void **state)
{
    struct harness *harness = *state;
    struct newer_run_options run = {.known = PTC_RUN_OPTIONS_INIT};
    struct newer_host_options host = {.known = PTC_HOST_OPTIONS_INIT};
    struct ptc_error error = PTC_ERROR_INIT, old_error = {.struct_size = 8, .code = 7};
    ptc_host *other;

    run.known.struct_size = sizeof run;
    run.known.code = "print(1)";
    run.known.settings = harness->settings;
    ptc_result_free(ptc_run(harness->host, &run.known, &error));
    assert_int_equal(error.code, 0); /* what it does not know is zero */
    run.later[3] = &run;
    assert_null(ptc_run(harness->host, &run.known, &error));
    assert_int_equal(error.code, PTC_E_INVALID);
    assert_non_null(strstr(error.message, "ptc_run_options"));

    host.known.struct_size = sizeof host;
    other = ptc_host_new(&host.known, &error);
    assert_non_null(other);
    ptc_host_free(other);
    host.later[0] = 1;
    assert_null(ptc_host_new(&host.known, &error));
    assert_non_null(strstr(error.message, "ptc_host_options"));

    run.known.struct_size = 0; /* never initialised */
    assert_null(ptc_run(harness->host, &run.known, &error));
    assert_non_null(strstr(error.message, "struct_size"));
    assert_null(ptc_run(harness->host, &run.known, &old_error));
    assert_int_equal(old_error.code, 7); /* too short to be written to */
    assert_null(ptc_run(harness->host, NULL, &error));
}

static void the_helper_is_found_in_the_build_tree(void **state)
{
    struct harness *harness = *state;
    ptc_host *host = ptc_host_new(NULL, NULL);

    expect_run(host, harness, "print(1)", "1\n");
    ptc_host_free(host);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fifty_threads_hold_locks),
        TEST(ten_thousand_fds_are_open),
        TEST(the_host_is_not_root),
        TEST(sigpipe_is_at_its_default),
        TEST(stdin_stdout_and_stderr_are_closed),
        TEST(nothing_changes_and_nothing_is_printed),
        TEST(fork_in_the_host_is_harmless),
        TEST(replies_that_come_too_late),
        TEST(a_host_is_freed_with_ten_runs),
        TEST(two_hosts_in_one_loop),
        TEST(callbacks_that_free_their_run),
        TEST(runs_that_never_began_end_in_the_loop),
        TEST(a_signal_handler_cancels),
        TEST(an_answer_starts_the_next_call),
        TEST(structs_of_newer_and_broken_callers),
        TEST(the_helper_is_found_in_the_build_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
