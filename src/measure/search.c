/* The highest rate of requests that keeps a quantile of latency within a bound. */
#include "config.h"

#include "measure/runner_state.h"

#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step that is shorter says little, and one that is longer is nothing to wait for. */
#define STEP_NS NS_PER_S
#define LONGEST_STEP_NS (20 * NS_PER_S)
/* Requests beyond a quantile that tell it (see histogram_quantile), and some more. */
#define TELLING_BEYOND 15.0
/* The rate is found when it is known so well. */
#define CLOSE_ENOUGH 1.03
enum { MOST_STEPS = 32 };
/* Part of the offered requests that must be answered for a rate to count as kept. */
#define KEPT 0.98

static uint64_t step_length(const struct runner *runner, double rate)
{
    double ns = (double)(runner->duration_ns > 0 ? runner->duration_ns : STEP_NS);
    if (!(rate > 0))
        return (uint64_t)ns;
    double needed = TELLING_BEYOND / (1 - runner->bound.quantile) / rate * 1e9;
    ns = fmax(ns, needed);
    return ns < (double)LONGEST_STEP_NS ? (uint64_t)ns : LONGEST_STEP_NS;
}

/* One trial of a rate; 0 stands for as many requests as are answered. What the histograms of the
 * case hold afterwards is of this step. */
static int take_step(struct runner_state *s, unsigned index, double rate, struct sample *sample)
{
    struct run_case *c = &s->run->cases[index];
    const struct runner *runner = s->runner;
    struct rate_step *steps = realloc(c->steps, (c->n_steps + 1) * sizeof *steps);
    if (steps == NULL)
        return err_set(s->err, errno, "cannot note a step");
    c->steps = steps;
    for (int h = 0; h < HISTOGRAMS; h++)
        if (c->histogram[h] != NULL)
            memset(c->histogram[h], 0, sizeof *c->histogram[h]);
    runner_report(s, "searching", c->label, (unsigned)c->n_steps + 1);
    *c->rate = rate > 0 ? (uint64_t)rate : PARAM_NONE;
    struct trial trial = runner_case_trial(s, c, &c->timed, UINT64_MAX);
    trial.duration_ns = step_length(runner, rate);
    memcpy(trial.histogram, c->histogram, sizeof trial.histogram);
    bool done = runner_try(s, index, &trial, sample);
    *c->rate = PARAM_NONE;
    if (!done)
        return -1;
    runner_check_itself(c, sample);
    struct rate_step *step = &c->steps[c->n_steps++];
    double wall_s = (double)sample->wall_ns / 1e9;
    *step = (struct rate_step){
        .rate = rate,
        .requests_per_s = (double)sample_requests(sample) / wall_s,
        .value_ns = histogram_quantile(c->histogram[OF_LATENCY], runner->bound.quantile)};
    step->kept = rate > 0 && step->value_ns != UNKNOWN && step->value_ns <= runner->bound.ns &&
                 step->requests_per_s >= KEPT * rate && sample_failures(sample) == 0;
    return c->status == CASE_OK ? 0 : -1;
}

/* Halves the distance, in logs, between what was kept and what was not. *kept is 0 where nothing
 * was. */
static int search(struct runner_state *s, unsigned index, double peak, double *kept,
                  struct sample *sample)
{
    struct run_case *c = &s->run->cases[index];
    double low = 0, high = 1.1 * peak, next = 0.7 * peak;
    /* Below that not even the longest step tells the quantile. */
    double least =
        TELLING_BEYOND / (1 - s->runner->bound.quantile) / ((double)LONGEST_STEP_NS / 1e9);
    bool confirmed = false;
    while (!confirmed && next >= least && c->n_steps < MOST_STEPS && !runner_is_interrupted(s)) {
        next = floor(next);
        if (take_step(s, index, next, sample) != 0)
            return -1;
        bool again = next <= low;
        if (c->steps[c->n_steps - 1].kept) {
            confirmed = again;
            low = next;
        } else {
            high = next;
            low = again ? 0.9 * low : low; /* it was kept by luck */
        }
        bool close = low > 0 && high / low <= CLOSE_ENOUGH;
        next = close || again ? low : low > 0 ? sqrt(low * high) : high / 2;
    }
    *kept = confirmed ? low : 0;
    return 0;
}

int runner_search(struct runner_state *s, unsigned index)
{
    struct run_case *c = &s->run->cases[index];
    struct sample sample;
    double kept = 0;
    if (take_step(s, index, 0, &sample) != 0)
        return 0; /* the case says why */
    double peak = c->steps[0].requests_per_s;
    if (search(s, index, peak, &kept, &sample) != 0 || runner_is_interrupted(s))
        return 0;
    c->found_rate = kept;
    if (kept > 0)
        return runner_keep(s, &sample, 1, index, false);
    run_case_end(c, CASE_FAILED, "no_rate",
                 "no rate from its peak of %.0f requests/s down to %.0f keeps the bound", peak,
                 c->steps[c->n_steps - 1].rate);
    return 0;
}
