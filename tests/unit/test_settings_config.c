/* SPDX-License-Identifier: MIT
 *
 * The config file: what is wrong with it is said with its name and the place.
 */
#include "api/settings.h"

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    struct ptc_settings *settings;
    char directory[64];
    char path[128];
};

static int start(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    strcpy(fixture->directory, "/tmp/ptc-test-config-XXXXXX");
    if (!mkdtemp(fixture->directory))
        return -1;
    snprintf(fixture->path, sizeof fixture->path, "%s/config.json", fixture->directory);
    fixture->settings = ptc_settings_new(NULL);
    *state = fixture;
    return 0;
}

static int end(void **state)
{
    struct fixture *fixture = *state;

    ptc_settings_free(fixture->settings);
    unlink(fixture->path);
    rmdir(fixture->directory);
    free(fixture);
    return 0;
}

static int load(struct fixture *fixture, const char *text, struct ptc_error *error)
{
    FILE *file = fopen(fixture->path, "w");

    fputs(text, file);
    fclose(file);
    return ptc_settings_load(fixture->settings, fixture->path, error);
}

static void refused(struct fixture *fixture, const char *text, const char *words)
{
    struct ptc_error error = PTC_ERROR_INIT;

    assert_int_equal(load(fixture, text, &error), PTC_E_INVALID);
    assert_memory_equal(error.message, fixture->path, strlen(fixture->path));
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
    assert_int_equal(fixture->settings->policy.timeout_ms, 300000);
}

static void a_good_file(void **state)
{
    struct fixture *fixture = *state;
    struct ptc_error error = PTC_ERROR_INIT;

    assert_int_equal(load(fixture, "{\"run\": {\"timeout\": 60}}", &error), PTC_OK);
    assert_int_equal(fixture->settings->policy.timeout_ms, 60000);
    assert_int_equal(load(fixture, "{}", &error), PTC_OK);
}

static void mistakes_have_a_place(void **state)
{
    struct fixture *fixture = *state;

    refused(fixture, "{\"run\":\n {\"timeout\": 1,}}", "line 2, column");
    refused(fixture, "", "empty");
    refused(fixture, "[]", "object");
    refused(fixture, "{\"run\": 5}", "run: ");
    refused(fixture, "{\"run\": {\"timeout\": 5, \"memry\": 1}}", "did you mean 'memory'");
    refused(fixture, "{\"runs\": {}}", "did you mean 'run'");
    refused(fixture, "{\"timeout\": 5}", "'timeout' belongs in the \"run\" object");
    refused(fixture, "{\"run\": {\"timeout\": \"\xff\"}}", "");
}

static void there_must_be_a_file(void **state)
{
    struct fixture *fixture = *state;
    struct ptc_error error = PTC_ERROR_INIT;

    assert_int_equal(ptc_settings_load(fixture->settings, fixture->path, &error), PTC_E_NOT_FOUND);
    assert_non_null(strstr(error.message, fixture->path));
    assert_int_equal(ptc_settings_load(fixture->settings, fixture->directory, &error),
                     PTC_E_INVALID);
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_int_equal(mkfifo(fixture->path, 0600), 0); /* must not hang */
    assert_int_equal(ptc_settings_load(fixture->settings, fixture->path, &error), PTC_E_INVALID);
}

static void unreadable_is_said(void **state)
{
    struct fixture *fixture = *state;
    struct ptc_error error = PTC_ERROR_INIT;

    if (geteuid() == 0) {
        print_message("skipped: root reads every file\n");
        skip();
    }
    assert_int_equal(load(fixture, "{}", &error), PTC_OK);
    chmod(fixture->path, 0);
    assert_int_equal(ptc_settings_load(fixture->settings, fixture->path, &error), PTC_E_SYSTEM);
    assert_int_equal(error.system_errno, EACCES);
    assert_non_null(strstr(error.message, "Permission denied"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_good_file, start, end),
        cmocka_unit_test_setup_teardown(mistakes_have_a_place, start, end),
        cmocka_unit_test_setup_teardown(there_must_be_a_file, start, end),
        cmocka_unit_test_setup_teardown(unreadable_is_said, start, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
