#include "config.h"

#include "stats/gate.h"

#include "stats/stop.h"
#include "stats/summary.h"

#include <math.h>

#define CONFIDENCE 0.95
#define FOUND 0.95 /* in so many of all windows */

bool gate_replay(const struct tape *tape, size_t from, double max_slowdown, uint64_t limit_ns,
                 double *work, struct gate *gate)
{
    unsigned precise_looks = 0;
    *gate = (struct gate){0};
    for (size_t i = from; i < tape->n; i++) {
        gate->rounds++;
        gate->time_ns += tape->round_ns[i];
        bool over = gate->time_ns >= limit_ns, looks = stop_looks_after(gate->rounds);
        if (!over && !looks)
            continue;
        ratio_estimate(tape->logs + from, gate->rounds, CONFIDENCE, max_slowdown, work,
                       &gate->ratio);
        bool precise = ratio_half_width(&gate->ratio) <= max_slowdown / 2;
        gate->settled = looks && stop_looked(&precise_looks, precise);
        if (gate->settled || over)
            return true;
    }
    return false;
}

/* Rounds from there on that fill the time; 0: the tape ends before. */
static size_t rounds_of(const struct tape *tape, size_t from, uint64_t time_ns)
{
    uint64_t passed = 0;
    for (size_t i = from; i < tape->n; i++) {
        passed += tape->round_ns[i];
        if (passed >= time_ns)
            return i - from + 1;
    }
    return 0;
}

void gate_effect(const struct tape *tape, uint64_t time_ns, double *room, struct effect *effect)
{
    double *work = room, *halves = room + tape->n, *needed = halves + tape->n + 1;
    size_t n_needed = 0, n;
    *effect = (struct effect){time_ns, 0, 0, NAN, NAN};
    for (size_t from = 0; (n = rounds_of(tape, from, time_ns)) > 0; from += n) {
        struct ratio r;
        ratio_estimate(tape->logs + from, n, CONFIDENCE, 0, work, &r);
        bool known = !isnan(r.low);
        effect->misses += r.low > 1 || r.high < 1;
        halves[effect->windows++] = ratio_half_width(&r);
        needed[n_needed++] = known ? 1 / r.low - 1 : INFINITY;
        needed[n_needed++] = known ? r.high - 1 : INFINITY;
    }
    if (effect->windows == 0)
        return;
    sort_values(halves, effect->windows);
    sort_values(needed, n_needed);
    effect->half_width = quantile(halves, effect->windows, 0.5);
    effect->smallest = quantile(needed, n_needed, FOUND);
    if (!isfinite(effect->half_width))
        effect->half_width = NAN;
    if (!isfinite(effect->smallest))
        effect->smallest = NAN;
    else if (effect->smallest < 0)
        effect->smallest = 0;
}

double gate_finds(double smallest, double max_slowdown)
{
    return (1 + max_slowdown) * (1 + smallest) - 1;
}
