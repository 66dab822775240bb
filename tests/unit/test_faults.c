/* The runner: what becomes of cases that read other bytes, fail, die or are cut off. */
#include "config.h"

#include "check.h"
#include "runner_bench.h"

static void cases_with_the_digest_of_the_reference_are_verified(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    b->scripts[1].digest = DIGEST + 1;
    for (int i = 0; i < 3; i++)
        verify_case(b, add_case(b, run_counting));
    add_case(b, run_counting);
    run_all(b);
    for (unsigned i = 0; i < 4; i++)
        check_case(&b->run.cases[i], i == 1 ? CASE_INVALID : CASE_OK);
    CHECK_INT("right digest", b->run.cases[0].verified, VERIFIED_YES);
    CHECK_INT("wrong digest", b->run.cases[1].verified, VERIFIED_NO);
    CHECK_INT("right digest", b->run.cases[2].verified, VERIFIED_YES);
    CHECK_INT("no digest", b->run.cases[3].verified, VERIFIED_UNKNOWN);
    CHECK_TEXT("code", b->run.cases[1].code, "digest");
    CHECK_COUNT("trials of the wrong one", run_count_trials(&b->run, 1), ==, 0);
    CHECK_COUNT("trials of a right one", run_count_trials(&b->run, 2), ==, 1);
}

static void cases_of_another_key_have_another_reference(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    for (int i = 0; i < 4; i++) {
        verify_case(b, add_case(b, run_counting));
        b->run.cases[i].reference_key = (uint64_t)i % 2;
    }
    struct script other = {.board = b->scripts[MOST_CASES].board, .digest = 7};
    b->run.cases[1].reference = b->run.cases[3].reference = part_of(&other, run_digest);
    b->scripts[1].digest = 7;
    run_all(b);
    for (unsigned i = 0; i < 4; i++)
        check_case(&b->run.cases[i], i == 3 ? CASE_INVALID : CASE_OK);
    CHECK_COUNT("runs of references", b->scripts[MOST_CASES].board->runs, >=, 2);
}

static void nothing_is_verified_without_a_warm_up(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    b->runner.warmup = 0;
    b->scripts[0].digest = DIGEST + 1;
    verify_case(b, add_case(b, run_counting));
    run_all(b);
    check_case(&b->run.cases[0], CASE_OK);
    CHECK_INT("verified", b->run.cases[0].verified, VERIFIED_UNKNOWN);
}

static void bytes_that_always_change_are_nobodys_fault(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    b->runner.volatile_source = true;
    verify_case(b, add_case(b, run_counting));
    b->run.cases[0].reference.run = run_restless_digest;
    b->scripts[0].digest = 1;
    run_all(b);
    check_case(&b->run.cases[0], CASE_OK);
    CHECK_INT("verified", b->run.cases[0].verified, VERIFIED_UNKNOWN);
    CHECK_COUNT("warnings", b->run.warnings.n, ==, 1);
    CHECK_TEXT("warning", b->run.warnings.items[0].code, "source_changes");
}

static void bytes_that_change_where_they_should_not_are_invalid(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    verify_case(b, add_case(b, run_counting));
    b->run.cases[0].reference.run = run_restless_digest;
    b->scripts[0].digest = 1;
    run_all(b);
    check_case(&b->run.cases[0], CASE_INVALID);
    CHECK_INT("verified", b->run.cases[0].verified, VERIFIED_NO);
}

static void a_case_that_dies_midway_fails_and_the_others_go_on(void **state)
{
    struct bench *b = *state;
    b->scripts[1].good_runs = 12;
    add_case(b, run_counting);
    add_case(b, run_dying_later);
    add_case(b, run_counting);
    run_all(b);
    CHECK_COUNT("rounds", b->run.rounds, ==, 20);
    check_case(&b->run.cases[1], CASE_FAILED);
    CHECK_HAS("reason", b->run.cases[1].reason, "SIGBUS");
    CHECK_COUNT("trials until then", run_count_trials(&b->run, 1), >, 0);
    CHECK_COUNT("trials until then", run_count_trials(&b->run, 1), <, 12);
    for (unsigned i = 0; i < 3; i += 2) {
        check_case(&b->run.cases[i], CASE_OK);
        CHECK_COUNT("trials of the others", run_count_trials(&b->run, i), ==, 20);
    }
}

static void a_run_ends_when_all_its_cases_have_failed(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1000000;
    b->scripts[0].good_runs = b->scripts[1].good_runs = 6;
    add_case(b, run_dying_later);
    add_case(b, run_dying_later);
    run_all(b);
    check_case(&b->run.cases[0], CASE_FAILED);
    check_case(&b->run.cases[1], CASE_FAILED);
    CHECK_COUNT("rounds", b->run.rounds, <=, 7);
    CHECK_INT("baseline", run_baseline(&b->run), -1);
}

static void a_failed_part_gives_its_reason_to_the_case(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    add_case(b, run_counting)->timed.setup = setup_failing;
    run_all(b);
    check_case(&b->run.cases[0], CASE_FAILED);
    CHECK_TEXT("reason", b->run.cases[0].reason, "cannot get a buffer: Cannot allocate memory");
    CHECK_TEXT("code", b->run.cases[0].code, "ENOMEM");
    CHECK_COUNT("rounds", b->run.rounds, ==, 0);
}

static void a_skipped_case_is_left_alone(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 2;
    run_case_end(add_case(b, run_counting), CASE_SKIPPED, "source", "a pipe");
    add_case(b, run_counting);
    run_all(b);
    CHECK_COUNT("runs", b->scripts[0].board->runs, ==, 0);
    CHECK_TEXT("reason", b->run.cases[0].reason, "a pipe");
    CHECK_COUNT("trials of the other", run_count_trials(&b->run, 1), ==, 2);
}

static void a_pass_with_other_bytes_than_the_first_is_invalid(void **state)
{
    struct bench *b = *state;
    b->scripts[0].good_runs = 12;
    add_case(b, run_growing);
    add_case(b, run_counting);
    run_all(b);
    check_case(&b->run.cases[0], CASE_INVALID);
    CHECK_TEXT("code", b->run.cases[0].code, "bytes");
    check_case(&b->run.cases[1], CASE_OK);
    CHECK_COUNT("trials of the other", run_count_trials(&b->run, 1), ==, 20);
}

static void a_failed_preparation_fails_the_case(void **state)
{
    struct bench *b = *state;
    b->runner.rounds = 1;
    b->runner.prepare = "exit 3";
    add_case(b, run_counting);
    run_all(b);
    check_case(&b->run.cases[0], CASE_FAILED);
    CHECK_TEXT("code", b->run.cases[0].code, "prepare");
    CHECK_HAS("reason", b->run.cases[0].reason, "status 3");
    CHECK_COUNT("runs", b->scripts[0].board->runs, ==, 0);
}

static void an_interrupted_run_keeps_its_partial_result(void **state)
{
    struct bench *b = *state;
    add_case(b, run_interrupting);
    b->runner.warmup = 0;
    b->runner.duration_ns = 100 * NS_PER_MS;
    b->scripts[0].pass_ns = NS_PER_MS;
    run_all(b);
    CHECK_INT("signal", b->run.signal_number, SIGINT);
    CHECK_COUNT("complete rounds", b->run.rounds, ==, 0);
    CHECK_COUNT("samples", b->run.samples.n, ==, 1);
    CHECK_TRUE("completeness", !b->run.samples.items[0].complete);
    CHECK_COUNT("bytes", b->run.samples.items[0].bytes, >=, 1000);
    check_case(&b->run.cases[0], CASE_OK);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        RUNNER_TEST(cases_with_the_digest_of_the_reference_are_verified),
        RUNNER_TEST(cases_of_another_key_have_another_reference),
        RUNNER_TEST(nothing_is_verified_without_a_warm_up),
        RUNNER_TEST(bytes_that_always_change_are_nobodys_fault),
        RUNNER_TEST(bytes_that_change_where_they_should_not_are_invalid),
        RUNNER_TEST(a_case_that_dies_midway_fails_and_the_others_go_on),
        RUNNER_TEST(a_run_ends_when_all_its_cases_have_failed),
        RUNNER_TEST(a_failed_part_gives_its_reason_to_the_case),
        RUNNER_TEST(a_skipped_case_is_left_alone),
        RUNNER_TEST(a_pass_with_other_bytes_than_the_first_is_invalid),
        RUNNER_TEST(a_failed_preparation_fails_the_case),
        RUNNER_TEST(an_interrupted_run_keeps_its_partial_result),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
