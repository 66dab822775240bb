/* Ranks, summaries, ratios and verdicts, against answers worked out by hand. */
#include "config.h"

#include "check.h"

#include "base/rng.h"
#include "stats/rank.h"
#include "stats/ratio.h"
#include "stats/summary.h"

#include <stdio.h>

static void ranks_of_the_median_are_the_known_ones(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double confidence;
        size_t low, high;
    } rows[] = {
        {6, 0.95, 1, 6},        {8, 0.95, 1, 8},         {12, 0.95, 3, 10},
        {20, 0.95, 6, 15},      {24, 0.95, 7, 18},       {52, 0.95, 19, 34},
        {100, 0.95, 40, 61},    {8, 0.99, 1, 8},         {12, 0.99, 2, 11},
        {20, 0.99, 4, 17},      {52, 0.99, 17, 36},      {100, 0.99, 37, 64},
        {1000, 0.95, 469, 532}, {2000, 0.95, 956, 1045}, {100000, 0.95, 49690, 50311},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        char what[48];
        snprintf(what, sizeof what, "%zu pairs at %g", rows[i].n, rows[i].confidence);
        struct ranks ranks;
        CHECK_TRUE(what, rank_interval(rows[i].n, rows[i].confidence, &ranks));
        CHECK_COUNT(what, ranks.low, ==, rows[i].low);
        CHECK_COUNT(what, ranks.high, ==, rows[i].high);
    }
}

static void too_few_pairs_have_no_interval(void **state)
{
    (void)state;
    struct ranks ranks;
    for (size_t n = 0; n <= 5; n++)
        CHECK_TRUE("at 95 %", !rank_interval(n, 0.95, &ranks));
    CHECK_TRUE("7 at 99 %", !rank_interval(7, 0.99, &ranks));
}

/* P(Bin(n, 1/2) < k), term by term. */
static long double tail(size_t n, size_t k)
{
    long double term = ldexpl(1, -(int)n), sum = 0;
    for (size_t i = 0; i < k; i++) {
        sum += term;
        term = term * (long double)(n - i) / (long double)(i + 1);
    }
    return sum;
}

static void the_lower_rank_is_the_largest_whose_tail_is_small_enough(void **state)
{
    (void)state;
    for (size_t n = 6; n <= 400; n++) {
        struct ranks ranks;
        CHECK_TRUE("there is an interval", rank_interval(n, 0.95, &ranks));
        CHECK_COUNT("sum of the ranks", ranks.low + ranks.high, ==, n + 1);
        CHECK_REAL("tail", (double)tail(n, ranks.low), <=, 0.025);
        CHECK_REAL("tail of the next rank", (double)tail(n, ranks.low + 1), >, 0.025);
    }
}

static void rounds_needed_grow_with_the_number_of_comparisons(void **state)
{
    (void)state;
    static const size_t rows[][2] = {{0, 6}, {1, 6}, {5, 8}, {11, 9}, {23, 10}, {63, 12}, {66, 12}};
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        char what[32];
        snprintf(what, sizeof what, "%zu comparisons", rows[i][0]);
        CHECK_COUNT(what, rank_rounds_needed(rows[i][0]), ==, rows[i][1]);
    }
    for (size_t m = 1; m <= 200; m++) {
        struct ranks ranks;
        size_t needed = rank_rounds_needed(m);
        CHECK_TRUE("enough", rank_interval(needed, family_confidence(m), &ranks));
        CHECK_TRUE("one less is too few", !rank_interval(needed - 1, family_confidence(m), &ranks));
    }
}

static void confidence_is_shared_out_among_comparisons(void **state)
{
    (void)state;
    CHECK_NEAR("none", family_confidence(0), 0.95, 1e-15);
    CHECK_NEAR("one", family_confidence(1), 0.95, 1e-15);
    CHECK_NEAR("five", family_confidence(5), 0.99, 1e-15);
    CHECK_NEAR("fifty", family_confidence(50), 0.999, 1e-15);
}

static void the_middle_of_two_throughputs_is_their_geometric_mean(void **state)
{
    (void)state;
    double values[] = {1000, 500};
    struct summary s;
    summarize(values, 2, &s);
    CHECK_NEAR("median", s.median, 707.10678118654752, 1e-9);
    CHECK_REAL("mean", s.mean, ==, 750);
}

static void a_middle_with_a_zero_is_taken_arithmetically(void **state)
{
    (void)state;
    struct summary s;
    double one[] = {10, 0}, both[] = {0, 0}, beside[] = {20, 0, 0, 10}, apart[] = {20, 9, 4, 0};
    summarize(one, 2, &s);
    CHECK_REAL("0 and 10", s.median, ==, 5);
    summarize(both, 2, &s);
    CHECK_REAL("0 and 0", s.median, ==, 0);
    CHECK_REAL("mad of zeros", s.mad, ==, 0);
    summarize(beside, 4, &s);
    CHECK_REAL("0, 0, 10 and 20", s.median, ==, 5);
    summarize(apart, 4, &s);
    CHECK_NEAR("0, 4, 9 and 20", s.median, 6, 1e-12);
}

static void a_summary_of_nothing_is_unknown(void **state)
{
    (void)state;
    double none;
    struct summary s;
    summarize(&none, 0, &s);
    CHECK_COUNT("n", s.n, ==, 0);
    const double figures[] = {s.median, s.p10, s.p90, s.min, s.max, s.mean, s.stddev, s.mad};
    for (size_t i = 0; i < ROWS_OF(figures); i++)
        CHECK_NAN("figure", figures[i]);
}

static void a_summary_of_one_value_has_no_deviation(void **state)
{
    (void)state;
    double value = 7;
    struct summary s;
    summarize(&value, 1, &s);
    CHECK_COUNT("n", s.n, ==, 1);
    const double figures[] = {s.median, s.p10, s.p90, s.min, s.max, s.mean};
    for (size_t i = 0; i < ROWS_OF(figures); i++)
        CHECK_REAL("figure", figures[i], ==, 7);
    CHECK_NAN("stddev", s.stddev);
    CHECK_REAL("mad", s.mad, ==, 0);
}

static void a_standard_deviation_has_n_minus_1_below(void **state)
{
    (void)state;
    struct summary s;
    double two[] = {2, 4}, five[] = {100, 1, 4, 3, 2};
    summarize(two, 2, &s);
    CHECK_NEAR("of 2 and 4", s.stddev, 1.4142135623730951, 1e-12);
    CHECK_REAL("min", s.min, ==, 2);
    CHECK_REAL("max", s.max, ==, 4);
    summarize(five, 5, &s); /* squares 441 400 361 324 6084 over 4 */
    CHECK_NEAR("of 1 2 3 4 100", s.stddev, 43.617656975128774, 1e-12);
    CHECK_REAL("mean", s.mean, ==, 22);
    CHECK_REAL("median", s.median, ==, 3);
    CHECK_REAL("mad", s.mad, ==, 1);
    CHECK_REAL("max", s.max, ==, 100);
}

static void quantiles_lie_between_values_as_type_7_has_them(void **state)
{
    (void)state;
    static const double four[] = {10, 20, 30, 40}, one[] = {7};
    static const struct {
        double q, wanted;
    } rows[] = {{0, 10}, {0.1, 13}, {0.25, 17.5}, {0.5, 25}, {0.9, 37}, {1, 40}};
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        CHECK_NEAR("of four", quantile(four, 4, rows[i].q), rows[i].wanted, 1e-12);
        CHECK_REAL("of one", quantile(one, 1, rows[i].q), ==, 7);
    }
    double ten[] = {3, 1, 2, 10, 9, 8, 7, 6, 5, 4};
    struct summary s;
    summarize(ten, 10, &s);
    CHECK_NEAR("p10", s.p10, 1.9, 1e-12);
    CHECK_NEAR("p90", s.p90, 9.1, 1e-12);
}

enum { MOST = 128 };

static struct ratio estimate(const double *ratios, size_t n, double confidence, double delta)
{
    double logs[MOST], work[MOST];
    for (size_t i = 0; i < n; i++)
        logs[i] = log(ratios[i]);
    struct ratio r;
    ratio_estimate(logs, n, confidence, delta, work, &r);
    return r;
}

static void eight_pairs_give_the_known_ratio_and_verdicts(void **state)
{
    (void)state;
    static const double pairs[] = {1.05, 1.04, 1.06, 1.05, 1.07, 1.04, 1.05, 1.06};
    static const struct {
        double delta;
        enum verdict verdict;
    } rows[] = {{0.01, VERDICT_SLOWER},
                {0.03, VERDICT_SLOWER},
                {0.04, VERDICT_INCONCLUSIVE},
                {0.05, VERDICT_INCONCLUSIVE},
                {0.08, VERDICT_SAME}};
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct ratio r = estimate(pairs, 8, 0.95, rows[i].delta);
        char what[32];
        snprintf(what, sizeof what, "delta %g", rows[i].delta);
        CHECK_COUNT(what, r.n, ==, 8);
        CHECK_NEAR(what, r.ratio, 1.05, 1e-12);
        CHECK_NEAR(what, r.low, 1.04, 1e-12);
        CHECK_NEAR(what, r.high, 1.07, 1e-12);
        CHECK_REAL(what, r.confidence, ==, 0.95);
        CHECK_TEXT(what, verdict_name(r.verdict), verdict_name(rows[i].verdict));
        CHECK_TRUE(what, !r.drifts);
    }
}

static void the_middle_of_an_even_number_of_ratios_is_taken_in_logs(void **state)
{
    (void)state;
    static const double pairs[] = {0.5, 2, 0.5, 2, 0.5, 2};
    struct ratio r = estimate(pairs, 6, 0.95, 0.01);
    CHECK_NEAR("ratio", r.ratio, 1, 1e-12);
    CHECK_NEAR("low", r.low, 0.5, 1e-12);
    CHECK_NEAR("high", r.high, 2, 1e-12);
}

static void a_verdict_needs_the_whole_interval_on_one_side(void **state)
{
    (void)state;
    static const struct {
        double low, high, delta;
        enum verdict verdict, turned;
    } rows[] = {
        {1, 1, 0, VERDICT_SAME, VERDICT_SAME},
        {1, 1, 0.01, VERDICT_SAME, VERDICT_SAME},
        {0.995, 1.005, 0.01, VERDICT_SAME, VERDICT_SAME},
        {1.02, 1.05, 0.01, VERDICT_SLOWER, VERDICT_FASTER},
        {1.02, 1.05, 0, VERDICT_SLOWER, VERDICT_FASTER},
        {1.02, 1.05, 0.10, VERDICT_SAME, VERDICT_SAME},
        {2, 3, 0.01, VERDICT_SLOWER, VERDICT_FASTER},
        {1.005, 1.05, 0.01, VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE},
        {0.985, 1.005, 0.01, VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE},
        {0.9, 1.1, 0.01, VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE},
        {1, 1.001, 0, VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        double low = rows[i].low, high = rows[i].high, middle = sqrt(low * high);
        double pairs[6] = {middle, low, middle, high, middle, middle}, turned[6];
        for (int j = 0; j < 6; j++)
            turned[j] = 1 / pairs[j];
        char what[64];
        snprintf(what, sizeof what, "%g .. %g at %g", low, high, rows[i].delta);
        struct ratio r = estimate(pairs, 6, 0.95, rows[i].delta);
        struct ratio t = estimate(turned, 6, 0.95, rows[i].delta);
        CHECK_TEXT(what, verdict_name(r.verdict), verdict_name(rows[i].verdict));
        CHECK_TEXT(what, verdict_name(t.verdict), verdict_name(rows[i].turned));
        CHECK_NEAR(what, t.low * r.high, 1, 1e-12);
        CHECK_NEAR(what, t.ratio * r.ratio, 1, 1e-12);
    }
}

static void too_few_pairs_are_inconclusive(void **state)
{
    (void)state;
    static const double pairs[] = {3, 3, 3, 3, 3};
    struct ratio r = estimate(pairs, 5, 0.95, 0.01);
    CHECK_NEAR("ratio", r.ratio, 3, 1e-12);
    CHECK_NAN("low", r.low);
    CHECK_NAN("high", r.high);
    CHECK_TEXT("verdict", verdict_name(r.verdict), "inconclusive");
    CHECK_TRUE("half width", isinf(ratio_half_width(&r)));
    struct ratio none = estimate(pairs, 0, 0.95, 0.01);
    CHECK_NAN("ratio of no pairs", none.ratio);
    CHECK_TEXT("verdict of no pairs", verdict_name(none.verdict), "inconclusive");
}

static void the_half_width_is_relative_to_the_ratio(void **state)
{
    (void)state;
    struct ratio narrow = {.low = 1 / 1.01, .high = 1.01}, far = {.low = 50 / 1.02, .high = 51};
    CHECK_NEAR("around 1", ratio_half_width(&narrow), 0.01, 1e-12);
    CHECK_NEAR("around 50", ratio_half_width(&far), 0.02, 1e-12);
}

static void runs_have_the_z_worked_out_by_hand(void **state)
{
    (void)state;
    double alternating[24], constant[24], trend[24];
    for (int i = 0; i < 24; i++) {
        alternating[i] = i % 2 == 0 ? 1 : -1;
        constant[i] = 5;
        trend[i] = i;
    }
    /* 24 or 2 runs where 13 are expected, with a variance of 288 * 264 / (576 * 23) */
    CHECK_NEAR("alternating", runs_z(alternating, 24, 0), 4.5916591, 1e-6);
    CHECK_NEAR("trend", runs_z(trend, 24, 11.5), -4.5916591, 1e-6);
    CHECK_REAL("constant", runs_z(constant, 24, 5), ==, 0);
    CHECK_REAL("all above", runs_z(constant, 24, 4), ==, 0);
    CHECK_REAL("none", runs_z(constant, 0, 0), ==, 0);
    /* 3 runs of 4 and 2 signs: expected 16 / 6 + 1, variance 16 * 10 / (36 * 5) */
    static const double mixed[] = {1, 1, -1, -1, 1, 1};
    CHECK_NEAR("mixed", runs_z(mixed, 6, 0), -0.70710678, 1e-7);
    /* what equals the median has no sign: 2 runs of 2 and 1 */
    static const double tied[] = {1, 0, 1, -1};
    CHECK_NEAR("tied", runs_z(tied, 4, 0), -0.70710678, 1e-7);
}

/* The interval without regard to drift. */
static void plain_interval(const double *ratios, size_t n, double *low, double *high)
{
    double sorted[MOST];
    struct ranks ranks;
    memcpy(sorted, ratios, n * sizeof *sorted);
    sort_values(sorted, n);
    assert_true(rank_interval(n, 0.95, &ranks));
    *low = sorted[ranks.low - 1];
    *high = sorted[ranks.high - 1];
}

static void a_ratio_that_wanders_gets_a_wider_interval(void **state)
{
    (void)state;
    static const size_t lengths[] = {24, 25, 36, 59, 100, 128};
    for (size_t l = 0; l < ROWS_OF(lengths); l++) {
        size_t n = lengths[l];
        double ratios[MOST], low, high;
        for (size_t i = 0; i < n; i++)
            ratios[i] = 1 + 0.001 * (double)i;
        struct ratio r = estimate(ratios, n, 0.95, 0.01);
        plain_interval(ratios, n, &low, &high);
        char what[32];
        snprintf(what, sizeof what, "%zu pairs", n);
        CHECK_TRUE(what, r.drifts);
        CHECK_REAL(what, r.high / r.low, >=, high / low - 1e-12);
        if (n == 100) /* blocks are few, so the gain shows */
            CHECK_REAL(what, r.high / r.low, >, high / low * 1.01);
    }
}

static void drift_is_not_looked_for_in_fewer_than_24_pairs(void **state)
{
    (void)state;
    double ratios[23], low, high;
    for (size_t i = 0; i < 23; i++)
        ratios[i] = 1 + 0.001 * (double)i;
    struct ratio r = estimate(ratios, 23, 0.95, 0.01);
    plain_interval(ratios, 23, &low, &high);
    CHECK_TRUE("drifts", !r.drifts);
    CHECK_NEAR("low", r.low, low, 1e-12);
    CHECK_NEAR("high", r.high, high, 1e-12);
}

static void an_alternating_ratio_does_not_drift(void **state)
{
    (void)state;
    double ratios[40];
    for (int i = 0; i < 40; i++)
        ratios[i] = i % 2 == 0 ? 0.99 : 1.01;
    struct ratio r = estimate(ratios, 40, 0.95, 0.05);
    CHECK_TRUE("drifts", !r.drifts);
    CHECK_TEXT("verdict", verdict_name(r.verdict), "same");
}

static void drift_with_too_few_blocks_for_the_confidence_is_inconclusive(void **state)
{
    (void)state;
    double ratios[100];
    for (int i = 0; i < 100; i++)
        ratios[i] = 2 + 0.001 * i;
    struct ratio r = estimate(ratios, 100, family_confidence(200), 0.01);
    CHECK_TRUE("drifts", r.drifts);
    CHECK_NAN("low", r.low);
    CHECK_TEXT("verdict", verdict_name(r.verdict), "inconclusive");
}

/* Draws from an exponential distribution, moved so that the median is 0: nothing symmetrical. */
static double draw_log(struct rng *rng)
{
    double uniform = ((double)(rng_next(rng) >> 11) + 0.5) / 9007199254740992.0;
    return 0.01 * (-log(uniform) - log(2));
}

static void the_interval_covers_the_truth_as_often_as_it_says(void **state)
{
    (void)state;
    enum { REPEATS = 2000 };
    /* Coverage is 1 - 2 P(Bin(n, 1/2) < low): 0.95861 for 20, 0.96352 for 52, and a little more
     * where drift is looked for; four standard deviations of 2000 repeats are 0.018. */
    static const struct {
        size_t n;
        double coverage;
    } rows[] = {{20, 0.95861}, {52, 0.96352}};
    struct rng rng;
    rng_init(&rng, 20260131);
    for (size_t row = 0; row < ROWS_OF(rows); row++) {
        size_t n = rows[row].n, covered = 0, drifting = 0;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double logs[MOST], work[MOST];
            for (size_t i = 0; i < n; i++)
                logs[i] = draw_log(&rng);
            struct ratio r;
            ratio_estimate(logs, n, 0.95, 0.01, work, &r);
            covered += r.low <= 1 && r.high >= 1;
            drifting += r.drifts;
        }
        char what[32];
        snprintf(what, sizeof what, "%zu pairs", n);
        CHECK_NEAR(what, (double)covered / REPEATS, rows[row].coverage, 0.018);
        CHECK_REAL(what, (double)drifting / REPEATS, <=, n < 24 ? 0 : 0.08);
    }
}

static void verdicts_have_names(void **state)
{
    (void)state;
    CHECK_TEXT("faster", verdict_name(VERDICT_FASTER), "faster");
    CHECK_TEXT("slower", verdict_name(VERDICT_SLOWER), "slower");
    CHECK_TEXT("same", verdict_name(VERDICT_SAME), "same");
    CHECK_TEXT("inconclusive", verdict_name(VERDICT_INCONCLUSIVE), "inconclusive");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_the_median_are_the_known_ones),
        cmocka_unit_test(too_few_pairs_have_no_interval),
        cmocka_unit_test(the_lower_rank_is_the_largest_whose_tail_is_small_enough),
        cmocka_unit_test(rounds_needed_grow_with_the_number_of_comparisons),
        cmocka_unit_test(confidence_is_shared_out_among_comparisons),
        cmocka_unit_test(the_middle_of_two_throughputs_is_their_geometric_mean),
        cmocka_unit_test(a_middle_with_a_zero_is_taken_arithmetically),
        cmocka_unit_test(a_summary_of_nothing_is_unknown),
        cmocka_unit_test(a_summary_of_one_value_has_no_deviation),
        cmocka_unit_test(a_standard_deviation_has_n_minus_1_below),
        cmocka_unit_test(quantiles_lie_between_values_as_type_7_has_them),
        cmocka_unit_test(eight_pairs_give_the_known_ratio_and_verdicts),
        cmocka_unit_test(the_middle_of_an_even_number_of_ratios_is_taken_in_logs),
        cmocka_unit_test(a_verdict_needs_the_whole_interval_on_one_side),
        cmocka_unit_test(too_few_pairs_are_inconclusive),
        cmocka_unit_test(the_half_width_is_relative_to_the_ratio),
        cmocka_unit_test(runs_have_the_z_worked_out_by_hand),
        cmocka_unit_test(a_ratio_that_wanders_gets_a_wider_interval),
        cmocka_unit_test(drift_is_not_looked_for_in_fewer_than_24_pairs),
        cmocka_unit_test(an_alternating_ratio_does_not_drift),
        cmocka_unit_test(drift_with_too_few_blocks_for_the_confidence_is_inconclusive),
        cmocka_unit_test(the_interval_covers_the_truth_as_often_as_it_says),
        cmocka_unit_test(verdicts_have_names),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
