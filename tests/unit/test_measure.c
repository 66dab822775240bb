/* The order of cases, the store of samples, and what a run makes of them. */
#include "config.h"

#include "check.h"

#include "measure/order.h"
#include "measure/run.h"
#include "measure/sample.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_CASES = 9, MOST_ROUNDS = 2 * MOST_CASES };

static void four_cases_have_the_rows_of_williams(void **state)
{
    (void)state;
    static const unsigned wanted[4][4] = {{0, 1, 3, 2}, {1, 2, 0, 3}, {2, 3, 1, 0}, {3, 0, 2, 1}};
    for (unsigned i = 0; i < 4; i++) {
        unsigned row[4];
        order_design_row(4, i, row);
        for (unsigned place = 0; place < 4; place++)
            CHECK_COUNT("case", row[place], ==, wanted[i][place]);
    }
}

static void an_odd_number_of_cases_has_each_row_reversed_too(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= MOST_CASES; n += 2) {
        for (unsigned i = 0; i < n; i++) {
            unsigned row[MOST_CASES], reversed[MOST_CASES];
            order_design_row(n, i, row);
            order_design_row(n, n + i, reversed);
            for (unsigned place = 0; place < n; place++)
                CHECK_COUNT("case", reversed[n - 1 - place], ==, row[place]);
        }
    }
}

/* How often each case stood at each place and followed each other one. */
struct balance {
    unsigned at[MOST_CASES][MOST_CASES], after[MOST_CASES][MOST_CASES];
};

static void count_round(struct balance *balance, const unsigned *row, unsigned n)
{
    for (unsigned place = 0; place < n; place++) {
        CHECK_COUNT("case", row[place], <, n);
        balance->at[row[place]][place]++;
        if (place > 0)
            balance->after[row[place - 1]][row[place]]++;
    }
}

static void check_balance(const struct balance *balance, unsigned n, unsigned rounds)
{
    char what[64];
    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = 0; b < n; b++) {
            snprintf(what, sizeof what, "%u cases: case %u at place %u", n, a, b);
            CHECK_COUNT(what, balance->at[a][b], ==, rounds / n);
            snprintf(what, sizeof what, "%u cases: case %u after case %u", n, b, a);
            CHECK_COUNT(what, balance->after[a][b], ==, a == b ? 0 : rounds / n);
        }
    }
}

static void each_block_is_balanced(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= MOST_CASES; n++) {
        struct order order;
        struct err err = {0};
        CHECK_OK("order_init", order_init(&order, n, 100 + n, &err), err);
        CHECK_COUNT("rounds of a block", order.block_rounds, ==, n % 2 == 0 ? n : 2 * n);
        for (int block = 0; block < 5; block++) {
            struct balance balance = {0};
            for (unsigned i = 0; i < order.block_rounds; i++)
                count_round(&balance, order_round(&order), n);
            check_balance(&balance, n, order.block_rounds);
        }
        order_free(&order);
    }
}

/* The rounds of an order as one number each: the cases as digits. */
static void write_rounds(unsigned n, uint64_t seed, uint64_t *rounds, size_t wanted)
{
    struct order order;
    struct err err = {0};
    CHECK_OK("order_init", order_init(&order, n, seed, &err), err);
    for (size_t i = 0; i < wanted; i++) {
        const unsigned *row = order_round(&order);
        rounds[i] = 0;
        for (unsigned place = 0; place < n; place++)
            rounds[i] = rounds[i] * 10 + row[place];
    }
    order_free(&order);
}

static void the_same_seed_gives_the_same_order(void **state)
{
    (void)state;
    uint64_t first[40], again[40], other[40];
    write_rounds(5, 1, first, 40);
    write_rounds(5, 1, again, 40);
    write_rounds(5, 2, other, 40);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void each_block_has_labels_and_an_order_of_rows_of_its_own(void **state)
{
    (void)state;
    enum { N = 6, BLOCKS = 20 };
    uint64_t rounds[BLOCKS][N], rows[BLOCKS][N];
    write_rounds(N, 3, rounds[0], (size_t)BLOCKS * N);
    memcpy(rows, rounds, sizeof rows);
    for (int b = 0; b < BLOCKS; b++)
        qsort(rows[b], N, sizeof rows[b][0], by_number);
    unsigned relabelled = 0, shuffled = 0;
    for (int b = 1; b < BLOCKS; b++) {
        relabelled += memcmp(rows[b], rows[0], sizeof rows[b]) != 0;
        shuffled += memcmp(rounds[b], rows[b], sizeof rounds[b]) != 0;
    }
    /* Of the 720 labellings 6 give the same rows, of the 720 orders 1 is the sorted one. */
    CHECK_COUNT("relabelled blocks", relabelled, >=, BLOCKS - 4);
    CHECK_COUNT("shuffled blocks", shuffled, >=, BLOCKS - 4);
}

static void thousands_of_samples_are_kept_as_they_were(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct samples samples = {0};
    struct err err = {0};
    for (uint32_t i = 0; i < N; i++) {
        struct sample sample = {.round = i, .bytes = 3 * (uint64_t)i, .cpu = (int)i % 7};
        CHECK_OK("samples_add", samples_add(&samples, &sample, &err), err);
    }
    CHECK_COUNT("samples", samples.n, ==, N);
    CHECK_COUNT("room", samples.room, >=, samples.n);
    for (uint32_t i = 0; i < N; i++) {
        CHECK_COUNT("round", samples.items[i].round, ==, i);
        CHECK_COUNT("bytes", samples.items[i].bytes, ==, 3 * (uint64_t)i);
        CHECK_INT("cpu", samples.items[i].cpu, (int)(i % 7));
    }
    samples_free(&samples);
    CHECK_COUNT("samples after samples_free", samples.n, ==, 0);
    assert_null(samples.items);
}

static struct run new_run(unsigned n)
{
    struct run run = {.n_cases = n, .baseline = -1, .delta = 0.01};
    run.cases = calloc(n, sizeof *run.cases);
    assert_non_null(run.cases);
    return run;
}

/* Cost of a pass in ns; the trial has two passes. */
static struct sample trial_of(uint32_t index, uint32_t round, uint64_t cost)
{
    return (struct sample){
        .case_index = index, .round = round, .complete = true, .passes = 2, .wall_ns = 2 * cost};
}

static void add(struct run *run, struct sample sample)
{
    struct err err = {0};
    CHECK_OK("samples_add", samples_add(&run->samples, &sample, &err), err);
}

static struct ratio compare(const struct run *run, unsigned index, unsigned baseline)
{
    struct ratio r;
    struct err err = {0};
    CHECK_OK("run_compare", run_compare(run, index, baseline, 0.95, &r, &err), err);
    return r;
}

static void cases_are_paired_by_round(void **state)
{
    (void)state;
    struct run run = new_run(3);
    /* Each round is ten times as slow as the one before, and the order changes: only the pairs
     * show that case 1 takes twice the time of case 0. */
    uint64_t cost = 10;
    for (uint32_t round = 1; round <= 7; round++, cost *= 10) {
        unsigned first = round % 2;
        add(&run, trial_of(first, round, cost << first));
        add(&run, trial_of(2, round, cost));
        add(&run, trial_of(1 - first, round, cost << (1 - first)));
    }
    struct ratio r = compare(&run, 1, 0), turned = compare(&run, 0, 1), same = compare(&run, 2, 0);
    CHECK_COUNT("pairs", r.n, ==, 7);
    CHECK_NEAR("ratio", r.ratio, 2, 1e-12);
    CHECK_NEAR("low", r.low, 2, 1e-12);
    CHECK_NEAR("high", r.high, 2, 1e-12);
    CHECK_TEXT("verdict", verdict_name(r.verdict), "slower");
    CHECK_NEAR("turned", turned.ratio, 0.5, 1e-12);
    CHECK_TEXT("turned", verdict_name(turned.verdict), "faster");
    CHECK_TEXT("third case", verdict_name(same.verdict), "same");
    run_free(&run);
}

static void without_bytes_a_cost_is_that_of_a_pass(void **state)
{
    (void)state;
    struct run run = new_run(2);
    for (uint32_t round = 1; round <= 6; round++) {
        struct sample few = trial_of(0, round, 100), many = trial_of(1, round, 0);
        few.bytes = 1000; /* one of the two delivers none */
        many.passes = 50;
        many.wall_ns = 50 * 100;
        add(&run, few);
        add(&run, many);
    }
    CHECK_TEXT("cost", run_cost_name(&run), "wall_ns_per_pass");
    CHECK_NEAR("ratio", compare(&run, 1, 0).ratio, 1, 1e-12);
    run_free(&run);
}

static void with_bytes_a_cost_is_that_of_a_byte(void **state)
{
    (void)state;
    struct run run = new_run(2);
    for (uint32_t round = 1; round <= 6; round++) {
        struct sample whole = trial_of(0, round, 100), half = trial_of(1, round, 100);
        whole.bytes = 2000;
        half.bytes = 1000;
        add(&run, whole);
        add(&run, half);
    }
    CHECK_TEXT("cost", run_cost_name(&run), "wall_ns_per_byte");
    CHECK_NEAR("cost of a byte", run_cost(&run)(&run.samples.items[0]), 0.1, 1e-12);
    CHECK_NEAR("ratio", compare(&run, 1, 0).ratio, 2, 1e-12);
    CHECK_INT("fastest", run_baseline(&run), 0);
    run_free(&run);
}

static void a_round_with_only_one_of_the_two_is_left_out(void **state)
{
    (void)state;
    struct run run = new_run(2);
    for (uint32_t round = 1; round <= 8; round++) {
        if (round != 3)
            add(&run, trial_of(0, round, 100));
        if (round != 5)
            add(&run, trial_of(1, round, 300));
    }
    struct ratio r = compare(&run, 1, 0);
    CHECK_COUNT("pairs", r.n, ==, 6);
    CHECK_NEAR("ratio", r.ratio, 3, 1e-12);
    CHECK_COUNT("pairs of a case with itself", compare(&run, 0, 0).n, ==, 0);
    run_free(&run);
}

static void warm_up_and_unfinished_trials_do_not_count(void **state)
{
    (void)state;
    struct run run = new_run(2);
    struct sample warmup = trial_of(0, 0, 1), cut = trial_of(0, 2, 1), empty = trial_of(1, 2, 1);
    warmup.warmup = true;
    cut.complete = false;
    empty.passes = 0;
    add(&run, warmup);
    warmup.case_index = 1;
    add(&run, warmup);
    add(&run, trial_of(0, 1, 100));
    add(&run, trial_of(1, 1, 200));
    add(&run, cut);
    add(&run, trial_of(1, 2, 200));
    add(&run, trial_of(0, 3, 100));
    add(&run, empty);
    CHECK_COUNT("pairs", compare(&run, 1, 0).n, ==, 1);
    CHECK_COUNT("trials of case 0", run_count_trials(&run, 0), ==, 2);
    CHECK_COUNT("trials of case 1", run_count_trials(&run, 1), ==, 2);
    double values[8];
    CHECK_COUNT("values", run_values(&run, 0, sample_wall_ns_per_pass, values), ==, 2);
    CHECK_REAL("value", values[0], ==, 100);
    CHECK_REAL("value", values[1], ==, 100);
    run_free(&run);
}

static double nan_for_round_2(const struct sample *sample)
{
    return sample->round == 2 ? NAN : (double)sample->round;
}

static void a_figure_that_was_not_measured_is_left_out(void **state)
{
    (void)state;
    struct run run = new_run(1);
    for (uint32_t round = 1; round <= 3; round++)
        add(&run, trial_of(0, round, 100));
    double values[3];
    CHECK_COUNT("values", run_values(&run, 0, nan_for_round_2, values), ==, 2);
    CHECK_REAL("first", values[0], ==, 1);
    CHECK_REAL("second", values[1], ==, 3);
    run_free(&run);
}

/* Four cases with median costs of 300, 100, 200 and 50 ns. */
static struct run four_cases(void)
{
    static const uint64_t costs[] = {300, 100, 200, 50};
    struct run run = new_run(4);
    for (uint32_t round = 1; round <= 6; round++)
        for (uint32_t i = 0; i < 4; i++)
            add(&run, trial_of(i, round, costs[i] + (round == 1 ? 1000 : 0)));
    return run;
}

static void the_baseline_is_the_named_case_or_the_fastest(void **state)
{
    (void)state;
    struct run run = four_cases();
    CHECK_INT("fastest", run_baseline(&run), 3);
    run_case_end(&run.cases[3], CASE_FAILED, "error", "gone");
    CHECK_INT("fastest of those left", run_baseline(&run), 1);
    run.baseline = 0;
    CHECK_INT("named", run_baseline(&run), 0);
    run_case_end(&run.cases[0], CASE_INVALID, "digest", "other bytes");
    CHECK_INT("named, but not measured", run_baseline(&run), -1);
    run_free(&run);
}

static void a_case_that_keeps_its_bytes_is_the_fastest_only_among_its_kind(void **state)
{
    (void)state;
    struct run run = four_cases();
    run.cases[3].keeps_bytes = true;
    CHECK_INT("fastest that delivers", run_baseline(&run), 1);
    run.baseline = 3;
    CHECK_INT("named", run_baseline(&run), 3);
    run.baseline = -1;
    for (unsigned i = 0; i < 3; i++)
        run.cases[i].keeps_bytes = true;
    CHECK_INT("fastest when none delivers", run_baseline(&run), 3);
    run_free(&run);
}

static void there_is_no_baseline_when_nothing_was_measured(void **state)
{
    (void)state;
    struct run run = new_run(2);
    CHECK_INT("no trials", run_baseline(&run), -1);
    run_case_end(&run.cases[0], CASE_SKIPPED, "source", "a pipe");
    run_case_end(&run.cases[1], CASE_FAILED, "error", "gone");
    CHECK_INT("no cases", run_baseline(&run), -1);
    run_free(&run);
}

static void confidence_counts_the_comparisons_that_are_made(void **state)
{
    (void)state;
    struct run run = four_cases();
    CHECK_NEAR("all pairs of four", run_confidence(&run), 1 - 0.05 / 6, 1e-15);
    run.baseline = 2;
    CHECK_NEAR("three against a named one", run_confidence(&run), 1 - 0.05 / 3, 1e-15);
    run_case_end(&run.cases[0], CASE_FAILED, "error", "gone");
    CHECK_NEAR("two against a named one", run_confidence(&run), 1 - 0.05 / 2, 1e-15);
    run.baseline = -1;
    CHECK_NEAR("all pairs of three", run_confidence(&run), 1 - 0.05 / 3, 1e-15);
    run_case_end(&run.cases[1], CASE_FAILED, "error", "gone");
    CHECK_NEAR("one pair", run_confidence(&run), 0.95, 1e-15);
    run_case_end(&run.cases[2], CASE_FAILED, "error", "gone");
    CHECK_NEAR("one case", run_confidence(&run), 0.95, 1e-15);
    run_free(&run);
}

static void the_first_reason_for_ending_a_case_stays(void **state)
{
    (void)state;
    struct run run = new_run(1);
    run_case_end(&run.cases[0], CASE_FAILED, "EIO", "round %d", 7);
    run_case_end(&run.cases[0], CASE_INVALID, "digest", "later");
    CHECK_TEXT("status", case_status_name(run.cases[0].status), "failed");
    CHECK_TEXT("reason", run.cases[0].reason, "round 7");
    CHECK_TEXT("code", run.cases[0].code, "EIO");
    run_free(&run);
    CHECK_COUNT("cases after run_free", run.n_cases, ==, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_cases_have_the_rows_of_williams),
        cmocka_unit_test(an_odd_number_of_cases_has_each_row_reversed_too),
        cmocka_unit_test(each_block_is_balanced),
        cmocka_unit_test(the_same_seed_gives_the_same_order),
        cmocka_unit_test(each_block_has_labels_and_an_order_of_rows_of_its_own),
        cmocka_unit_test(thousands_of_samples_are_kept_as_they_were),
        cmocka_unit_test(cases_are_paired_by_round),
        cmocka_unit_test(without_bytes_a_cost_is_that_of_a_pass),
        cmocka_unit_test(with_bytes_a_cost_is_that_of_a_byte),
        cmocka_unit_test(a_round_with_only_one_of_the_two_is_left_out),
        cmocka_unit_test(warm_up_and_unfinished_trials_do_not_count),
        cmocka_unit_test(a_figure_that_was_not_measured_is_left_out),
        cmocka_unit_test(the_baseline_is_the_named_case_or_the_fastest),
        cmocka_unit_test(a_case_that_keeps_its_bytes_is_the_fastest_only_among_its_kind),
        cmocka_unit_test(there_is_no_baseline_when_nothing_was_measured),
        cmocka_unit_test(confidence_counts_the_comparisons_that_are_made),
        cmocka_unit_test(the_first_reason_for_ending_a_case_stays),
    };
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
