/* SPDX-License-Identifier: MIT
 *
 * The clock agrees with the kernel's monotonic one and never goes back.
 */
#include "base/clock.h"
#include "unit.h"

#include <time.h>

static uint64_t kernel_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void test_between_two_looks_at_the_kernel(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t before = kernel_ns(), now = clock_now_ns(), after = kernel_ns();
        assert_true(before <= now && now <= after);
    }
}

static void test_units(void **state)
{
    (void)state;
    assert_int_equal(NS_PER_S, 1000 * NS_PER_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_two_looks_at_the_kernel),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
