/* The search for the highest rate that keeps a bound of latency. */
#include "config.h"

#include "check.h"
#include "runner_bench.h"

/* A server that answers at once below its knee, slowly above it, and no more than its peak. */
struct served {
    uint64_t rate; /* offered; PARAM_NONE: as many as it answers */
    double knee, peak;
    uint64_t fast_ns, slow_ns;
    double failing_above; /* from this rate on one request fails */
};

static int serve(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                 struct tally *tally, struct err *err)
{
    (void)state, (void)passes, (void)err;
    const struct served *served = arg;
    uint64_t began = clock_now_ns();
    while (!atomic_load(seat->stop))
        nap(100 * 1000);
    double rate = served->rate == PARAM_NONE ? served->peak : (double)served->rate;
    double answered = rate < served->peak ? rate : served->peak;
    double s = (double)(clock_now_ns() - began) / 1e9;
    tally->counter[COUNTER_REQUESTS] = (uint64_t)(answered * s + 1);
    tally->counter[COUNTER_RESET] = rate > served->failing_above;
    for (uint64_t i = 0; i < tally->counter[COUNTER_REQUESTS]; i++)
        histogram_record(tally->histogram[OF_LATENCY],
                         rate > served->knee ? served->slow_ns : served->fast_ns);
    tally->passes = 1;
    return 0;
}

static struct run_case *add_served(struct bench *b, struct served *served)
{
    struct run_case *c = add_case(b, serve);
    c->timed = (struct part){.name = "served", .arg = served, .run = serve};
    c->rate = &served->rate;
    b->runner.bound = (struct latency_bound){0.9, NS_PER_MS};
    b->runner.duration_ns = 10 * NS_PER_MS;
    CHECK_OK("histogram", run_add_histogram(&c->histogram[OF_LATENCY], &b->err), b->err);
    return c;
}

static const struct served usual = {.rate = PARAM_NONE,
                                    .knee = 50000,
                                    .peak = 200000,
                                    .fast_ns = 1000,
                                    .slow_ns = 5 * NS_PER_MS,
                                    .failing_above = 1e9};

static void the_knee_is_found_within_three_percent_and_kept_twice(void **state)
{
    struct bench *b = *state;
    struct served served = usual;
    struct run_case *c = add_served(b, &served);
    run_all(b);
    check_case(c, CASE_OK);
    CHECK_REAL("rate", c->found_rate, <=, served.knee);
    CHECK_REAL("rate", c->found_rate, >=, served.knee / 1.04);
    CHECK_REAL("first step", c->steps[0].rate, ==, 0.0);
    unsigned kept = 0;
    for (size_t i = 0; i < c->n_steps; i++) {
        kept += c->steps[i].rate == c->found_rate && c->steps[i].kept;
        CHECK_INT("kept", c->steps[i].kept,
                  c->steps[i].rate > 0 && c->steps[i].rate <= served.knee);
    }
    CHECK_COUNT("steps that confirm", kept, ==, 2);
    CHECK_COUNT("samples", b->run.samples.n, ==, 1);
    CHECK_COUNT("rate between trials", served.rate, ==, PARAM_NONE);
}

static void no_rate_above_the_peak_is_found(void **state)
{
    struct bench *b = *state;
    struct served served = usual;
    served.knee = 1e9;
    served.peak = 40000;
    struct run_case *c = add_served(b, &served);
    run_all(b);
    check_case(c, CASE_OK);
    CHECK_REAL("rate", c->found_rate, <=, 1.1 * served.peak);
    CHECK_REAL("rate", c->found_rate, >=, served.peak / 1.04);
}

static void a_rate_with_failed_requests_is_not_kept(void **state)
{
    struct bench *b = *state;
    struct served served = usual;
    served.failing_above = 20000;
    struct run_case *c = add_served(b, &served);
    run_all(b);
    check_case(c, CASE_OK);
    CHECK_REAL("rate", c->found_rate, <=, 20000.0);
}

static void a_bound_that_no_rate_keeps_fails_the_case(void **state)
{
    struct bench *b = *state;
    struct served served = usual;
    served.fast_ns = served.slow_ns;
    served.peak = 1000;
    struct run_case *c = add_served(b, &served);
    run_all(b);
    check_case(c, CASE_FAILED);
    CHECK_TEXT("code", c->code, "no_rate");
    CHECK_REAL("rate", c->found_rate, ==, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNNER_TEST(the_knee_is_found_within_three_percent_and_kept_twice),
        RUNNER_TEST(no_rate_above_the_peak_is_found),
        RUNNER_TEST(a_rate_with_failed_requests_is_not_kept),
        RUNNER_TEST(a_bound_that_no_rate_keeps_fails_the_case),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
