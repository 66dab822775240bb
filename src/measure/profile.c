/* Long trials after the rounds: user against system time, the price of open and close, and perf. */
#include "config.h"

#include "measure/runner_state.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PROFILE_NS (500 * NS_PER_MS)
enum { MOST_PROFILE_TRIALS = 100 };

/* The same trial once more, untimed, under perf. Where perf cannot, the run goes on without it. */
static void watch_case(struct runner_state *s, unsigned index, uint64_t passes)
{
    struct run_case *c = &s->run->cases[index];
    struct perf perf = {0};
    struct sample sample;
    struct err why = {0};
    if (asprintf(&perf.data_path, "%s/case-%u.data", s->runner->perf_directory, index + 1) < 0)
        return;
    struct trial trial = runner_case_trial(s, c, &c->timed, passes);
    trial.perf = &perf;
    runner_report(s, "watching", c->label, s->run->rounds);
    enum trial_end end = trial_run(&trial, &sample, &why);
    if (end == TRIAL_DONE)
        c->n_symbols = perf_top(perf.data_path, c->symbols);
    else if (end != TRIAL_INTERRUPTED)
        notes_add(&s->run->warnings, "perf", NULL, "%s was not profiled: %s", c->label, why.text);
    free(perf.data_path);
}

static void add_to_profile(struct sample *profile, const struct sample *sample)
{
    profile->passes += sample->passes;
    profile->wall_ns += sample->wall_ns;
    profile->user_ns += sample->user_ns;
    profile->system_ns += sample->system_ns;
    profile->open_ns += sample->open_ns;
    profile->close_ns += sample->close_ns;
}

/* One trial long enough for what the kernel samples by ticks: user against system time. Where a
 * trial is one pass it takes several, and the split is rougher. */
void runner_profile(struct runner_state *s, unsigned index)
{
    struct run_case *c = &s->run->cases[index];
    runner_report(s, "profiling", c->label, s->run->rounds);
    double per_pass = NAN;
    for (size_t i = 0; i < s->run->samples.n; i++)
        if (s->run->samples.items[i].case_index == index &&
            sample_counts(&s->run->samples.items[i]))
            per_pass = sample_wall_ns_per_pass(&s->run->samples.items[i]);
    if (isnan(per_pass))
        return;
    uint64_t passes = c->single_pass ? 1 : runner_passes_for(PROFILE_NS, per_pass);
    struct trial trial = runner_case_trial(s, c, &c->timed, passes);
    trial.phases = true;
    for (int i = 0; i < MOST_PROFILE_TRIALS && c->profile.wall_ns < PROFILE_NS; i++) {
        struct sample sample;
        if (!c->single_pass) /* what is missing */
            trial.passes = runner_passes_for(PROFILE_NS - c->profile.wall_ns, per_pass);
        if (!runner_try(s, index, &trial, &sample))
            return;
        add_to_profile(&c->profile, &sample);
        c->has_profile = true;
    }
    if (s->runner->perf_directory != NULL && c->status == CASE_OK && !runner_is_interrupted(s))
        watch_case(s, index, passes);
}
