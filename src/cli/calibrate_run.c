#include "config.h"

#include "cli/calibrate_run.h"

#include "base/clock.h"
#include "base/rng.h"
#include "family/file.h"
#include "measure/runner.h"
#include "stats/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs of unlike cases lie before, between and behind the stretches of equal ones, so that they are
 * as far apart as the time allows. The time is shared out by these weights. */
enum { SHARE_OF_RUN = 1, SHARE_OF_STRETCH = 4, LEAST_RUNS = 3 };

#define TIME_PER_RUN_NS (12 * NS_PER_S)
#define LEAST_LIMIT_NS (300 * NS_PER_MS) /* for some rounds at least */
#define TRIAL_TIMEOUT_NS (60 * NS_PER_S)

/* The first is the control, and the one that is compared with itself. Loops around a call, a
 * library around the same call, and page faults: the more unlike, the more their ratio moves. */
static const char *const unlike_modes[CALIBRATE_UNLIKE] = {"sysread", "fread", "mmap"};
static const char *const equal_modes[] = {"sysread", "sysread"};

static void show_progress(void *data, const struct progress *progress)
{
    struct calibrate_run *c = data;
    struct progress shown = {c->stage, progress->label, progress->round,
                             clock_now_ns() - c->began_ns, c->calibration->time_limit_ns};
    progress_draw(&c->line, &shown);
}

/* How long the rounds of the next piece may take: its share of what is left, less what comes before
 * its rounds. */
static uint64_t share_of_time(struct calibrate_run *c, unsigned share)
{
    uint64_t passed = clock_now_ns() - c->began_ns, limit = c->calibration->time_limit_ns;
    uint64_t ns = passed < limit ? (limit - passed) / c->left * share : 0;
    c->left -= share;
    return ns > c->overhead_ns + LEAST_LIMIT_NS ? ns - c->overhead_ns : LEAST_LIMIT_NS;
}

static bool is_over(const struct calibrate_run *c)
{
    return *c->interrupted != 0 || clock_now_ns() - c->began_ns >= c->calibration->time_limit_ns;
}

/* The first case must be measured, and another one beside it. */
static int check_cases(const struct calibrate_run *c, const struct run *run, struct err *err)
{
    unsigned ok = 0;
    for (unsigned i = 0; i < run->n_cases; i++)
        ok += run->cases[i].status == CASE_OK;
    if (*c->interrupted != 0 || (ok >= 2 && run->cases[0].status == CASE_OK))
        return 0;
    for (unsigned i = 0; i < run->n_cases; i++)
        if (run->cases[i].status != CASE_OK)
            return err_set(err, 0, "cannot calibrate: %s: %s: %s", run->cases[i].label,
                           case_status_name(run->cases[i].status),
                           run->cases[i].reason != NULL ? run->cases[i].reason : "out of memory");
    return err_set(err, 0, "cannot calibrate: too few cases");
}

/* One piece: all modes in rounds for their share of the time. Verified is what the first piece of
 * a kind reads. */
static int measure(struct calibrate_run *c, const char *const *modes, size_t n_modes,
                   unsigned share, bool verify, struct run *run, struct err *err)
{
    struct request request = c->request;
    request.modes = modes;
    request.n_modes = n_modes;
    request.modes_given = true;
    run->baseline = 0;
    struct file_plan *plan = file_plan_cases(&request, c->source, run, err);
    if (plan == NULL)
        return -1;
    struct runner runner = {
        .precision = 0, /* never: the time is what ends it */
        .time_limit_ns = share_of_time(c, share),
        .trial_time_ns = c->calibration->trial_time_ns,
        .timeout_ns = TRIAL_TIMEOUT_NS,
        .warmup = verify,
        .seed = (c->calibration->seed + c->left) % RNG_SEED_LIMIT,
        .interrupted = c->interrupted,
        .on_progress = c->shows_progress ? show_progress : NULL,
        .progress_data = c,
    };
    uint64_t began = clock_now_ns();
    int status = runner_run(&runner, run, err);
    uint64_t took = clock_now_ns() - began;
    c->overhead_ns = took > run->rounds_ns ? took - run->rounds_ns : 0;
    file_plan_free(plan);
    return status == 0 ? check_cases(c, run, err) : status;
}

/* Adds a stretch to the tape. Its rounds are taken to be equally long: what is asked of them is how
 * many go into a second. */
static int keep_stretch(struct calibrate_run *c, const struct run *run, struct err *err)
{
    size_t most = c->n_rounds + run->samples.n;
    double *logs = realloc(c->logs, (most + 1) * sizeof *logs);
    if (logs != NULL)
        c->logs = logs;
    uint64_t *round_ns = realloc(c->round_ns, (most + 1) * sizeof *round_ns);
    if (round_ns != NULL)
        c->round_ns = round_ns;
    if (logs == NULL || round_ns == NULL)
        return err_set(err, errno, "cannot keep the rounds");
    size_t n = run_pair_logs(run, 1, 0, c->logs + c->n_rounds);
    if (n > run->rounds)
        n = run->rounds; /* a signal cut the last one off */
    for (size_t i = 0; i < n; i++)
        c->round_ns[c->n_rounds + i] = run->rounds_ns / run->rounds;
    c->n_rounds += n;
    return 0;
}

static int measure_stretch(struct calibrate_run *c, bool first, struct err *err)
{
    struct run run = {.delta = c->calibration->max_slowdown};
    c->stage = "equal cases:";
    int status = measure(c, equal_modes, 2, SHARE_OF_STRETCH, first, &run, err);
    if (status == 0 && run.rounds > 0)
        status = keep_stretch(c, &run, err);
    run_free(&run);
    return status;
}

/* However few there are: that makes runs differ more, and what is concluded safer. */
static double median_of(double *values, size_t n)
{
    if (n == 0)
        return NAN;
    sort_values(values, n);
    return quantile(values, n, 0.5);
}

/* The medians of one run; it counts when its control has one. */
static int keep_run(struct calibrate_run *c, const struct run *run, struct err *err)
{
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    if (work == NULL)
        return err_set(err, errno, "cannot keep the run");
    size_t at = c->n_runs;
    for (unsigned i = 0; i < CALIBRATE_UNLIKE; i++) {
        snprintf(c->ids[i], sizeof c->ids[i], "%s", run->cases[i].id);
        c->relative[i][at] = median_of(work, i > 0 ? run_pair_logs(run, i, 0, work) : 0);
        c->absolute[i][at] = log(median_of(work, run_values(run, i, run_cost(run), work)));
    }
    if (!isnan(c->absolute[0][at]))
        c->n_runs++;
    free(work);
    return 0;
}

static int measure_run(struct calibrate_run *c, bool first, struct err *err)
{
    struct run run = {.delta = c->calibration->max_slowdown};
    uint64_t began = clock_now_ns();
    c->stage = "runs:";
    int status = measure(c, unlike_modes, CALIBRATE_UNLIKE, SHARE_OF_RUN, first, &run, err);
    if (status == 0 && run.n_cases == CALIBRATE_UNLIKE)
        status = keep_run(c, &run, err);
    if (c->n_runs == 1 && c->first_run_ns == 0)
        c->first_run_ns = began;
    c->last_run_ns = began;
    run_free(&run);
    return status;
}

/* The case whose runs differ most. */
static void figure_noise(const struct calibrate_run *c, const double medians[][CALIBRATE_MOST_RUNS],
                         unsigned from, struct calibration_noise *worst)
{
    noise_estimate(NULL, 0, &worst->noise);
    for (unsigned i = from; i < CALIBRATE_UNLIKE; i++) {
        double known[CALIBRATE_MOST_RUNS];
        size_t n = 0;
        struct noise noise;
        for (size_t r = 0; r < c->n_runs; r++)
            if (!isnan(medians[i][r]))
                known[n++] = medians[i][r];
        noise_estimate(known, n, &noise);
        if (isnan(noise.bound) || noise.bound < worst->noise.bound)
            continue;
        *worst = (struct calibration_noise){c->ids[i], noise};
    }
}

static int figure(struct calibrate_run *c, struct err *err)
{
    struct calibration *all = c->calibration;
    all->runs = c->n_runs;
    all->span_ns = c->n_runs > 1 ? c->last_run_ns - c->first_run_ns : 0;
    all->control = all->equal_id = c->ids[0][0] != '\0' ? c->ids[0] : NULL;
    figure_noise(c, c->relative, 1, &all->relative);
    figure_noise(c, c->absolute, 0, &all->absolute);
    struct tape tape = {c->logs, c->round_ns, c->n_rounds};
    return calibration_of_tape(&tape, all, err);
}

int calibrate_run(struct calibrate_run *c, struct err *err)
{
    uint64_t wanted = c->calibration->time_limit_ns / TIME_PER_RUN_NS;
    unsigned runs = wanted < LEAST_RUNS            ? LEAST_RUNS
                    : wanted > CALIBRATE_MOST_RUNS ? CALIBRATE_MOST_RUNS
                                                   : (unsigned)wanted;
    int status = 0;
    c->began_ns = clock_now_ns();
    c->left = runs * SHARE_OF_RUN + (runs - 1) * SHARE_OF_STRETCH;
    for (unsigned i = 0; i < runs && status == 0 && !is_over(c); i++) {
        status = measure_run(c, i == 0, err);
        if (status == 0 && i + 1 < runs && !is_over(c))
            status = measure_stretch(c, i == 0, err);
    }
    progress_clear(&c->line);
    return status == 0 ? figure(c, err) : status;
}

void calibrate_run_free(struct calibrate_run *c)
{
    free(c->logs);
    free(c->round_ns);
}
