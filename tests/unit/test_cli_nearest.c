/* SPDX-License-Identifier: MIT
 *
 * "Did you mean": close names are found, far ones are not proposed.
 */
#include "cli/nearest.h"

#include "unit.h"

#include <string.h>

static const char *nearest_of(const char *wanted)
{
    static const char *const names[] = {"timeout", "tools", "max_tool_calls", "json", "net"};
    struct nearest nearest;

    nearest_init(&nearest, wanted);
    for (size_t i = 0; i < COUNT(names); i++)
        nearest_offer(&nearest, names[i]);
    return nearest.best;
}

static void close_names(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("timout"), "timeout");
    assert_string_equal(nearest_of("tiemout"), "timeout");
    assert_string_equal(nearest_of("TIME-OUT"), "timeout");
    assert_string_equal(nearest_of("max-tools-calls"), "max_tool_calls");
    assert_string_equal(nearest_of("jso"), "json");
    assert_string_equal(nearest_of("ent"), "net");
}

static void far_names(void **state)
{
    char long_name[300];

    (void)state;
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(nearest_of("workspace"));
    assert_null(nearest_of("zzz"));
    assert_null(nearest_of(""));
    assert_null(nearest_of(long_name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_names),
        cmocka_unit_test(far_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
