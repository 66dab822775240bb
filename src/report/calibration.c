/* From rounds of equal cases to figures. */
#include "config.h"

#include "report/calibration.h"

#include "base/clock.h"
#include "stats/binomial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.95
#define HIGH_STEAL 0.01

/* For how long a gate is looked at. */
static const uint64_t effect_times_ns[CALIBRATION_EFFECTS] = {NS_PER_S, 5 * NS_PER_S,
                                                              20 * NS_PER_S};

static void add_gates(const struct tape *tape, double *work, double *times, struct calibration *c)
{
    struct calibration_gates *gates = &c->gates;
    struct gate gate;
    *gates = (struct calibration_gates){0};
    for (size_t from = 0; gate_replay(tape, from, c->max_slowdown, c->gate_limit_ns, work, &gate);
         from += gate.rounds) {
        times[gates->n++] = (double)gate.time_ns;
        gates->settled += gate.settled;
        gates->false_alarms += gate.ratio.verdict == VERDICT_SLOWER;
    }
    summarize(times, gates->n, &gates->time_ns);
    binomial_interval(gates->false_alarms, gates->n, CONFIDENCE, &gates->rate_low,
                      &gates->rate_high);
}

int calibration_of_tape(const struct tape *tape, struct calibration *c, struct err *err)
{
    double *room = malloc((4 * tape->n + 4) * sizeof *room);
    if (room == NULL)
        return err_set(err, errno, "cannot calibrate");
    c->rounds = tape->n;
    c->rounds_ns = 0;
    for (size_t i = 0; i < tape->n; i++)
        c->rounds_ns += tape->round_ns[i];
    add_gates(tape, room, room + tape->n, c);
    for (size_t i = 0; i < CALIBRATION_EFFECTS; i++)
        gate_effect(tape, effect_times_ns[i], room, &c->effects[i]);
    free(room);
    return 0;
}

/* More misses than 5 in 100, and not by chance? */
static void doubt_intervals(const struct effect *e, struct notes *notes)
{
    double low, high;
    binomial_interval(e->misses, e->windows, CONFIDENCE, &low, &high);
    if (low > 1 - CONFIDENCE)
        notes_add(notes, "intervals_miss", NULL,
                  "%zu of %zu intervals of equal cases did not hold their ratio, more than the 5 "
                  "in 100 that are due: something else that runs here meets them unalike",
                  e->misses, e->windows);
}

void calibration_doubt(struct calibration *c)
{
    struct notes *notes = &c->warnings;
    doubt_intervals(&c->effects[0], notes);
    if (c->host->steal_ratio > HIGH_STEAL)
        notes_add(notes, "steal", NULL,
                  "the hypervisor took %.0f %% of the processor time away meanwhile",
                  100 * c->host->steal_ratio);
    if (c->gates.n == 0)
        notes_add(notes, "no_gate", NULL,
                  "no gate came to its end: --time-limit leaves too little time");
    if (isnan(c->relative.noise.bound))
        notes_add(notes, "no_run_noise", NULL,
                  "fewer than two runs were made: 'iobench compare' cannot take this document");
}

void calibration_free(struct calibration *c)
{
    notes_free(&c->warnings);
    notes_free(&c->errors);
}
