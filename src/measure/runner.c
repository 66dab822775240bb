#include "config.h"

#include "measure/runner.h"

#include "base/clock.h"
#include "measure/order.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Looking at the intervals after each round would cost coverage (8 % misses where 5 % are due). */
enum { PRECISION_EVERY = 20 };
enum { LONE_CASE_ROUNDS = 100 };
#define LONE_CASE_NS (3 * NS_PER_S)
#define PROFILE_NS (500 * NS_PER_MS)

struct state {
    const struct runner *runner;
    struct run *run;
    struct err *err;
    uint64_t rounds_started_ns;
    bool source_changes; /* the same reading gave other bytes: nothing can be verified */
};

static bool is_interrupted(const struct state *s)
{
    return *s->runner->interrupted != 0;
}

static void report_progress(const struct state *s, const char *stage, const char *label,
                            unsigned round)
{
    if (s->runner->on_progress == NULL)
        return;
    uint64_t elapsed = s->rounds_started_ns > 0 ? clock_now_ns() - s->rounds_started_ns : 0;
    struct progress progress = {stage, label, round, elapsed, s->runner->time_limit_ns};
    s->runner->on_progress(s->runner->progress_data, &progress);
}

static struct trial plan_trial(const struct state *s, const struct part *part, unsigned workers,
                               uint64_t passes)
{
    return (struct trial){.subject = part,
                          .workers = workers,
                          .passes = passes,
                          .timeout_ns = s->runner->timeout_ns,
                          .cpus = s->runner->cpus,
                          .interrupted = s->runner->interrupted};
}

/* Runs a trial of case index after the user's --prepare; a case that cannot go on is ended. True
 * when the sample is complete. */
static bool try_case(struct state *s, unsigned index, const struct trial *trial,
                     struct sample *sample)
{
    struct run_case *c = &s->run->cases[index];
    struct err why = {0};
    *sample = (struct sample){.cpu = -1};
    if (s->runner->prepare != NULL && trial_run_command(s->runner->prepare, s->runner->timeout_ns,
                                                        s->runner->interrupted, &why) != 0) {
        if (!is_interrupted(s))
            run_case_end(c, CASE_FAILED, "prepare", "%s", why.text);
        return false;
    }
    enum trial_end end = trial_run(trial, sample, &why);
    sample->case_index = index;
    if (end == TRIAL_DONE)
        return true;
    if (end != TRIAL_INTERRUPTED)
        run_case_end(c, CASE_FAILED, err_name(why.number), "%s", why.text);
    return false;
}

static int keep(struct state *s, struct sample *sample, unsigned round, unsigned position,
                bool warmup)
{
    sample->round = round;
    sample->position = position;
    sample->warmup = warmup;
    return samples_add(&s->run->samples, sample, s->err);
}

/* An unfinished trial is worth keeping when it moved something: it is the partial result. */
static int keep_unfinished(struct state *s, struct sample *sample, unsigned round,
                           unsigned position, bool warmup)
{
    if (sample->bytes == 0 && sample->passes == 0)
        return 0;
    return keep(s, sample, round, position, warmup);
}

/* The digest of a case's bytes by an independent reading; false when it cannot be had. */
static bool read_reference(struct state *s, const struct run_case *c, uint64_t *digest)
{
    if (c->reference.run == NULL)
        return false;
    struct trial trial = plan_trial(s, &c->reference, 1, 1);
    struct sample sample;
    struct err why = {0};
    report_progress(s, "verifying", c->reference.name, 0);
    if (trial_run(&trial, &sample, &why) != TRIAL_DONE || !sample.has_digest)
        return false;
    *digest = sample.digest;
    return true;
}

static int digest_case(struct state *s, unsigned index)
{
    struct run_case *c = &s->run->cases[index];
    if (c->status != CASE_OK || c->verify.run == NULL)
        return 0;
    report_progress(s, "verifying", c->label, 0);
    struct trial trial = plan_trial(s, &c->verify, c->workers, 1);
    struct sample sample;
    if (!try_case(s, index, &trial, &sample))
        return keep_unfinished(s, &sample, 0, index, true);
    c->has_digest = sample.has_digest;
    c->digest = sample.digest;
    if (c->kind == CASE_STRATEGY) /* a command's output says nothing of what it read */
        c->pass_bytes = sample.bytes;
    return 0;
}

/* Compares the digests of all cases with the same reference. When that reading itself does not come
 * out the same twice the source changed; where that is its nature nothing is verified and nobody is
 * to blame. */
static void verify_group(struct state *s, unsigned first)
{
    struct run *run = s->run;
    uint64_t key = run->cases[first].reference_key, expected = 0, again = 0;
    if (!read_reference(s, &run->cases[first], &expected))
        return;
    bool differs = false;
    for (unsigned i = first; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        differs |= c->reference_key == key && c->has_digest && c->digest != expected;
    }
    bool changes = differs && read_reference(s, &run->cases[first], &again) && again != expected;
    if (is_interrupted(s))
        return;
    if (changes && s->runner->volatile_source) {
        s->source_changes = true;
        return;
    }
    for (unsigned i = first; i < run->n_cases; i++) {
        struct run_case *c = &run->cases[i];
        if (c->reference_key != key || !c->has_digest)
            continue;
        c->verified = c->digest == expected ? VERIFIED_YES : VERIFIED_NO;
        if (c->verified == VERIFIED_NO)
            run_case_end(c, CASE_INVALID, "digest",
                         changes ? "the file changed while it was read"
                                 : "its bytes differ from those of the reference reading");
    }
}

static bool leads_group(const struct run *run, unsigned index)
{
    if (!run->cases[index].has_digest)
        return false;
    for (unsigned i = 0; i < index; i++)
        if (run->cases[i].has_digest &&
            run->cases[i].reference_key == run->cases[index].reference_key)
            return false;
    return true;
}

/* Digests every case's bytes and compares them with an independent reading of the same source. */
static int verify(struct state *s)
{
    for (unsigned i = 0; i < s->run->n_cases && !is_interrupted(s); i++)
        if (digest_case(s, i) != 0)
            return -1;
    for (unsigned i = 0; i < s->run->n_cases && !is_interrupted(s); i++)
        if (leads_group(s->run, i))
            verify_group(s, i);
    if (s->source_changes)
        notes_add(&s->run->warnings, "source_changes", NULL,
                  "what is read changes from one reading to the next: it cannot be verified");
    return 0;
}

/* How many passes fill ns, from a trial that was measured; at least one. */
static uint64_t passes_for(uint64_t ns, const struct sample *sample)
{
    double per_pass = sample_wall_ns_per_pass(sample);
    double passes = per_pass > 0 ? ceil((double)ns / per_pass) : 1;
    return passes < 1 ? 1 : passes > 1e12 ? (uint64_t)1e12 : (uint64_t)passes;
}

/* Finds the passes of a trial: grows it until it is long enough to foretell the full length. */
static int calibrate(struct state *s, unsigned index)
{
    struct run_case *c = &s->run->cases[index];
    uint64_t goal = s->runner->trial_time_ns;
    if (goal < c->least_trial_ns)
        goal = c->least_trial_ns;
    c->passes = 1;
    for (int attempt = 0; attempt < 6 && c->status == CASE_OK && !is_interrupted(s); attempt++) {
        report_progress(s, "warming up", c->label, 0);
        struct trial trial = plan_trial(s, &c->timed, c->workers, c->passes);
        struct sample sample;
        if (!try_case(s, index, &trial, &sample))
            return keep_unfinished(s, &sample, 0, index, true);
        if (c->pass_bytes == UNKNOWN)
            c->pass_bytes = sample.bytes / c->passes;
        bool telling = sample.wall_ns >= goal / 2;
        if (telling && keep(s, &sample, 0, index, true) != 0)
            return -1;
        c->passes = passes_for(goal, &sample);
        if (telling)
            break;
    }
    return 0;
}

/* A trial that moved other bytes than the verified pass read something else. */
static void check_bytes(const struct state *s, struct run_case *c, const struct sample *sample)
{
    if (s->source_changes || s->runner->once || c->pass_bytes == UNKNOWN)
        return;
    if (sample->bytes != c->pass_bytes * sample->passes && s->runner->duration_ns == 0)
        run_case_end(c, CASE_INVALID, "bytes",
                     "read %" PRIu64 " bytes in %" PRIu64 " passes, where the first pass had %" PRIu64
                     ": the file changed",
                     sample->bytes, sample->passes, c->pass_bytes);
}

static int measure_case(struct state *s, unsigned index, unsigned round, unsigned position,
                        bool warmup)
{
    struct run_case *c = &s->run->cases[index];
    if (c->status != CASE_OK)
        return 0;
    report_progress(s, warmup ? "warming up" : "measuring", c->label, round);
    struct trial trial = plan_trial(s, &c->timed, c->workers, c->passes);
    if (!warmup)
        trial.latency = c->latency;
    if (s->runner->duration_ns > 0 && !c->single_pass) {
        trial.passes = UINT64_MAX;
        trial.duration_ns = s->runner->duration_ns;
    }
    struct sample sample;
    if (!try_case(s, index, &trial, &sample))
        return keep_unfinished(s, &sample, round, position, warmup);
    check_bytes(s, c, &sample);
    return keep(s, &sample, round, position, warmup);
}

static unsigned count_ok(const struct run *run, unsigned *last)
{
    unsigned n = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        if (run->cases[i].status == CASE_OK) {
            n++;
            *last = i;
        }
    }
    return n;
}

/* Is every ratio known to within the precision asked for? */
static bool is_precise(struct state *s)
{
    int baseline = run_baseline(s->run);
    if (baseline < 0)
        return true;
    double confidence = run_confidence(s->run);
    for (unsigned i = 0; i < s->run->n_cases; i++) {
        struct ratio ratio;
        if ((int)i == baseline || s->run->cases[i].status != CASE_OK)
            continue;
        if (run_compare(s->run, i, (unsigned)baseline, confidence, &ratio, s->err) != 0)
            return true;
        if (ratio_half_width(&ratio) > s->runner->precision)
            return false;
    }
    return true;
}

/* Looks at the end of a round whether it was the last one. */
static bool is_done(struct state *s)
{
    const struct runner *r = s->runner;
    struct run *run = s->run;
    run->rounds_ns = clock_now_ns() - s->rounds_started_ns;
    if (r->once || r->duration_ns > 0)
        return true;
    bool time_over = r->time_limit_ns > 0 && run->rounds_ns >= r->time_limit_ns;
    unsigned lone = 0, left = count_ok(run, &lone);
    if (left == 0)
        return true;
    if (r->rounds > 0) {
        bool over = run->rounds >= r->rounds || time_over;
        run->cut_short = over && left > 1 && !is_precise(s);
        return over;
    }
    if (left == 1)
        return time_over || run->rounds >= LONE_CASE_ROUNDS || run->rounds_ns >= LONE_CASE_NS;
    if (run->rounds % PRECISION_EVERY == 0 && is_precise(s))
        return true;
    run->cut_short = time_over;
    return time_over;
}

static int run_rounds(struct state *s)
{
    struct order order;
    if (order_init(&order, s->run->n_cases, s->runner->seed, s->err) != 0)
        return -1;
    int status = 0;
    s->rounds_started_ns = clock_now_ns();
    for (bool done = false; status == 0 && !done && !is_interrupted(s);) {
        const unsigned *row = order_round(&order);
        unsigned round = s->run->rounds + 1;
        for (unsigned place = 0; place < order.n && status == 0 && !is_interrupted(s); place++)
            status = measure_case(s, row[place], round, place, false);
        if (status == 0 && !is_interrupted(s)) {
            s->run->rounds++;
            done = is_done(s);
        }
    }
    order_free(&order);
    return status;
}

/* The same trial once more, untimed, under perf. Where perf cannot, the run goes on without it. */
static void watch_case(struct state *s, unsigned index, uint64_t passes)
{
    struct run_case *c = &s->run->cases[index];
    struct perf perf = {0};
    struct sample sample;
    struct err why = {0};
    if (asprintf(&perf.data_path, "%s/case-%u.data", s->runner->perf_directory, index + 1) < 0)
        return;
    struct trial trial = plan_trial(s, &c->timed, c->workers, passes);
    trial.perf = &perf;
    report_progress(s, "watching", c->label, s->run->rounds);
    enum trial_end end = trial_run(&trial, &sample, &why);
    if (end == TRIAL_DONE)
        c->n_symbols = perf_top(perf.data_path, c->symbols);
    else if (end != TRIAL_INTERRUPTED)
        notes_add(&s->run->warnings, "perf", NULL, "%s was not profiled: %s", c->label, why.text);
    free(perf.data_path);
}

/* One trial long enough for what the kernel samples by ticks: user against system time. */
static void profile_case(struct state *s, unsigned index)
{
    struct run_case *c = &s->run->cases[index];
    report_progress(s, "profiling", c->label, s->run->rounds);
    double per_pass = NAN;
    for (size_t i = 0; i < s->run->samples.n; i++)
        if (s->run->samples.items[i].case_index == index && sample_counts(&s->run->samples.items[i]))
            per_pass = sample_wall_ns_per_pass(&s->run->samples.items[i]);
    if (isnan(per_pass))
        return;
    struct sample known = {.passes = 1, .wall_ns = (uint64_t)fmax(per_pass, 1)};
    uint64_t passes = c->single_pass ? 1 : passes_for(PROFILE_NS, &known);
    struct trial trial = plan_trial(s, &c->timed, c->workers, passes);
    trial.phases = true;
    c->has_profile = try_case(s, index, &trial, &c->profile);
    if (s->runner->perf_directory != NULL && c->status == CASE_OK && !is_interrupted(s))
        watch_case(s, index, passes);
}

/* A trial of given length counts no passes. */
static bool needs_calibration(const struct state *s, const struct run_case *c)
{
    return c->status == CASE_OK && !c->single_pass && s->runner->duration_ns == 0;
}

static int warm_up(struct state *s)
{
    for (unsigned i = 0; i < s->run->n_cases && !is_interrupted(s); i++)
        if (needs_calibration(s, &s->run->cases[i]) && calibrate(s, i) != 0)
            return -1;
    for (uint64_t w = 1; w < s->runner->warmup; w++)
        for (unsigned i = 0; i < s->run->n_cases && !is_interrupted(s); i++)
            if (measure_case(s, i, 0, i, true) != 0)
                return -1;
    return 0;
}

int runner_run(const struct runner *runner, struct run *run, struct err *err)
{
    struct state s = {.runner = runner, .run = run, .err = err};
    for (unsigned i = 0; i < run->n_cases; i++) {
        run->cases[i].pass_bytes = UNKNOWN;
        run->cases[i].passes = 1;
    }
    int status = 0;
    if (!runner->once && runner->warmup > 0)
        status = verify(&s);
    if (status == 0 && !runner->once)
        status = warm_up(&s);
    unsigned last;
    if (status == 0 && !is_interrupted(&s) && count_ok(run, &last) > 0)
        status = run_rounds(&s);
    for (unsigned i = 0; status == 0 && runner->profile && !runner->once && i < run->n_cases; i++)
        if (run->cases[i].status == CASE_OK && !is_interrupted(&s))
            profile_case(&s, i);
    run->signal_number = *runner->interrupted;
    return status;
}
