#include "config.h"

#include "measure/actor.h"

#include "base/clock.h"
#include "measure/usage.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct part *actor_part(const struct actor *actor)
{
    return actor->role == PEER ? actor->trial->peer : actor->trial->subject;
}

unsigned trial_workers(const struct trial *trial, enum role role)
{
    return role == PEER ? trial_peer_workers(trial) : trial->workers;
}

struct tally *stage_tallies(const struct trial *trial, struct stage *stage, enum role role)
{
    return stage->tally + (role == PEER ? trial->workers : 0);
}

static unsigned actor_workers(const struct actor *actor)
{
    return trial_workers(actor->trial, actor->role);
}

static struct tally *actor_tally(const struct actor *actor, unsigned worker)
{
    return &stage_tallies(actor->trial, actor->stage, actor->role)[worker];
}

struct worker {
    const struct actor *actor;
    struct seat seat;
    void *state;
    pthread_t thread;
    pthread_barrier_t *start;
    struct err err;
    int status;
};

static unsigned stage_workers(const struct trial *trial)
{
    return trial->workers + trial_peer_workers(trial);
}

static size_t count_histograms(const struct trial *trial, enum histogram_of end)
{
    size_t n = 0;
    for (int h = 0; h < (int)end; h++)
        n += trial->histogram[h] != NULL;
    return n;
}

size_t stage_size(const struct trial *trial)
{
    size_t histograms =
        trial_workers(trial, trial_driver(trial)) * count_histograms(trial, HISTOGRAMS);
    return sizeof(struct stage) + stage_workers(trial) * sizeof(struct tally) +
           histograms * sizeof(struct histogram);
}

struct histogram *stage_histogram(const struct trial *trial, struct stage *stage, unsigned worker,
                                  enum histogram_of what)
{
    if (trial->histogram[what] == NULL)
        return NULL;
    return (struct histogram *)(void *)&stage->tally[stage_workers(trial)] +
           worker * count_histograms(trial, HISTOGRAMS) + count_histograms(trial, what);
}

static int run_worker(struct worker *worker)
{
    const struct actor *actor = worker->actor;
    const struct part *part = actor_part(actor);
    struct tally *tally = actor_tally(actor, worker->seat.worker);
    uint64_t began = clock_thread_cpu_ns();
    int status = part->run(worker->state, part->arg, &worker->seat, actor->trial->passes, tally,
                           &worker->err);
    tally->thread_cpu_ns = clock_thread_cpu_ns() - began;
    return status;
}

/* What the ramp counted is set aside: the clock has not begun. */
static int ramp_worker(struct worker *worker)
{
    const struct actor *actor = worker->actor;
    const struct part *part = actor_part(actor);
    struct tally *tally = actor_tally(actor, worker->seat.worker);
    struct tally kept = {.phases = tally->phases};
    memcpy(kept.histogram, tally->histogram, sizeof kept.histogram);
    memset(tally->histogram, 0, sizeof tally->histogram);
    int status = part->ramp(worker->state, part->arg, &worker->seat, tally, &worker->err);
    kept.ramp_bytes = tally->bytes + tally->cut_bytes;
    *tally = kept;
    return status;
}

static void *worker_main(void *opaque)
{
    struct worker *worker = opaque;
    if (actor_part(worker->actor)->ramp != NULL) {
        pthread_barrier_wait(worker->start);
        worker->status = ramp_worker(worker);
        pthread_barrier_wait(worker->start); /* all are up to speed: the clock starts */
    }
    pthread_barrier_wait(worker->start);
    if (worker->status == 0)
        worker->status = run_worker(worker);
    return NULL;
}

/* Sets up all workers; state is one block with room for each. */
static int set_up(struct worker *workers, const struct actor *actor, struct err *err)
{
    const struct part *part = actor_part(actor);
    unsigned n = actor_workers(actor);
    for (unsigned i = 0; i < n; i++) {
        struct worker *worker = &workers[i];
        worker->actor = actor;
        worker->seat = (struct seat){
            i, n, workers[0].state, &actor->stage->stop, actor->trial->ramp, &actor->stage->over};
        if (part->setup != NULL && part->setup(worker->state, part->arg, &worker->seat, err) != 0)
            return -1;
    }
    return 0;
}

static int start_threads(struct worker *workers, unsigned n, pthread_barrier_t *start,
                         struct err *err)
{
    if (n == 1)
        return 0; /* no thread at all: the C library would begin to lock its streams */
    int status = pthread_barrier_init(start, NULL, n);
    for (unsigned i = 1; status == 0 && i < n; i++) {
        workers[i].start = start;
        status = pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
    }
    return status == 0 ? 0 : err_set(err, status, "cannot start %u threads", n);
}

/* The timed part, after the ramp. */
static int run_all(struct worker *workers, const struct actor *actor)
{
    const struct trial *trial = actor->trial;
    struct stage *stage = actor->stage;
    struct sample *sample = &stage->sample[actor->role];
    unsigned n = actor_workers(actor);
    for (unsigned i = 0; i < n; i++) /* touched before the clock runs */
        *actor_tally(actor, i) = (struct tally){.phases = trial->phases};
    for (unsigned i = 0; i < n && actor->role == trial_driver(trial); i++)
        for (int h = 0; h < HISTOGRAMS; h++)
            actor_tally(actor, i)->histogram[h] =
                stage_histogram(trial, stage, i, (enum histogram_of)h);
    if (actor_part(actor)->ramp != NULL) {
        if (n > 1)
            pthread_barrier_wait(workers[1].start);
        workers[0].status = ramp_worker(&workers[0]);
        if (n > 1)
            pthread_barrier_wait(workers[1].start);
    }
    struct usage before, after;
    usage_start(&before);
    if (actor->role == trial_driver(trial))
        stage->started_ns = before.wall_ns;
    if (n > 1)
        pthread_barrier_wait(workers[1].start);
    if (workers[0].status == 0)
        workers[0].status = run_worker(&workers[0]);
    for (unsigned i = 1; i < n; i++)
        pthread_join(workers[i].thread, NULL);
    usage_stop(&after);
    usage_difference(&before, &after, sample);
    uint64_t foreign = actor_tally(actor, 0)->foreign_cpu_ns;
    if (foreign < sample->cpu_ns)
        sample->cpu_ns -= foreign;
    if (actor_tally(actor, 0)->tree_rss_bytes > 0) { /* others did the work */
        sample->cpu_ns += actor_tally(actor, 0)->tree_cpu_ns;
        sample->peak_rss_bytes = actor_tally(actor, 0)->tree_rss_bytes;
        sample->peak_rss_anon_bytes = UNKNOWN;
    }
    for (unsigned i = 0; i < n; i++)
        if (workers[i].status != 0) {
            stage->err[actor->role] = workers[i].err;
            return -1;
        }
    const struct part *part = actor_part(actor);
    for (unsigned i = 0; i < n && part->note != NULL; i++)
        part->note(workers[i].state, part->arg, actor_tally(actor, i));
    return 0;
}

int actor_main(void *opaque, int report, int go)
{
    struct actor *actor = opaque;
    const struct trial *trial = actor->trial;
    struct stage *stage = actor->stage;
    const struct part *part = actor_part(actor);
    struct err *err = &stage->err[actor->role];
    struct sample *sample = &stage->sample[actor->role];
    const struct cpus *cpus = actor->role == PEER ? trial->peer_cpus : trial->cpus;
    unsigned n = actor_workers(actor);
    pthread_barrier_t start;
    int status = -1;

    if (cpus != NULL && usage_pin(cpus, err) != 0)
        return 1;
    uint64_t began = clock_now_ns();
    if (part->prepare != NULL && part->prepare(part->arg, err) != 0)
        return 1;
    sample->prepare_ns = clock_now_ns() - began;
    began = clock_now_ns();
    size_t size = (part->state_size + 63) / 64 * 64;
    struct worker *workers = calloc(n, sizeof *workers);
    char *states = aligned_alloc(64, size * n > 0 ? size * n : 64);
    if (workers == NULL || states == NULL) {
        err_set(err, errno, "cannot set up %u workers", n);
        goto out;
    }
    memset(states, 0, size * n);
    for (unsigned i = 0; i < n; i++)
        workers[i].state = states + i * size;
    if (set_up(workers, actor, err) != 0)
        goto out;
    if (start_threads(workers, n, &start, err) != 0)
        _exit(1); /* some wait at the barrier already and cannot be called back */
    sample->setup_ns = clock_now_ns() - began;
    sample->peak_rss_anon_bytes = usage_anonymous_bytes();

    char byte = 'r';
    if (write(report, &byte, 1) == 1 && read(go, &byte, 1) == 1)
        status = run_all(workers, actor);
    else if (n > 1)
        _exit(1); /* there is nothing to be done, and the others wait at the barrier */
out:
    for (unsigned i = 0; workers != NULL && i < n && part->teardown != NULL; i++)
        if (workers[i].actor != NULL)
            part->teardown(workers[i].state);
    return status == 0 ? 0 : 1;
}
