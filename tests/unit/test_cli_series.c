/* SPDX-License-Identifier: MIT
 *
 * Medians of rounds and percentiles of all samples.
 */
#include "cli/bench.h"

#include "unit.h"

static void medians_of_rounds(void **state)
{
    static const double rounds[3][3] = {{3, 1, 2}, {900, 800, 1000}, {4, 5, 6}};
    struct series series = {0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(series_add(&series, rounds[i][j]), 0);
        assert_int_equal(series_end_round(&series), 0);
    }
    assert_true(series_p50(&series) == 5); /* one busy round does not move it far */
    assert_true(series_p99(&series) == 1000);
    assert_int_equal(series.count, 9);
    assert_int_equal(series.round_count, 3);
    series_deinit(&series);
}

static void nearest_ranks(void **state)
{
    struct series series = {0};

    (void)state;
    for (int i = 1000; i > 0; i--)
        series_add(&series, i);
    series_end_round(&series);
    assert_true(series_p50(&series) == 500);
    assert_true(series_p99(&series) == 990);
    series_deinit(&series);
}

static void nothing_measured(void **state)
{
    struct series series = {0};

    (void)state;
    assert_true(series_p50(&series) == 0);
    assert_true(series_p99(&series) == 0);
    assert_int_equal(series_end_round(&series), 0);
    assert_true(series_p50(&series) == 0);
    series_deinit(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_of_rounds),
        cmocka_unit_test(nearest_ranks),
        cmocka_unit_test(nothing_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
