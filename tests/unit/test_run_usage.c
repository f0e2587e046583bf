/* SPDX-License-Identifier: MIT
 *
 * What a script says of itself when it ends can raise what the host has seen, and do nothing else.
 */
#include "unit.h"

#include "run/run.h"
#include "run/usage.h"

static struct run_usage claimed(const char *json)
{
    struct run_usage usage = {.user_us = 10, .system_us = 10, .max_rss_kib = 10};
    json_t *claim = json_loads(json, JSON_DECODE_ANY, NULL);

    usage_claim(claim, &usage);
    json_decref(claim);
    return usage;
}

static void the_larger_counts(void **state)
{
    struct run_usage usage = claimed("[20, 5, 30]");

    (void)state;
    assert_int_equal(usage.user_us, 20);
    assert_int_equal(usage.system_us, 10);
    assert_int_equal(usage.max_rss_kib, 30);
}

static void nonsense_is_passed_over(void **state)
{
    static const char *const texts[] = {"[20]",           "[20, 20, 20, 20]",
                                        "{\"user\": 20}", "null",
                                        "[20, 20, -1]",   "[20, 20, 9223372036854775807]"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct run_usage usage = claimed(texts[i]);

        assert_int_equal(usage.user_us, 10);
        assert_int_equal(usage.max_rss_kib, 10);
    }
    usage_claim(NULL, &(struct run_usage){0}); /* a DONE without it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_larger_counts),
        cmocka_unit_test(nonsense_is_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
