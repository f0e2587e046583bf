/* SPDX-License-Identifier: MIT
 *
 * See api_harness.h.
 */
#include "api_harness.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ptc_host *harness_host(const struct harness *harness)
{
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_host *host;

    options.child_path = PTC_TEST_CHILD;
    options.settings = harness->settings;
    host = ptc_host_new(&options, &error);
    if (!host)
        fail_msg("no host: %s", error.message);
    return host;
}

void harness_set(struct harness *harness, const char *option, const char *value)
{
    struct ptc_error error = PTC_ERROR_INIT;

    if (ptc_settings_set(harness->settings, option, value, &error) < 0)
        fail_msg("%s", error.message);
}

int harness_setup(void **state)
{
    struct harness *harness = calloc(1, sizeof *harness);

    strcpy(harness->workspace, "/tmp/ptc-test-XXXXXX");
    assert_non_null(mkdtemp(harness->workspace));
    harness->settings = ptc_settings_new(NULL);
    harness_set(harness, "workspace", harness->workspace);
    harness_set(harness, "timeout", "60");
    harness->host = harness_host(harness);
    *state = harness;
    return 0;
}

int harness_teardown(void **state)
{
    struct harness *harness = *state;
    char command[128];

    ptc_host_free(harness->host);
    ptc_settings_free(harness->settings);
    snprintf(command, sizeof command, "rm -rf %s", harness->workspace);
    assert_int_equal(system(command), 0);
    free(harness);
    return 0;
}

json_t *harness_run_on(ptc_host *host, const ptc_settings *settings, const char *code)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_result *result;
    json_t *json;

    options.code = code;
    options.settings = settings;
    result = ptc_run(host, &options, &error);
    if (!result)
        fail_msg("no result: %s", error.message);
    json = json_loads(ptc_result_json(result, NULL), JSON_ALLOW_NUL, NULL);
    assert_non_null(json);
    ptc_result_free(result);
    return json;
}

json_t *harness_run(struct harness *harness, const char *code)
{
    return harness_run_on(harness->host, harness->settings, code);
}

const char *harness_text(const json_t *result, const char *key)
{
    const char *text = json_string_value(json_object_get(result, key));

    return text ? text : "";
}

void harness_expect(const json_t *result, const char *status, const char *output)
{
    if (strcmp(harness_text(result, "status"), status) == 0 &&
        strcmp(harness_text(result, "output"), output) == 0)
        return;
    fail_msg("expected %s with output %s, got %s", status, output,
             json_dumps(result, JSON_INDENT(1)));
}

const ptc_result *harness_wait(ptc_host *host, ptc_run_handle *run)
{
    struct pollfd fd = {.fd = ptc_host_fd(host), .events = POLLIN};

    while (!ptc_run_result(run)) {
        poll(&fd, 1, ptc_host_timeout_ms(host));
        assert_true(ptc_host_dispatch(host, 0) >= 0);
    }
    return ptc_run_result(run);
}

int harness_add_tool(ptc_host *host, const char *name, const char *flags, ptc_tool_fn fn,
                     void *user)
{
    char spec[512];

    snprintf(spec, sizeof spec,
             "{\"name\": \"%s\", \"description\": \"A tool of the tests.\", \"flags\": [%s], "
             "\"parameters\": {\"type\": \"object\", \"properties\": {\"x\": {}}}}",
             name, flags);
    return ptc_host_add_tool(host, spec, fn, user, NULL, NULL);
}

int harness_open_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 3; /* ".", ".." and dir's own */
}

int harness_children(void)
{
    char path[64];
    FILE *file;
    int count = 0;
    long pid;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "r");
    assert_non_null(file);
    while (fscanf(file, "%ld", &pid) == 1)
        count++;
    fclose(file);
    return count;
}

static bool is_gone(int pid)
{
    char path[64], state = 'X';
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (!file)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(file);
    return state == 'Z' || state == 'X';
}

bool harness_wait_gone(int pid, int ms)
{
    for (; ms > 0 && !is_gone(pid); ms -= 10)
        usleep(10000);
    return is_gone(pid);
}
