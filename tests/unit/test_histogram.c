/* The histogram of the times of single calls. */
#include "config.h"

#include "check.h"

#include "base/histogram.h"
#include "base/rng.h"
#include "base/tally.h"

#include <stdlib.h>

#define RANGE (UINT64_C(1) << 42)

static int new_histogram(void **state)
{
    *state = calloc(1, sizeof(struct histogram));
    return *state != NULL ? 0 : -1;
}

static int free_histogram(void **state)
{
    free(*state);
    return 0;
}

#define HISTOGRAM_TEST(name) cmocka_unit_test_setup_teardown(name, new_histogram, free_histogram)

static void record_up_to(struct histogram *h, uint64_t last)
{
    for (uint64_t value = 1; value <= last; value++)
        histogram_record(h, value);
}

static void every_value_lies_within_its_bucket(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 1);
    for (int i = 0; i < 100000; i++) {
        uint64_t value = rng_next(&rng) >> (22 + rng_below(&rng, 42));
        size_t index = histogram_index(value);
        CHECK_COUNT("index", index, <, HISTOGRAM_BUCKETS);
        CHECK_COUNT("lower end", histogram_lowest(index), <=, value);
        CHECK_COUNT("upper end", histogram_highest(index), >=, value);
    }
}

static void buckets_leave_no_gap_and_are_narrower_than_a_thousandth(void **state)
{
    (void)state;
    CHECK_COUNT("first", histogram_lowest(0), ==, 0);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t low = histogram_lowest(i), high = histogram_highest(i);
        CHECK_COUNT("index of the lower end", histogram_index(low), ==, i);
        CHECK_COUNT("index of the upper end", histogram_index(high), ==, i);
        CHECK_COUNT("width", (high - low) * 1000, <=, low);
        if (i + 1 < HISTOGRAM_BUCKETS)
            CHECK_COUNT("next", histogram_lowest(i + 1), ==, high + 1);
    }
    CHECK_COUNT("last", histogram_highest(HISTOGRAM_BUCKETS - 1), ==, RANGE - 1);
}

static void an_empty_histogram_tells_nothing(void **state)
{
    struct histogram *h = *state;
    CHECK_COUNT("median", histogram_quantile(h, 0.5), ==, UNKNOWN);
    CHECK_COUNT("maximum", histogram_quantile(h, 1), ==, UNKNOWN);
}

static void quantiles_are_exact_among_small_values(void **state)
{
    struct histogram *h = *state;
    record_up_to(h, 1000);
    CHECK_COUNT("count", h->count, ==, 1000);
    CHECK_COUNT("lowest", histogram_quantile(h, 0), ==, 1);
    CHECK_COUNT("median", histogram_quantile(h, 0.5), ==, 500);
    CHECK_COUNT("p75", histogram_quantile(h, 0.75), ==, 750);
    CHECK_COUNT("maximum", histogram_quantile(h, 1), ==, 1000);
}

static void a_quantile_needs_five_values_beyond_it(void **state)
{
    struct histogram *h = *state;
    record_up_to(h, 19);
    CHECK_COUNT("p75 of 19", histogram_quantile(h, 0.75), ==, UNKNOWN);
    histogram_record(h, 20);
    CHECK_COUNT("p75 of 20", histogram_quantile(h, 0.75), ==, 15);
    CHECK_COUNT("maximum of 20", histogram_quantile(h, 1), ==, 20);
}

static void a_large_value_keeps_three_digits_and_is_never_above_the_maximum(void **state)
{
    struct histogram *h = *state;
    for (int i = 0; i < 100; i++)
        histogram_record(h, 123456789);
    CHECK_COUNT("median", histogram_quantile(h, 0.5), ==, 123456789);
    for (int i = 0; i < 100; i++)
        histogram_record(h, 987654321);
    uint64_t low = histogram_quantile(h, 0.25);
    CHECK_COUNT("lower quartile", low, >=, 123456789);
    CHECK_COUNT("lower quartile", low, <, 123456789 + 123456);
    CHECK_COUNT("upper quartile", histogram_quantile(h, 0.75), ==, 987654321);
}

static void values_beyond_the_range_count_as_the_largest(void **state)
{
    struct histogram *h = *state;
    histogram_record(h, RANGE - 1);
    CHECK_COUNT("overflow", h->overflow, ==, 0);
    histogram_record(h, RANGE);
    histogram_record(h, UINT64_MAX - 1);
    CHECK_COUNT("overflow", h->overflow, ==, 2);
    CHECK_COUNT("count", h->count, ==, 3);
    CHECK_COUNT("largest bucket", h->bucket[HISTOGRAM_BUCKETS - 1], ==, 3);
    CHECK_COUNT("maximum", histogram_quantile(h, 1), ==, UINT64_MAX - 1);
}

static void merging_is_the_same_as_recording_into_one(void **state)
{
    struct histogram *both = *state;
    struct histogram *parts = calloc(2, sizeof *parts);
    assert_non_null(parts);
    struct rng rng;
    rng_init(&rng, 2);
    for (int i = 0; i < 5000; i++) {
        uint64_t value = rng_next(&rng) >> (10 + rng_below(&rng, 50));
        histogram_record(both, value);
        histogram_record(&parts[i % 2], value);
    }
    histogram_merge(&parts[0], &parts[1]);
    int differs = memcmp(&parts[0], both, sizeof *both);
    free(parts);
    CHECK_INT("difference", differs, 0);
}

static void moments_of_small_values_are_those_of_the_textbook(void **state)
{
    struct histogram *h = *state;
    struct moments m;
    static const uint64_t values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    for (size_t i = 0; i < ROWS_OF(values); i++)
        histogram_record(h, values[i]);
    histogram_moments(h, &m);
    CHECK_NEAR("mean", m.mean, 5, 1e-12);
    CHECK_NEAR("standard deviation", m.stddev, 2, 1e-12);
    CHECK_NEAR("share within it", m.within_ratio, 6.0 / 8, 1e-12); /* without 2 and 9 */
}

static void moments_take_the_middle_of_wide_buckets(void **state)
{
    struct histogram *h = *state;
    struct moments m;
    histogram_record(h, 1000000); /* a bucket of 512 that begins at 999936 */
    histogram_record(h, 1000001);
    histogram_moments(h, &m);
    CHECK_NEAR("mean", m.mean, 999936 + 256, 1e-9);
    CHECK_NEAR("standard deviation", m.stddev, 0, 1e-9);
    CHECK_NEAR("share within it", m.within_ratio, 1, 1e-12);
}

static void nothing_has_no_moments(void **state)
{
    struct moments m;
    histogram_moments(*state, &m);
    CHECK_NAN("mean", m.mean);
    CHECK_NAN("standard deviation", m.stddev);
    CHECK_NAN("share within it", m.within_ratio);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        HISTOGRAM_TEST(every_value_lies_within_its_bucket),
        HISTOGRAM_TEST(buckets_leave_no_gap_and_are_narrower_than_a_thousandth),
        HISTOGRAM_TEST(an_empty_histogram_tells_nothing),
        HISTOGRAM_TEST(quantiles_are_exact_among_small_values),
        HISTOGRAM_TEST(a_quantile_needs_five_values_beyond_it),
        HISTOGRAM_TEST(a_large_value_keeps_three_digits_and_is_never_above_the_maximum),
        HISTOGRAM_TEST(values_beyond_the_range_count_as_the_largest),
        HISTOGRAM_TEST(moments_of_small_values_are_those_of_the_textbook),
        HISTOGRAM_TEST(moments_take_the_middle_of_wide_buckets),
        HISTOGRAM_TEST(nothing_has_no_moments),
        HISTOGRAM_TEST(merging_is_the_same_as_recording_into_one),
    };
    return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
