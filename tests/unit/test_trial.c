/* Trials: a part in a child process of its own, however it ends. */
#include "config.h"

#include "check.h"
#include "parts.h"

#include "base/histogram.h"
#include "measure/trial.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>

#define PATIENCE (60 * NS_PER_S)

/* A script on a board of its own, and a trial of it: three passes by one worker. */
struct bench {
    struct board *board;
    struct script script;
    struct part part;
    struct trial trial;
    struct sample sample;
    struct err err;
};

static int set_up_bench(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    *state = b;
    if (b == NULL || (b->board = new_board()) == NULL)
        return -1;
    b->script = (struct script){.board = b->board, .bytes = 1000};
    b->part = part_of(&b->script, run_counting);
    b->part.setup = setup_noted;
    b->part.teardown = teardown_noted;
    b->trial = (struct trial){.subject = &b->part,
                              .workers = 1,
                              .passes = 3,
                              .timeout_ns = PATIENCE,
                              .interrupted = &interrupted_by};
    return catch_interrupts();
}

static int tear_down_bench(void **state)
{
    struct bench *b = *state;
    release_interrupts();
    free_board(b->board);
    free(b);
    return 0;
}

#define TRIAL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_bench, tear_down_bench)

static const char *const end_names[] = {"done", "failed", "timed out", "interrupted"};

/* Runs the trial; whatever came of it, no child may be left. */
static void run_trial(struct bench *b, enum trial_end wanted)
{
    enum trial_end end = trial_run(&b->trial, &b->sample, &b->err);
    if (end != wanted)
        fail_msg("%s instead of %s: %s", end_names[end], end_names[wanted], b->err.text);
    CHECK_TRUE("completeness", b->sample.complete == (wanted == TRIAL_DONE));
    CHECK_INT("waitpid", waitpid(-1, NULL, WNOHANG), -1);
    CHECK_INT("waitpid", errno, ECHILD);
}

static void a_trial_counts_what_its_part_did(void **state)
{
    struct bench *b = *state;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("passes", b->sample.passes, ==, 3);
    CHECK_COUNT("bytes", b->sample.bytes, ==, 3000);
    CHECK_COUNT("calls", b->sample.calls, ==, 6);
    CHECK_COUNT("short calls", b->sample.short_calls, ==, 3);
    CHECK_COUNT("newlines", b->sample.newlines, ==, 9);
    CHECK_COUNT("wall_ns", b->sample.wall_ns, >, 0);
    CHECK_COUNT("peak_rss_bytes", b->sample.peak_rss_bytes, >, 0);
    CHECK_TRUE("digest", !b->sample.has_digest);
    CHECK_COUNT("setups", b->board->setups, ==, 1);
    CHECK_COUNT("runs", b->board->runs, ==, 1);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 1);
}

static void a_part_may_have_no_state_and_nothing_to_set_up(void **state)
{
    struct bench *b = *state;
    b->part.state_size = 0;
    b->part.setup = NULL;
    b->part.teardown = NULL;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("passes", b->sample.passes, ==, 3);
}

static void a_digest_reaches_the_sample(void **state)
{
    struct bench *b = *state;
    b->script.digest = 0xfeed;
    b->part.run = run_digest;
    run_trial(b, TRIAL_DONE);
    CHECK_TRUE("digest", b->sample.has_digest);
    CHECK_COUNT("digest", b->sample.digest, ==, 0xfeed);
}

static void a_part_is_prepared_once_before_it_is_set_up(void **state)
{
    struct bench *b = *state;
    b->part.prepare = prepare_noted;
    b->trial.workers = 2;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("preparations", b->board->prepared, ==, 1);
    CHECK_COUNT("setups", b->board->setups, ==, 2);
    CHECK_COUNT("prepare_ns", b->sample.prepare_ns, >, 0);
}

static void a_failed_preparation_fails_the_trial_before_its_setup(void **state)
{
    struct bench *b = *state;
    b->part.prepare = prepare_failing;
    run_trial(b, TRIAL_FAILED);
    CHECK_TEXT("message", b->err.text, "cannot make it cold: Operation not permitted");
    CHECK_COUNT("setups", b->board->setups, ==, 0);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 0);
}

static void a_failed_setup_fails_the_trial_and_is_torn_down(void **state)
{
    struct bench *b = *state;
    b->part.setup = setup_failing;
    run_trial(b, TRIAL_FAILED);
    CHECK_TEXT("message", b->err.text, "cannot get a buffer: Cannot allocate memory");
    CHECK_INT("number", b->err.number, ENOMEM);
    CHECK_COUNT("runs", b->board->runs, ==, 0);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 1);
}

static void only_the_workers_that_were_set_up_are_torn_down(void **state)
{
    struct bench *b = *state;
    b->part.setup = setup_failing;
    b->script.bad_worker = 1;
    b->trial.workers = 3;
    run_trial(b, TRIAL_FAILED);
    CHECK_COUNT("setups", b->board->setups, ==, 2);
    CHECK_COUNT("runs", b->board->runs, ==, 0);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 2);
}

static void a_failed_run_fails_the_trial_with_its_message(void **state)
{
    struct bench *b = *state;
    b->part.run = run_failing;
    run_trial(b, TRIAL_FAILED);
    CHECK_TEXT("message", b->err.text, "cannot read 'x': Input/output error");
    CHECK_INT("number", b->err.number, EIO);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 1);
}

static void one_failed_worker_fails_the_trial(void **state)
{
    struct bench *b = *state;
    b->part.run = run_failing;
    b->script.bad_worker = 2;
    b->trial.workers = 3;
    run_trial(b, TRIAL_FAILED);
    CHECK_HAS("message", b->err.text, "cannot read 'x'");
    CHECK_COUNT("runs", b->board->runs, ==, 3);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 3);
}

static void a_part_that_dies_fails_the_trial_with_the_name_of_the_signal(void **state)
{
    struct bench *b = *state;
    b->part.run = run_dying;
    run_trial(b, TRIAL_FAILED);
    CHECK_HAS("message", b->err.text, "SIGBUS");
    CHECK_COUNT("passes until then", b->sample.passes, ==, 3);
}

static void a_part_that_hangs_is_killed_when_its_time_is_over(void **state)
{
    struct bench *b = *state;
    b->part.run = run_hanging;
    b->trial.timeout_ns = 100 * NS_PER_MS;
    run_trial(b, TRIAL_TIMED_OUT);
    CHECK_HAS("message", b->err.text, "not done after 0.1 s");
    CHECK_INT("number", b->err.number, ETIMEDOUT);
    CHECK_COUNT("cpu_ns", b->sample.cpu_ns, ==, UNKNOWN);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 0);
}

static int setup_hanging(void *state, const void *arg, const struct seat *seat, struct err *err)
{
    (void)state, (void)arg, (void)seat, (void)err;
    return hang();
}

static void a_setup_that_hangs_is_killed_as_well(void **state)
{
    struct bench *b = *state;
    b->part.setup = setup_hanging;
    b->trial.timeout_ns = 100 * NS_PER_MS;
    run_trial(b, TRIAL_TIMED_OUT);
    CHECK_COUNT("passes", b->sample.passes, ==, 0);
    CHECK_COUNT("wall_ns", b->sample.wall_ns, ==, 0);
}

static void an_interrupted_trial_keeps_what_was_done_until_then(void **state)
{
    struct bench *b = *state;
    b->part.run = run_interrupting;
    run_trial(b, TRIAL_INTERRUPTED);
    CHECK_INT("signal", interrupted_by, SIGINT);
    CHECK_COUNT("passes", b->sample.passes, ==, 3);
    CHECK_COUNT("bytes", b->sample.bytes, ==, 3000);
    CHECK_COUNT("calls", b->sample.calls, ==, 6);
    CHECK_COUNT("wall_ns", b->sample.wall_ns, >, 0);
    CHECK_COUNT("cpu_ns", b->sample.cpu_ns, ==, UNKNOWN);
    CHECK_COUNT("peak_rss_bytes", b->sample.peak_rss_bytes, ==, UNKNOWN);
}

static void a_signal_that_came_before_the_trial_is_not_lost(void **state)
{
    struct bench *b = *state;
    b->part.run = run_hanging;
    raise(SIGINT); /* pending: it is blocked outside of waiting */
    CHECK_INT("signal", interrupted_by, 0);
    run_trial(b, TRIAL_INTERRUPTED);
    CHECK_INT("signal", interrupted_by, SIGINT);
}

static void a_duration_ends_with_the_pass_in_which_it_is_over(void **state)
{
    struct bench *b = *state;
    b->script.pass_ns = NS_PER_MS;
    b->trial.passes = UINT64_MAX;
    b->trial.duration_ns = 200 * NS_PER_MS;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("passes", b->sample.passes, >=, 1);
    CHECK_COUNT("bytes", b->sample.bytes, ==, 1000 * b->sample.passes);
    CHECK_COUNT("wall_ns", b->sample.wall_ns, >=, b->trial.duration_ns);
    CHECK_COUNT("passes of 1 ms", b->sample.passes, <=, b->sample.wall_ns / NS_PER_MS);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 1);
}

static void a_duration_is_no_longer_than_the_passes(void **state)
{
    struct bench *b = *state;
    b->trial.duration_ns = PATIENCE;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("passes", b->sample.passes, ==, 3);
}

static void a_duration_may_be_longer_than_the_timeout(void **state)
{
    struct bench *b = *state;
    b->script.pass_ns = NS_PER_MS;
    b->trial.passes = UINT64_MAX;
    b->trial.duration_ns = 800 * NS_PER_MS;
    b->trial.timeout_ns = 600 * NS_PER_MS;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("wall_ns", b->sample.wall_ns, >=, b->trial.duration_ns);
}

static void the_work_of_several_workers_is_summed(void **state)
{
    struct bench *b = *state;
    b->trial.workers = 4;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("passes", b->sample.passes, ==, 3);
    CHECK_COUNT("bytes", b->sample.bytes, ==, 4 * 3000);
    CHECK_COUNT("calls", b->sample.calls, ==, 4 * 6);
    CHECK_COUNT("short calls", b->sample.short_calls, ==, 4 * 3);
    CHECK_COUNT("newlines", b->sample.newlines, ==, 4 * 9);
    CHECK_COUNT("setups", b->board->setups, ==, 4);
    CHECK_COUNT("runs", b->board->runs, ==, 4);
    CHECK_COUNT("teardowns", b->board->teardowns, ==, 4);
}

static int run_without_calls(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                             struct tally *tally, struct err *err)
{
    const struct script *script = arg;
    int status = run_counting(state, arg, seat, passes, tally, err);
    if (seat->worker >= script->bad_worker)
        tally->calls = UNKNOWN;
    return status;
}

static void calls_that_are_unknown_stay_unknown(void **state)
{
    struct bench *b = *state;
    b->part.run = run_without_calls;
    for (b->trial.workers = 1; b->trial.workers <= 4; b->trial.workers++) {
        for (b->script.bad_worker = 0; b->script.bad_worker < b->trial.workers;
             b->script.bad_worker++) {
            run_trial(b, TRIAL_DONE);
            CHECK_COUNT("calls", b->sample.calls, ==, UNKNOWN);
            CHECK_COUNT("bytes", b->sample.bytes, ==, b->trial.workers * 3000);
        }
    }
}

/* Gives the key of worker 0 as bytes, and its own as calls. */
static int run_telling_keys(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
                            struct tally *tally, struct err *err)
{
    (void)arg, (void)passes, (void)err;
    const struct script_state *own = opaque, *first = seat->first;
    tally->bytes = first->key;
    tally->calls = own->key;
    tally->passes = seat->workers;
    return 0;
}

static void all_workers_see_the_state_of_the_first_and_have_their_own(void **state)
{
    struct bench *b = *state;
    b->part.run = run_telling_keys;
    b->trial.workers = 3;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("keys of the first", b->sample.bytes, ==, 3 * 100);
    CHECK_COUNT("own keys", b->sample.calls, ==, 100 + 101 + 102);
    CHECK_COUNT("workers", b->sample.passes, ==, 3);
}

static int run_busy(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                    struct tally *tally, struct err *err)
{
    (void)state, (void)arg, (void)seat, (void)err;
    uint64_t end = clock_cpu_ns() + 2 * NS_PER_MS;
    while (clock_cpu_ns() < end)
        continue;
    tally->passes = passes;
    return 0;
}

static void processor_time_is_near_wall_time_when_busy_and_far_from_it_when_asleep(void **state)
{
    struct bench *b = *state;
    b->part.run = run_busy;
    double most = 0;
    for (int attempt = 0; attempt < 200 && most < 0.5; attempt++) { /* others may be busy, too */
        run_trial(b, TRIAL_DONE);
        double ratio = (double)b->sample.cpu_ns / (double)b->sample.wall_ns;
        CHECK_REAL("busy", ratio, <, 1.1);
        most = ratio > most ? ratio : most;
    }
    CHECK_REAL("busy", most, >, 0.5);
    b->part.run = run_counting;
    b->script.pass_ns = 10 * NS_PER_MS;
    run_trial(b, TRIAL_DONE);
    CHECK_REAL("asleep", (double)b->sample.cpu_ns, <, 0.3 * (double)b->sample.wall_ns);
    CHECK_COUNT("switches when asleep", b->sample.voluntary_switches, >=, 3);
}

static int run_noting_phases(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                             struct tally *tally, struct err *err)
{
    (void)state, (void)arg, (void)seat, (void)err;
    tally->passes = passes;
    tally->open_ns = tally->phases ? 5 : 0;
    tally->close_ns = tally->phases ? 7 : 0;
    return 0;
}

static void phases_are_timed_when_asked_for(void **state)
{
    struct bench *b = *state;
    b->part.run = run_noting_phases;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("open_ns", b->sample.open_ns, ==, 0);
    b->trial.phases = true;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("open_ns", b->sample.open_ns, ==, 5);
    CHECK_COUNT("close_ns", b->sample.close_ns, ==, 7);
}

/* Records a time of 1 ns for each pass of worker 0, of 2 ns for each of worker 1, ... */
static int run_timing_calls(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                            struct tally *tally, struct err *err)
{
    (void)state, (void)arg, (void)err;
    for (; tally->passes < passes; tally->passes++)
        if (tally->histogram[OF_LATENCY] != NULL)
            histogram_record(tally->histogram[OF_LATENCY], 1 + seat->worker);
    return 0;
}

static void times_of_calls_are_gathered_over_workers_and_trials(void **state)
{
    struct bench *b = *state;
    struct histogram *all = calloc(1, sizeof *all);
    b->part.run = run_timing_calls;
    b->trial.workers = 3;
    run_trial(b, TRIAL_DONE);
    b->trial.histogram[OF_LATENCY] = all;
    run_trial(b, TRIAL_DONE);
    run_trial(b, TRIAL_DONE);
    uint64_t count = all->count, of_second = all->bucket[2], max = all->max;
    free(all);
    CHECK_COUNT("calls", count, ==, 2 * 3 * 3);
    CHECK_COUNT("calls of the second worker", of_second, ==, 2 * 3);
    CHECK_COUNT("longest", max, ==, 3);
}

/* A pass for a process group of its own, and one for each ending signal that is let through. */
static int run_looking_around(void *state, const void *arg, const struct seat *seat,
                              uint64_t passes, struct tally *tally, struct err *err)
{
    (void)state, (void)arg, (void)seat, (void)passes, (void)err;
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    tally->passes += getpgrp() == getpid();
    for (size_t i = 0; i < ROWS_OF(ending); i++) {
        struct sigaction action;
        sigaction(ending[i], NULL, &action);
        tally->passes += !sigismember(&mask, ending[i]) && action.sa_handler == SIG_DFL;
    }
    return 0;
}

static void a_trial_has_its_own_process_group_and_the_default_signals(void **state)
{
    struct bench *b = *state;
    signal(SIGHUP, SIG_DFL); /* as nohup would not have it */
    b->part.run = run_looking_around;
    run_trial(b, TRIAL_DONE);
    CHECK_COUNT("what is as it should be", b->sample.passes, ==, 4);
}

static void a_pinned_trial_ends_on_its_processor(void **state)
{
    struct bench *b = *state;
#if defined(HAVE_SCHED_SETAFFINITY) && defined(HAVE_SCHED_GETCPU)
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    struct cpus cpus = {.n = 1};
    while (!CPU_ISSET(cpus.id[0], &set))
        cpus.id[0]++;
    b->trial.cpus = &cpus;
    run_trial(b, TRIAL_DONE);
    CHECK_INT("processor", b->sample.cpu, (int)cpus.id[0]);
#else
    (void)b;
    skip();
#endif
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TRIAL_TEST(a_trial_counts_what_its_part_did),
        TRIAL_TEST(a_part_may_have_no_state_and_nothing_to_set_up),
        TRIAL_TEST(a_digest_reaches_the_sample),
        TRIAL_TEST(a_part_is_prepared_once_before_it_is_set_up),
        TRIAL_TEST(a_failed_preparation_fails_the_trial_before_its_setup),
        TRIAL_TEST(a_failed_setup_fails_the_trial_and_is_torn_down),
        TRIAL_TEST(only_the_workers_that_were_set_up_are_torn_down),
        TRIAL_TEST(a_failed_run_fails_the_trial_with_its_message),
        TRIAL_TEST(one_failed_worker_fails_the_trial),
        TRIAL_TEST(a_part_that_dies_fails_the_trial_with_the_name_of_the_signal),
        TRIAL_TEST(a_part_that_hangs_is_killed_when_its_time_is_over),
        TRIAL_TEST(a_setup_that_hangs_is_killed_as_well),
        TRIAL_TEST(an_interrupted_trial_keeps_what_was_done_until_then),
        TRIAL_TEST(a_signal_that_came_before_the_trial_is_not_lost),
        TRIAL_TEST(a_duration_ends_with_the_pass_in_which_it_is_over),
        TRIAL_TEST(a_duration_is_no_longer_than_the_passes),
        TRIAL_TEST(a_duration_may_be_longer_than_the_timeout),
        TRIAL_TEST(the_work_of_several_workers_is_summed),
        TRIAL_TEST(calls_that_are_unknown_stay_unknown),
        TRIAL_TEST(all_workers_see_the_state_of_the_first_and_have_their_own),
        TRIAL_TEST(processor_time_is_near_wall_time_when_busy_and_far_from_it_when_asleep),
        TRIAL_TEST(phases_are_timed_when_asked_for),
        TRIAL_TEST(times_of_calls_are_gathered_over_workers_and_trials),
        TRIAL_TEST(a_trial_has_its_own_process_group_and_the_default_signals),
        TRIAL_TEST(a_pinned_trial_ends_on_its_processor),
    };
    return cmocka_run_group_tests_name("trial", tests, NULL, NULL);
}
