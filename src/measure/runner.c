#include "config.h"

#include "measure/runner.h"

#include "base/clock.h"
#include "measure/order.h"
#include "measure/runner_state.h"
#include "stats/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LONE_CASE_ROUNDS = 100, TELLING_TRIALS = 3, WARM_UP_TRIALS = 16, GROWTH = 10 };
#define LONG_PASS_NS (500.0 * NS_PER_MS)
#define ALIKE 1.5 /* times as long */
#define LONE_CASE_NS (3 * NS_PER_S)

bool runner_is_interrupted(const struct runner_state *s)
{
    return *s->runner->interrupted != 0;
}

void runner_report(const struct runner_state *s, const char *stage, const char *label,
                   unsigned round)
{
    if (s->runner->on_progress == NULL)
        return;
    uint64_t elapsed = s->rounds_started_ns > 0 ? clock_now_ns() - s->rounds_started_ns : 0;
    struct progress progress = {stage, label, round, elapsed, s->runner->time_limit_ns};
    s->runner->on_progress(s->runner->progress_data, &progress);
}

struct trial runner_trial(const struct runner_state *s, const struct part *part, unsigned workers,
                          uint64_t passes)
{
    return (struct trial){.subject = part,
                          .workers = workers,
                          .passes = passes,
                          .timeout_ns = s->runner->timeout_ns,
                          .cpus = s->runner->cpus,
                          .interrupted = s->runner->interrupted};
}

struct trial runner_case_trial(const struct runner_state *s, const struct run_case *c,
                               const struct part *part, uint64_t passes)
{
    struct trial trial = runner_trial(s, part, c->workers, passes);
    trial.peer = c->peer.run != NULL ? &c->peer : NULL;
    trial.peer_workers = c->peer_workers;
    trial.link = &c->link;
    trial.ramp = c->ramp;
    trial.peer_drives = c->peer_drives;
    trial.serves = c->serves;
    trial.grace_ns = c->grace_ns;
    trial.cpus = c->cpus != NULL ? c->cpus : s->runner->cpus;
    trial.peer_cpus = c->peer_cpus != NULL ? c->peer_cpus : s->runner->peer_cpus;
    return trial;
}

bool runner_try(struct runner_state *s, unsigned index, const struct trial *trial,
                struct sample *sample)
{
    struct run_case *c = &s->run->cases[index];
    struct err why = {0};
    *sample = (struct sample){.cpu = -1};
    if (s->runner->prepare != NULL && trial_run_command(s->runner->prepare, s->runner->timeout_ns,
                                                        s->runner->interrupted, &why) != 0) {
        if (!runner_is_interrupted(s))
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

int runner_keep(struct runner_state *s, struct sample *sample, unsigned round, unsigned position,
                bool warmup)
{
    if (s->run->cases[sample->case_index].kind == CASE_EXEC) /* who waits for it only waits */
        sample->running_ns = sample->runnable_ns = UNKNOWN;
    sample->round = round;
    sample->position = position;
    sample->warmup = warmup;
    return samples_add(&s->run->samples, sample, s->err);
}

int runner_keep_unfinished(struct runner_state *s, struct sample *sample, unsigned round,
                           unsigned position, bool warmup)
{
    if (sample->bytes == 0 && sample->passes == 0 && sample_failures(sample) == 0)
        return 0;
    return runner_keep(s, sample, round, position, warmup);
}

uint64_t runner_passes_for(uint64_t ns, double per_pass)
{
    double passes = per_pass > 0 ? ceil((double)ns / per_pass) : 1;
    return passes < 1 ? 1 : passes > 1e12 ? (uint64_t)1e12 : (uint64_t)passes;
}

/* By the bytes, where they tell: who receives ahead of the clock has less left to do. */
static double passes_done(const struct run_case *c, const struct sample *sample)
{
    bool counts = c->pass_bytes != UNKNOWN && c->pass_bytes > 0 && sample->bytes > 0;
    return counts ? (double)sample->bytes / (double)c->pass_bytes : (double)sample->passes;
}

/* Where bytes get lost, all may be lost before the clock starts: that foretells nothing, least of
 * all that a pass takes no time. */
static bool foretells(const struct run_case *c, const struct sample *sample)
{
    return !c->lossy || sample->bytes > 0;
}

/* As many as fill the goal; from a trial that is too short to tell, not too many at once. */
static void choose_passes(const struct runner_state *s, struct run_case *c, uint64_t goal,
                          double fastest, bool tells)
{
    uint64_t most = tells ? UINT64_MAX : c->passes * GROWTH;
    c->pass_ns = fastest;
    c->passes = runner_passes_for(goal, fastest);
    if (c->passes > most)
        c->passes = most;
    if (c->peer.run != NULL && fastest > 0)
        c->ramp = (double)s->runner->ramp_ns / fastest;
}

/* Finds the passes of a trial: grows it until it is long enough to foretell the full length, then
 * takes the fastest of a few. One trial alone would do on a quiet machine; on a busy one trials of
 * unlike length would follow, and what a fresh process costs once would weigh on them unlike. */
static int calibrate(struct runner_state *s, unsigned index)
{
    struct run_case *c = &s->run->cases[index];
    uint64_t goal = s->runner->trial_time_ns;
    if (goal < c->least_trial_ns)
        goal = c->least_trial_ns;
    double fastest = INFINITY;
    c->passes = 1;
    c->pass_ns = 0;
    for (int attempt = 0, telling = 0; attempt < WARM_UP_TRIALS && telling < TELLING_TRIALS;
         attempt++) {
        runner_report(s, "warming up", c->label, 0);
        struct trial trial = runner_case_trial(s, c, &c->timed, c->passes);
        struct sample sample;
        if (!runner_try(s, index, &trial, &sample))
            return runner_keep_unfinished(s, &sample, 0, index, true);
        if (c->pass_bytes == UNKNOWN && foretells(c, &sample))
            c->pass_bytes = sample.bytes / c->passes;
        bool tells = sample.wall_ns >= goal / 2;
        if (telling == 0)
            fastest = INFINITY; /* the first request of an open loop does not wait for its turn */
        if (foretells(c, &sample))
            fastest = fmin(fastest, (double)sample.wall_ns / passes_done(c, &sample));
        runner_check_itself(c, &sample);
        if (c->status != CASE_OK)
            return runner_keep(s, &sample, 0, index, true);
        if (tells) {
            telling++;
            if (runner_keep(s, &sample, 0, index, true) != 0)
                return -1;
        }
        if (isinf(fastest))
            continue;
        choose_passes(s, c, goal, fastest, tells);
        if (telling > 0 && c->passes == 1 && fastest > LONG_PASS_NS)
            break; /* that long, it was no accident */
    }
    return 0;
}

/* Is it the same work, or takes nearly as long? One disturbed calibration is not to tell twins
 * apart. */
static bool are_alike(const struct run_case *a, const struct run_case *b)
{
    bool twins =
        strcmp(a->mode, b->mode) == 0 && memcmp(&a->params, &b->params, sizeof a->params) == 0;
    return twins || (a->pass_ns < ALIKE * b->pass_ns && b->pass_ns < ALIKE * a->pass_ns);
}

/* Cases that are nearly as fast do as many passes in a trial. The first pass of a fresh process
 * takes longer (by a third, for 16 MiB in a virtual machine): with two passes in the one trial and
 * three in the other, equal cases differed by 5 %. */
static void share_passes(struct run *run)
{
    for (unsigned i = 0; i < run->n_cases; i++) {
        struct run_case *a = &run->cases[i];
        a->shared_passes = a->passes;
        for (unsigned j = 0; j < run->n_cases && !a->single_pass; j++) {
            const struct run_case *b = &run->cases[j];
            if (!b->single_pass && b->passes > a->shared_passes && are_alike(a, b))
                a->shared_passes = b->passes;
        }
    }
    for (unsigned i = 0; i < run->n_cases; i++)
        run->cases[i].passes = run->cases[i].shared_passes;
}

/* Nothing may get lost between two ends. */
static void check_peer(struct run_case *c, const struct sample *sample)
{
    if (!sample->has_peer || c->lossy || c->kind == CASE_EXEC)
        return;
    uint64_t received = sample->bytes + sample->ramp_bytes + sample->cut_bytes;
    if (sample->peer.bytes != received)
        run_case_end(c, CASE_INVALID, "bytes",
                     "received %" PRIu64 " bytes of the %" PRIu64 " that were sent", received,
                     sample->peer.bytes);
}

/* A trial that moved other bytes than the verified pass read something else. */
static void check_bytes(const struct runner_state *s, struct run_case *c,
                        const struct sample *sample)
{
    check_peer(c, sample);
    if (sample->has_peer)
        return;
    if (s->source_changes || s->runner->once || c->pass_bytes == UNKNOWN)
        return;
    if (sample->bytes != c->pass_bytes * sample->passes && s->runner->duration_ns == 0)
        run_case_end(c, CASE_INVALID, "bytes",
                     "read %" PRIu64 " bytes in %" PRIu64
                     " passes, where the first pass had %" PRIu64 ": the file changed",
                     sample->bytes, sample->passes, c->pass_bytes);
}

static int measure_case(struct runner_state *s, unsigned index, unsigned round, unsigned position,
                        bool warmup)
{
    struct run_case *c = &s->run->cases[index];
    if (c->status != CASE_OK)
        return 0;
    runner_report(s, warmup ? "warming up" : "measuring", c->label, round);
    struct trial trial = runner_case_trial(s, c, &c->timed, c->passes);
    if (!warmup) {
        memcpy(trial.histogram, c->histogram, sizeof trial.histogram);
        c->intervals = (struct intervals){.items = c->intervals.items,
                                          .on_interval = s->runner->on_interval,
                                          .data = s->runner->interval_data};
        trial.intervals = &c->intervals;
        trial.interval_ns = s->runner->interval_ns;
    }
    if (s->runner->duration_ns > 0 && !c->single_pass) {
        trial.passes = UINT64_MAX;
        trial.duration_ns = s->runner->duration_ns;
    }
    struct sample sample;
    if (!runner_try(s, index, &trial, &sample))
        return runner_keep_unfinished(s, &sample, round, position, warmup);
    check_bytes(s, c, &sample);
    runner_check_itself(c, &sample);
    s->run->served |= c->serves;
    return runner_keep(s, &sample, round, position, warmup);
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
static bool is_precise(struct runner_state *s)
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
static bool is_done(struct runner_state *s)
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
    if (stop_looks_after(run->rounds) && stop_looked(&s->precise_looks, is_precise(s)))
        return true;
    run->cut_short = time_over && !is_precise(s);
    return time_over;
}

static int run_rounds(struct runner_state *s)
{
    struct order order;
    if (order_init(&order, s->run->n_cases, s->runner->seed, s->err) != 0)
        return -1;
    int status = 0;
    s->rounds_started_ns = clock_now_ns();
    for (bool done = false; status == 0 && !done && !runner_is_interrupted(s);) {
        const unsigned *row = order_round(&order);
        unsigned round = s->run->rounds + 1;
        for (unsigned place = 0; place < order.n && status == 0 && !runner_is_interrupted(s);
             place++)
            status = measure_case(s, row[place], round, place, false);
        if (status == 0 && (!runner_is_interrupted(s) || s->run->served)) {
            s->run->rounds++;
            done = is_done(s);
        }
    }
    order_free(&order);
    return status;
}

/* A trial of given length counts no passes. */
static bool needs_calibration(const struct runner_state *s, const struct run_case *c)
{
    return c->status == CASE_OK && !c->single_pass && s->runner->duration_ns == 0;
}

static int warm_up(struct runner_state *s)
{
    for (unsigned i = 0; i < s->run->n_cases && !runner_is_interrupted(s); i++)
        if (needs_calibration(s, &s->run->cases[i]) && calibrate(s, i) != 0)
            return -1;
    share_passes(s->run);
    for (uint64_t w = 1; w < s->runner->warmup; w++)
        for (unsigned i = 0; i < s->run->n_cases && !runner_is_interrupted(s); i++)
            if (measure_case(s, i, 0, i, true) != 0)
                return -1;
    return 0;
}

int runner_run(const struct runner *runner, struct run *run, struct err *err)
{
    struct runner_state s = {.runner = runner, .run = run, .err = err};
    for (unsigned i = 0; i < run->n_cases; i++) {
        run->cases[i].pass_bytes = UNKNOWN;
        run->cases[i].passes = 1;
    }
    int status = 0;
    if (!runner->once && runner->warmup > 0)
        status = runner_verify(&s);
    bool searches = runner->bound.ns > 0;
    for (unsigned i = 0; searches && status == 0 && i < run->n_cases; i++)
        if (run->cases[i].status == CASE_OK && !runner_is_interrupted(&s))
            status = runner_search(&s, i);
    if (searches) {
        run->rounds = 1;
        run->signal_number = *runner->interrupted;
        return status;
    }
    if (status == 0 && !runner->once)
        status = warm_up(&s);
    unsigned last;
    if (status == 0 && !runner_is_interrupted(&s) && count_ok(run, &last) > 0)
        status = run_rounds(&s);
    for (unsigned i = 0; status == 0 && runner->profile && !runner->once && i < run->n_cases; i++)
        if (run->cases[i].status == CASE_OK && !runner_is_interrupted(&s))
            runner_profile(&s, i);
    run->signal_number = run->served ? 0 : (int)*runner->interrupted;
    return status;
}
