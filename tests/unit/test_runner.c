/* The runner: rounds, their order, when they end, and what a trial is. */
#include "config.h"

#include "check.h"
#include "runner_bench.h"

static unsigned count_warmups(const struct bench *b, unsigned index)
{
    unsigned n = 0;
    for (size_t i = 0; i < b->run.samples.n; i++)
        n += b->run.samples.items[i].warmup && b->run.samples.items[i].case_index == index;
    return n;
}

static void two_cases_are_measured_in_each_of_twenty_rounds(void **state)
{
    struct bench *b = *state;
    add_case(b, run_counting);
    add_case(b, run_counting);
    run_all(b);
    CHECK_COUNT("rounds", b->run.rounds, ==, 20);
    CHECK_INT("signal", b->run.signal_number, 0);
    unsigned first[2] = {0};
    for (size_t i = 0; i < b->run.samples.n; i++) {
        const struct sample *s = &b->run.samples.items[i];
        CHECK_COUNT("bytes", s->bytes, ==, 1000 * s->passes);
        if (s->warmup)
            CHECK_COUNT("round of a warm-up", s->round, ==, 0);
        else
            first[s->case_index] += s->position == 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        check_case(&b->run.cases[i], CASE_OK);
        CHECK_COUNT("trials", run_count_trials(&b->run, i), ==, 20);
        CHECK_COUNT("times in front", first[i], ==, 10);
        CHECK_COUNT("passes of a trial", b->run.cases[i].passes, >=, 1);
        CHECK_COUNT("bytes of a pass", b->run.cases[i].pass_bytes, ==, 1000);
    }
    struct ratio r;
    CHECK_OK("run_compare", run_compare(&b->run, 0, 1, 0.95, &r, &b->err), b->err);
    CHECK_COUNT("pairs", r.n, ==, 20);
    CHECK_REAL("low", r.low, <=, r.ratio);
    CHECK_REAL("high", r.high, >=, r.ratio);
}

static void a_case_that_sleeps_in_each_pass_is_slower(void **state)
{
    struct bench *b = *state;
    b->scripts[0].pass_ns = 5 * NS_PER_MS;
    add_case(b, run_counting);
    add_case(b, run_counting);
    run_all(b);
    CHECK_INT("fastest", run_baseline(&b->run), 1);
    struct ratio r;
    CHECK_OK("run_compare", run_compare(&b->run, 0, 1, 0.95, &r, &b->err), b->err);
    CHECK_TEXT("verdict", verdict_name(r.verdict), "slower");
}

/* A case has the fewest passes that fill goal, by the fastest warm-up trial that was kept. */
static void check_passes(const struct bench *b, unsigned index, uint64_t goal)
{
    double pass_ns = INFINITY, passes = (double)b->run.cases[index].passes;
    for (size_t i = 0; i < b->run.samples.n; i++) {
        const struct sample *s = &b->run.samples.items[i];
        if (!s->warmup || s->case_index != index)
            continue;
        CHECK_COUNT("length of a warm-up", s->wall_ns, >=, goal / 2);
        pass_ns = fmin(pass_ns, sample_wall_ns_per_pass(s));
    }
    CHECK_REAL("time of a pass", pass_ns, <, (double)INFINITY);
    CHECK_REAL("time of all passes", passes * pass_ns, >=, (double)goal * (1 - 1e-9));
    if (passes > 1)
        CHECK_REAL("time of one pass less", (passes - 1) * pass_ns, <, (double)goal);
}

/* One round of a case whose passes sleep for a millisecond. */
static void run_once(struct bench *b, run_function *run, bool lossy, uint64_t trial_time_ns)
{
    b->scripts[0].pass_ns = NS_PER_MS;
    b->runner.trial_time_ns = trial_time_ns;
    b->runner.rounds = 1;
    add_case(b, run)->lossy = lossy;
    run_all(b);
}

static void passes_fill_the_time_of_a_trial(void **state)
{
    struct bench *b = *state;
    run_once(b, run_counting, false, 20 * NS_PER_MS);
    check_passes(b, 0, 20 * NS_PER_MS);
}

/* As a receiver of datagrams that comes too late: the first trial finds nothing, at once. */
static int run_losing_the_first(void *state, const void *arg, const struct seat *seat,
                                uint64_t passes, struct tally *tally, struct err *err)
{
    const struct script *script = arg;
    if (atomic_fetch_add(&script->board->runs, 1) > 0)
        return run_counting(state, arg, seat, passes, tally, err);
    tally->passes = passes;
    return 0;
}

static void a_trial_that_lost_everything_foretells_nothing(void **state)
{
    struct bench *b = *state;
    run_once(b, run_losing_the_first, true, 5 * NS_PER_MS);
    CHECK_COUNT("bytes of a pass", b->run.cases[0].pass_bytes, ==, 1000);
    CHECK_COUNT("passes of a trial", b->run.cases[0].passes, <=, 5);
}

/* As an open loop, whose first request need not wait for its turn. */
static int run_with_a_free_pass(void *state, const void *arg, const struct seat *seat,
                                uint64_t passes, struct tally *tally, struct err *err)
{
    tally->passes = 1;
    tally->bytes = ((const struct script *)arg)->bytes;
    return run_counting(state, arg, seat, passes, tally, err);
}

static void a_first_pass_that_costs_nothing_makes_no_long_trial(void **state)
{
    struct bench *b = *state;
    run_once(b, run_with_a_free_pass, false, 40 * NS_PER_MS);
    CHECK_COUNT("kept", b->run.samples.n, >, 1);
    for (size_t i = 0; i < b->run.samples.n; i++)
        CHECK_COUNT("passes", b->run.samples.items[i].passes, <=, 60);
}

/* What a fresh process costs once is to weigh on all alike. */
static void cases_that_are_nearly_as_fast_do_as_many_passes(void **state)
{
    static const struct {
        uint64_t pass_ns[3];
        bool alike[3]; /* to the first */
    } rows[] = {{{2 * NS_PER_MS, 2100000, 2300000}, {true, true, true}},
                {{2300000, 2100000, 2 * NS_PER_MS}, {true, true, true}},
                {{2 * NS_PER_MS, 2400000, 9 * NS_PER_MS}, {true, true, false}}};
    struct bench *b = *state;
    b->runner.trial_time_ns = 10 * NS_PER_MS;
    b->runner.rounds = 1;
    for (int i = 0; i < 3; i++) {
        struct run_case *c = add_case(b, run_counting);
        free(c->mode);
        c->mode = strdup(c->id); /* no twins */
    }
    for (size_t r = 0; r < ROWS_OF(rows); r++) {
        for (int i = 0; i < 3; i++)
            b->scripts[i].pass_ns = rows[r].pass_ns[i];
        b->run.rounds = 0;
        samples_free(&b->run.samples);
        run_all(b);
        for (int i = 0; i < 3; i++)
            if (rows[r].alike[i])
                CHECK_COUNT("as many", b->run.cases[i].passes, ==, b->run.cases[0].passes);
            else
                CHECK_COUNT("fewer", b->run.cases[i].passes, <, b->run.cases[0].passes);
    }
}

static void the_number_of_rounds_is_exact(void **state)
{
    struct bench *b = *state;
    static const unsigned rounds[] = {1, 3, 7};
    add_case(b, run_counting);
    add_case(b, run_counting);
    add_case(b, run_counting);
    for (size_t i = 0; i < ROWS_OF(rounds); i++) {
        b->runner.rounds = rounds[i];
        b->run.rounds = 0;
        samples_free(&b->run.samples);
        run_all(b);
        CHECK_COUNT("rounds", b->run.rounds, ==, rounds[i]);
        for (unsigned c = 0; c < 3; c++)
            CHECK_COUNT("trials", run_count_trials(&b->run, c), ==, rounds[i]);
    }
}

static void too_few_rounds_to_be_precise_are_cut_short(void **state)
{
    struct bench *b = *state;
    add_case(b, run_counting);
    add_case(b, run_counting);
    b->runner.rounds = 5; /* 6 are needed for any interval */
    run_all(b);
    CHECK_TRUE("cut short", b->run.cut_short);
}

static void the_same_seed_gives_the_same_order_of_cases(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 8;
    for (int i = 0; i < 4; i++)
        add_case(b, run_counting);
    uint32_t order[2][32];
    for (int again = 0; again < 2; again++) {
        b->run.rounds = 0;
        samples_free(&b->run.samples);
        run_all(b);
        for (size_t i = 0; i < b->run.samples.n; i++) {
            const struct sample *s = &b->run.samples.items[i];
            if (!s->warmup)
                order[again][(s->round - 1) * 4 + s->position] = s->case_index;
        }
    }
    assert_memory_equal(order[0], order[1], sizeof order[0]);
}

static void a_run_stops_when_two_looks_in_a_row_find_it_precise(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 0;
    b->runner.precision = 1000;
    add_case(b, run_counting);
    add_case(b, run_counting);
    run_all(b);
    CHECK_COUNT("rounds", b->run.rounds, ==, 40); /* it is looked at every 20 */
    CHECK_TRUE("cut short", !b->run.cut_short);
}

static void a_run_stops_at_the_end_of_the_round_that_passes_the_time_limit(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 0;
    b->runner.time_limit_ns = 1;
    add_case(b, run_counting);
    add_case(b, run_counting);
    run_all(b);
    CHECK_COUNT("rounds", b->run.rounds, ==, 1);
    CHECK_COUNT("trials", run_count_trials(&b->run, 0) + run_count_trials(&b->run, 1), ==, 2);
    CHECK_TRUE("cut short", b->run.cut_short);
}

static void a_lone_case_runs_a_hundred_rounds(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 0;
    add_case(b, run_counting);
    run_all(b);
    CHECK_COUNT("rounds", b->run.rounds, <=, 100);
    if (b->run.rounds < 100) /* a very slow machine */
        CHECK_COUNT("time", b->run.rounds_ns, >=, 3 * NS_PER_S);
    CHECK_TRUE("cut short", !b->run.cut_short);
}

static void a_case_of_a_single_pass_is_not_repeated_in_a_trial(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 3;
    b->runner.trial_time_ns = 20 * NS_PER_MS;
    add_case(b, run_counting)->single_pass = true;
    run_all(b);
    CHECK_COUNT("trials", run_count_trials(&b->run, 0), ==, 3);
    for (size_t i = 0; i < b->run.samples.n; i++)
        CHECK_COUNT("passes", b->run.samples.items[i].passes, ==, 1);
}

static void a_case_may_ask_for_longer_trials(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    b->scripts[0].pass_ns = NS_PER_MS;
    add_case(b, run_counting)->least_trial_ns = 20 * NS_PER_MS;
    run_all(b);
    check_passes(b, 0, 20 * NS_PER_MS);
}

static void a_source_that_is_read_once_gives_one_trial(void **state)
{
    struct bench *b = *state;
    b->runner.once = true;
    b->runner.profile = true;
    b->runner.rounds = 0;
    verify_case(b, add_case(b, run_counting));
    run_all(b);
    CHECK_COUNT("runs", b->scripts[0].board->runs, ==, 1);
    CHECK_COUNT("runs of the reference", b->scripts[MOST_CASES].board->runs, ==, 0);
    CHECK_COUNT("samples", b->run.samples.n, ==, 1);
    CHECK_COUNT("passes", b->run.samples.items[0].passes, ==, 1);
    CHECK_TRUE("kind of trial", !b->run.samples.items[0].warmup);
    CHECK_COUNT("rounds", b->run.rounds, ==, 1);
    CHECK_INT("verified", b->run.cases[0].verified, VERIFIED_UNKNOWN);
}

static void a_duration_makes_one_trial_of_each_case(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 0;
    b->runner.duration_ns = 100 * NS_PER_MS;
    b->scripts[0].pass_ns = b->scripts[1].pass_ns = NS_PER_MS;
    add_case(b, run_counting);
    add_case(b, run_counting);
    run_all(b);
    CHECK_COUNT("rounds", b->run.rounds, ==, 1);
    for (unsigned i = 0; i < 2; i++) {
        check_case(&b->run.cases[i], CASE_OK);
        CHECK_COUNT("trials", run_count_trials(&b->run, i), ==, 1);
        CHECK_COUNT("warm-ups", count_warmups(b, i), ==, 0);
        CHECK_COUNT("runs", b->scripts[i].board->runs, ==, 1);
    }
}

static void a_profile_is_half_a_second_more_that_counts_in_no_figure(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    b->runner.profile = true;
    b->scripts[0].pass_ns = 50 * NS_PER_MS;
    add_case(b, run_counting);
    run_all(b);
    CHECK_TRUE("profile", b->run.cases[0].has_profile);
    CHECK_COUNT("passes of 50 ms or more", b->run.cases[0].profile.passes, <=, 20);
    CHECK_COUNT("wall_ns", b->run.cases[0].profile.wall_ns, >=, 400 * NS_PER_MS);
    CHECK_COUNT("trials", run_count_trials(&b->run, 0), ==, 1);
}

struct heard {
    unsigned warming, verifying, measuring, profiling, other;
};

static void hear(void *data, const struct progress *progress)
{
    struct heard *heard = data;
    unsigned *n = strcmp(progress->stage, "warming up") == 0  ? &heard->warming
                  : strcmp(progress->stage, "verifying") == 0 ? &heard->verifying
                  : strcmp(progress->stage, "measuring") == 0 ? &heard->measuring
                  : strcmp(progress->stage, "profiling") == 0 ? &heard->profiling
                                                              : &heard->other;
    (*n)++;
}

static void progress_tells_of_each_trial(void **state)
{
    struct bench *b = *state;
    struct heard heard = {0};
    b->runner.rounds = 3;
    b->runner.on_progress = hear;
    b->runner.progress_data = &heard;
    verify_case(b, add_case(b, run_counting));
    verify_case(b, add_case(b, run_counting));
    run_all(b);
    CHECK_COUNT("verifying", heard.verifying, ==, 3);
    CHECK_COUNT("warming up", heard.warming, >=, 2);
    CHECK_COUNT("measuring", heard.measuring, ==, 6);
    CHECK_COUNT("profiling", heard.profiling, ==, 0);
    CHECK_COUNT("other", heard.other, ==, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        RUNNER_TEST(two_cases_are_measured_in_each_of_twenty_rounds),
        RUNNER_TEST(a_case_that_sleeps_in_each_pass_is_slower),
        RUNNER_TEST(passes_fill_the_time_of_a_trial),
        RUNNER_TEST(a_trial_that_lost_everything_foretells_nothing),
        RUNNER_TEST(a_first_pass_that_costs_nothing_makes_no_long_trial),
        RUNNER_TEST(cases_that_are_nearly_as_fast_do_as_many_passes),
        RUNNER_TEST(the_number_of_rounds_is_exact),
        RUNNER_TEST(too_few_rounds_to_be_precise_are_cut_short),
        RUNNER_TEST(the_same_seed_gives_the_same_order_of_cases),
        RUNNER_TEST(a_run_stops_when_two_looks_in_a_row_find_it_precise),
        RUNNER_TEST(a_run_stops_at_the_end_of_the_round_that_passes_the_time_limit),
        RUNNER_TEST(a_lone_case_runs_a_hundred_rounds),
        RUNNER_TEST(a_case_of_a_single_pass_is_not_repeated_in_a_trial),
        RUNNER_TEST(a_case_may_ask_for_longer_trials),
        RUNNER_TEST(a_source_that_is_read_once_gives_one_trial),
        RUNNER_TEST(a_duration_makes_one_trial_of_each_case),
        RUNNER_TEST(a_profile_is_half_a_second_more_that_counts_in_no_figure),
        RUNNER_TEST(progress_tells_of_each_trial),
    };
    return cmocka_run_group_tests_name("runner", tests, NULL, NULL);
}
