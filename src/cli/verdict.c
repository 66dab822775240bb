/* The exit status of a run, and the gate. */
#include "config.h"

#include "cli/say.h"
#include "cli/session.h"

#include <math.h>

/* A gate: is a case surely slower than the baseline by more than was allowed? Says which. */
static bool has_regression(const struct session *s, bool *inconclusive)
{
    const struct run *run = &s->run;
    int baseline = run_baseline(run);
    bool regressed = false;
    for (unsigned i = 0; baseline >= 0 && i < run->n_cases; i++) {
        struct ratio r;
        struct err err = {0};
        if ((int)i == baseline || run->cases[i].status != CASE_OK ||
            run_compare(run, i, (unsigned)baseline, run_confidence(run), &r, &err) != 0)
            continue;
        *inconclusive |= r.verdict == VERDICT_INCONCLUSIVE;
        if (isnan(s->options.max_slowdown) || r.verdict != VERDICT_SLOWER)
            continue;
        regressed = true;
        say("%s is %.1f %% (%.1f .. %.1f) slower than %s: more than the %g %% allowed",
            run->cases[i].id, 100 * (r.ratio - 1), 100 * (r.low - 1), 100 * (r.high - 1),
            run->cases[baseline].id, 100 * s->options.max_slowdown);
    }
    return regressed;
}

int session_status(const struct session *s, bool written)
{
    const struct run *run = &s->run;
    bool inconclusive = false;
    bool regressed = has_regression(s, &inconclusive);
    bool measured = false;
    for (unsigned i = 0; i < run->n_cases; i++)
        measured |= run->cases[i].status == CASE_OK;
    if (run->signal_number != 0)
        return EXIT_SIGNAL + run->signal_number;
    if (!written || run->errors.n > 0 || !measured)
        return EXIT_UNMEASURED;
    if (regressed)
        return EXIT_REGRESSION;
    return s->options.strict && inconclusive ? EXIT_INCONCLUSIVE : EXIT_MEASURED;
}
