/* SPDX-License-Identifier: MIT
 *
 * What a zygote is told: an environment that holds nothing of ours, keys that tell policies apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/python_env.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_name(const char *name)
{
    size_t length = strlen(name);

    for (const char *const *entry = python_env_environ(); *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return true;
    return false;
}

static void the_environment_is_built_from_nothing(void **state)
{
    static const char *const wanted[] = {"PATH", "HOME",   "LANG", "LC_ALL",
                                         "TERM", "TMPDIR", "USER", "SHELL"};

    (void)state;
    setenv("PTC_CANARY", "x", 1);
    assert_false(has_name("PTC_CANARY"));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_true(has_name(wanted[i]));
}

static void keys_tell_policies_apart(void **state)
{
    struct policy a, b;
    char *key_a, *key_b;

    (void)state;
    policy_init(&a);
    policy_init(&b);
    b.timeout_ms = 5; /* no zygote cares */
    key_a = python_env_key(&a);
    key_b = python_env_key(&b);
    assert_string_equal(key_a, key_b);
    free(key_b);
    policy_list_add(&b.preload, "numpy");
    key_b = python_env_key(&b);
    assert_string_not_equal(key_a, key_b);
    free(key_a);
    policy_list_add(&a.preload, "numpy");
    a.profile = POLICY_STRICT;
    key_a = python_env_key(&a);
    assert_string_not_equal(key_a, key_b);
    free(key_a);
    free(key_b);
    policy_deinit(&a);
    policy_deinit(&b);
}

static bool has_path(const json_t *setup, const char *part)
{
    size_t index;
    json_t *path;

    json_array_foreach(json_object_get(setup, "search_paths"), index,
                       path) if (strstr(json_string_value(path), part)) return true;
    return false;
}

static void strict_has_the_standard_library_only(void **state)
{
    struct policy policy;
    json_t *setup;

    (void)state;
    policy_init(&policy);
    setup = python_env_setup(&policy);
    assert_true(has_path(setup, "dist-packages"));
    assert_int_equal(access(json_string_value(json_object_get(setup, "executable")), X_OK), 0);
    json_decref(setup);
    policy.profile = POLICY_STRICT;
    setup = python_env_setup(&policy);
    assert_false(has_path(setup, "dist-packages"));
    assert_true(has_path(setup, "lib-dynload"));
    json_decref(setup);
    policy_deinit(&policy);
}

static void a_cold_zygote_imports_only_what_was_asked_for(void **state)
{
    struct policy policy;
    json_t *setup;

    (void)state;
    policy_init(&policy);
    policy.cold = true;
    policy_list_add(&policy.preload, "numpy");
    setup = python_env_setup(&policy);
    assert_int_equal(json_array_size(json_object_get(setup, "preload")), 1);
    json_decref(setup);
    policy_deinit(&policy);
}

static void installed_names_are_bounded(void **state)
{
    struct policy policy;
    char *names;

    (void)state;
    policy_init(&policy);
    names = python_env_installed(&policy, 1);
    if (names)
        assert_true(strchr(names, ',') == NULL);
    free(names);
    policy.profile = POLICY_STRICT;
    assert_null(python_env_installed(&policy, 10));
    policy_deinit(&policy);
}

static void installed_names_come_once(void **state)
{
    struct policy policy;
    char *names, *rest, *name, *last = NULL;

    (void)state;
    policy_init(&policy);
    names = rest = python_env_installed(&policy, 10000);
    while (names && (name = strsep(&rest, ","))) {
        assert_true(last == NULL || strcmp(last, name + (*name == ' ')) != 0);
        last = name + (*name == ' ');
    }
    free(names);
    policy_deinit(&policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_is_built_from_nothing),
        cmocka_unit_test(keys_tell_policies_apart),
        cmocka_unit_test(strict_has_the_standard_library_only),
        cmocka_unit_test(a_cold_zygote_imports_only_what_was_asked_for),
        cmocka_unit_test(installed_names_are_bounded),
        cmocka_unit_test(installed_names_come_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
