/* What a calibration computes: rates, noise, gates and the effects that they find, against answers
 * worked out by hand or from tables. */
#include "config.h"

#include "check.h"

#include "stats/binomial.h"
#include "stats/gate.h"
#include "stats/noise.h"

#include <stdio.h>

static void a_rate_has_the_interval_of_clopper_and_pearson(void **state)
{
    (void)state;
    static const struct {
        size_t k, n;
        double low, high;
    } rows[] = {
        {0, 20, 0, 0.168433},          {0, 200, 0, 0.0182753}, {2, 200, 0.00121335, 0.0356547},
        {5, 10, 0.187086, 0.812914},   {10, 10, 0.691503, 1},  {1, 25, 0.00101220, 0.203517},
        {95, 100, 0.887165, 0.983568}, {0, 0, 0, 1},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        char what[48];
        double low, high;
        snprintf(what, sizeof what, "%zu of %zu", rows[i].k, rows[i].n);
        binomial_interval(rows[i].k, rows[i].n, 0.95, &low, &high);
        CHECK_NEAR(what, low, rows[i].low, 1e-6);
        CHECK_NEAR(what, high, rows[i].high, 1e-6);
    }
}

static void students_t_is_that_of_the_tables(void **state)
{
    (void)state;
    static const struct {
        size_t degrees;
        double probability, t;
    } rows[] = {{1, 0.95, 12.7062}, {2, 0.95, 4.30265}, {3, 0.95, 3.18245},  {4, 0.95, 2.77645},
                {5, 0.95, 2.57058}, {6, 0.99, 3.70743}, {10, 0.95, 2.22814}, {31, 0.95, 2.03951}};
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        char what[48];
        snprintf(what, sizeof what, "%zu degrees at %g", rows[i].degrees, rows[i].probability);
        CHECK_NEAR(what, student_t(rows[i].degrees, rows[i].probability), rows[i].t, 1e-5);
    }
}

static void noise_is_what_two_further_runs_may_differ_by(void **state)
{
    (void)state;
    const double logs[] = {0.00, 0.02, 0.04};
    struct noise noise;
    noise_estimate(logs, 3, &noise);
    CHECK_COUNT("runs", noise.n, ==, 3);
    CHECK_NEAR("standard deviation", noise.stddev, 0.02, 1e-12);
    CHECK_NEAR("range", noise.range, exp(0.04) - 1, 1e-12);
    CHECK_NEAR("bound", noise.bound, exp(sqrt(2) * 0.02 * 4.30265) - 1, 1e-6);
    noise_estimate(logs, 1, &noise);
    CHECK_NAN("bound of one run", noise.bound);
    CHECK_NAN("range of one run", noise.range);
    noise_estimate(logs, 0, &noise);
    CHECK_NAN("bound of none", noise.bound);
}

enum { ROUNDS = 200, ROUND_NS = 10000000 };

/* Logs that go round through these five, in rounds of 10 ms. */
static void fill(double *logs, uint64_t *round_ns, double middle, double spread)
{
    static const double steps[] = {0, 1, -1, 0.5, -0.5};
    for (size_t i = 0; i < ROUNDS; i++) {
        logs[i] = middle + spread * steps[i % 5];
        round_ns[i] = ROUND_NS;
    }
}

static struct gate replay(const struct tape *tape, size_t from, double max_slowdown, uint64_t limit)
{
    double work[ROUNDS];
    struct gate gate;
    CHECK_TRUE("a gate", gate_replay(tape, from, max_slowdown, limit, work, &gate));
    return gate;
}

static void a_gate_stops_after_two_precise_looks_or_with_its_time(void **state)
{
    (void)state;
    double logs[ROUNDS], work[ROUNDS];
    uint64_t round_ns[ROUNDS];
    struct tape tape = {logs, round_ns, ROUNDS};
    struct gate gate;
    fill(logs, round_ns, 0, 0.001);
    gate = replay(&tape, 0, 0.02, 10 * ROUNDS * (uint64_t)ROUND_NS);
    CHECK_COUNT("rounds of a narrow one", gate.rounds, ==, 40);
    CHECK_COUNT("its time", gate.time_ns, ==, 40 * (uint64_t)ROUND_NS);
    CHECK_TRUE("settled", gate.settled);
    CHECK_INT("verdict", gate.ratio.verdict, VERDICT_SAME);
    fill(logs, round_ns, 0, 0.5);
    gate = replay(&tape, 7, 0.02, 100 * (uint64_t)ROUND_NS);
    CHECK_COUNT("rounds of a wide one", gate.rounds, ==, 100);
    CHECK_TRUE("not settled", !gate.settled);
    CHECK_INT("verdict", gate.ratio.verdict, VERDICT_INCONCLUSIVE);
    fill(logs, round_ns, 0.05, 0.001);
    CHECK_INT("of 5 %", replay(&tape, 0, 0.02, UINT64_MAX).ratio.verdict, VERDICT_SLOWER);
    CHECK_INT("of 5 % that are allowed", replay(&tape, 0, 0.06, UINT64_MAX).ratio.verdict,
              VERDICT_SAME);
    CHECK_TRUE("a tape that ends before",
               !gate_replay(&tape, ROUNDS - 30, 0.02, UINT64_MAX, work, &gate));
}

static void the_smallest_effect_follows_from_the_intervals_of_equal_cases(void **state)
{
    (void)state;
    double logs[ROUNDS], room[4 * ROUNDS + 4];
    uint64_t round_ns[ROUNDS];
    struct tape tape = {logs, round_ns, ROUNDS};
    struct effect effect;
    /* 20 rounds: the interval is the 6th and the 15th of 20, -0.5 and 0.5 spreads */
    fill(logs, round_ns, 0, 0.02);
    gate_effect(&tape, 20 * (uint64_t)ROUND_NS, room, &effect);
    CHECK_COUNT("windows", effect.windows, ==, 10);
    CHECK_COUNT("misses", effect.misses, ==, 0);
    CHECK_NEAR("half-width", effect.half_width, exp(0.01) - 1, 1e-9);
    CHECK_NEAR("smallest effect", effect.smallest, exp(0.01) - 1, 1e-9);
    /* a gate of such a length finds exactly what is above that */
    double found = gate_finds(effect.smallest, 0.02);
    CHECK_NEAR("with an allowance", found, 1.02 * exp(0.01) - 1, 1e-9);
    fill(logs, round_ns, log(1 + found + 1e-6), 0.02);
    CHECK_INT("above", replay(&tape, 0, 0.02, 20 * (uint64_t)ROUND_NS).ratio.verdict,
              VERDICT_SLOWER);
    fill(logs, round_ns, log(1 + found - 1e-6), 0.02);
    CHECK_INT("below", replay(&tape, 0, 0.02, 20 * (uint64_t)ROUND_NS).ratio.verdict,
              VERDICT_INCONCLUSIVE);
    fill(logs, round_ns, 0.05, 0.001);
    gate_effect(&tape, 50 * (uint64_t)ROUND_NS, room, &effect);
    CHECK_COUNT("windows that miss", effect.misses, ==, effect.windows);
    gate_effect(&tape, 3 * (uint64_t)ROUND_NS, room, &effect);
    CHECK_COUNT("windows without an interval", effect.windows, ==, 66);
    CHECK_NAN("their half-width", effect.half_width);
    CHECK_NAN("their smallest effect", effect.smallest);
    gate_effect(&tape, 10 * ROUNDS * (uint64_t)ROUND_NS, room, &effect);
    CHECK_COUNT("no window", effect.windows, ==, 0);
    CHECK_NAN("no effect", effect.smallest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_has_the_interval_of_clopper_and_pearson),
        cmocka_unit_test(students_t_is_that_of_the_tables),
        cmocka_unit_test(noise_is_what_two_further_runs_may_differ_by),
        cmocka_unit_test(a_gate_stops_after_two_precise_looks_or_with_its_time),
        cmocka_unit_test(the_smallest_effect_follows_from_the_intervals_of_equal_cases),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
