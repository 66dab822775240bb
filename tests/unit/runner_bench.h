/* A runner and the cases that it runs, for tests: nothing of it measures anything real. */
#ifndef IOBENCH_TESTS_RUNNER_BENCH_H
#define IOBENCH_TESTS_RUNNER_BENCH_H

#include "check.h"
#include "parts.h"

#include "measure/runner.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_CASES = 4, DIGEST = 0xfeed };

/* Cases with a script and a board each; nothing else is heard of a run. */
struct bench {
    struct runner runner;
    struct run run;
    struct script scripts[MOST_CASES + 1]; /* the last one is of the reference */
    struct err err;
};

static inline int set_up_bench(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    *state = b;
    if (b == NULL || (b->run.cases = calloc(MOST_CASES, sizeof *b->run.cases)) == NULL)
        return -1;
    for (size_t i = 0; i < ROWS_OF(b->scripts); i++) {
        b->scripts[i] = (struct script){.board = new_board(), .bytes = 1000, .digest = DIGEST};
        if (b->scripts[i].board == NULL)
            return -1;
    }
    b->run.baseline = -1;
    b->run.delta = 0.01;
    b->runner = (struct runner){.rounds = 20,
                                .precision = 0.005,
                                .trial_time_ns = 1000,
                                .timeout_ns = 60 * NS_PER_S,
                                .warmup = 1,
                                .seed = 1,
                                .interrupted = &interrupted_by};
    return catch_interrupts();
}

static inline int tear_down_bench(void **state)
{
    struct bench *b = *state;
    release_interrupts();
    run_free(&b->run);
    for (size_t i = 0; i < ROWS_OF(b->scripts); i++)
        free_board(b->scripts[i].board);
    free(b);
    return 0;
}

#define RUNNER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_bench, tear_down_bench)

typedef int run_function(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                         struct tally *tally, struct err *err);

/* Adds a case that is not verified; verify_case makes it so. */
static inline struct run_case *add_case(struct bench *b, run_function *run)
{
    unsigned i = b->run.n_cases++;
    struct run_case *c = &b->run.cases[i];
    char name[16];
    snprintf(name, sizeof name, "case%u", i);
    *c = (struct run_case){
        .id = strdup(name), .label = strdup(name), .mode = strdup("scripted"), .workers = 1};
    c->timed = part_of(&b->scripts[i], run);
    return c;
}

static inline void verify_case(struct bench *b, struct run_case *c)
{
    c->verify = part_of(&b->scripts[c - b->run.cases], run_digest);
    c->reference = part_of(&b->scripts[MOST_CASES], run_digest);
}

static inline void run_all(struct bench *b)
{
    CHECK_OK("runner_run", runner_run(&b->runner, &b->run, &b->err), b->err);
}

static inline void check_case(const struct run_case *c, enum case_status status)
{
    if (c->status != status)
        fail_msg("%s: %s instead of %s: %s", c->id, case_status_name(c->status),
                 case_status_name(status), c->reason != NULL ? c->reason : "no reason");
}

#endif
