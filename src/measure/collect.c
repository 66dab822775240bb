#include "config.h"

#include "measure/collect.h"

#include "base/clock.h"
#include "measure/usage.h"

#include <stdlib.h>
#include <string.h>

static void add_fairness(struct fairness *all, const struct fairness *one)
{
    if (one->connections == 0)
        return;
    if (all->connections == 0 || one->least_bytes < all->least_bytes)
        all->least_bytes = one->least_bytes;
    if (one->most_bytes > all->most_bytes)
        all->most_bytes = one->most_bytes;
    all->connections += one->connections;
    all->sum += one->sum;
    all->sum_of_squares += one->sum_of_squares;
}

/* Adds one worker of the subject. */
static void collect_worker(struct sample *sample, const struct tally *tally, unsigned i)
{
    if (tally->calls == UNKNOWN || sample->calls == UNKNOWN)
        sample->calls = UNKNOWN;
    else
        sample->calls += tally->calls;
    sample->bytes += tally->bytes;
    sample->short_calls += tally->short_calls;
    sample->newlines += tally->newlines;
    if (i < MOST_TOLD) {
        sample->spurious[i] = tally->counter[COUNTER_SPURIOUS];
        sample->thread_cpu_ns[i] = tally->thread_cpu_ns;
        sample->thread_bytes[i] = tally->bytes;
    }
    sample->ramp_bytes += tally->ramp_bytes;
    sample->cut_bytes += tally->cut_bytes;
    for (int k = 0; k < COUNTERS; k++)
        sample->counter[k] += tally->counter[k];
    numbered_merge(&sample->connect_errors, &tally->connect_errors);
    numbered_merge(&sample->statuses, &tally->statuses);
    sample->open_ns += tally->open_ns;
    sample->close_ns += tally->close_ns;
    if (i == 0)
        sample->socket = tally->socket;
    add_fairness(&sample->fairness, &tally->fairness);
    if (tally->has_digest) { /* of one worker, or of several who each did their share */
        sample->has_digest = true;
        sample->digest ^= tally->digest;
    }
}

void collect_subject(const struct trial *trial, struct stage *stage, bool complete,
                     struct sample *sample)
{
    *sample = stage->sample[SUBJECT];
    sample->complete = complete;
    sample->passes = stage_tallies(trial, stage, trial_driver(trial))[0].passes;
    sample->workers = trial->workers;
    bool lost_digest = false;
    for (unsigned i = 0; i < trial->workers; i++) {
        collect_worker(sample, &stage->tally[i], i);
        lost_digest |= stage->tally[i].lost_digest;
    }
    sample->has_digest &= !lost_digest;
    if (trial->peer_drives)
        sample->wall_ns = stage->sample[PEER].wall_ns;
    if (!complete) {
        uint64_t started = atomic_load(&stage->started_ns);
        sample->wall_ns = started > 0 ? clock_now_ns() - started : 0;
        usage_unknown(sample);
    }
}

void collect_peer(const struct trial *trial, struct stage *stage, struct sample *sample)
{
    const struct sample *own = &stage->sample[PEER];
    const struct tally *tallies = stage_tallies(trial, stage, PEER);
    struct peer_sample *peer = &sample->peer;
    sample->has_peer = true;
    *peer = (struct peer_sample){.wall_ns = own->wall_ns,
                                 .cpu_ns = own->cpu_ns,
                                 .running_ns = own->running_ns,
                                 .runnable_ns = own->runnable_ns,
                                 .voluntary_switches = own->voluntary_switches,
                                 .involuntary_switches = own->involuntary_switches,
                                 .peak_rss_bytes = own->peak_rss_bytes,
                                 .workers = trial_peer_workers(trial),
                                 .socket = tallies[0].socket,
                                 .cpu = own->wall_ns > 0 ? own->cpu : -1};
    for (unsigned i = 0; i < peer->workers; i++) {
        const struct tally *tally = &tallies[i];
        peer->bytes += tally->bytes;
        peer->calls += tally->calls;
        peer->short_calls += tally->short_calls;
        for (int k = 0; k < COUNTERS; k++)
            peer->counter[k] += tally->counter[k];
        numbered_merge(&peer->connect_errors, &tally->connect_errors);
        numbered_merge(&peer->statuses, &tally->statuses);
        if (i < MOST_TOLD)
            peer->thread_cpu_ns[i] = tally->thread_cpu_ns;
    }
    if (!trial->peer_drives)
        return;
    sample->bytes = peer->bytes;
    for (int k = COUNTER_REQUESTS; k < COUNTERS; k++) /* what only a load counts */
        sample->counter[k] = peer->counter[k];
}

/* Adds the interval from the end of the last one to ns after the start, given what was done from
 * the start on. */
static void add_interval(const struct trial *trial, uint64_t ns, const struct interval *so_far)
{
    struct intervals *all = trial->intervals;
    struct interval now = *so_far, *before = &all->so_far;
    struct interval *items = realloc(all->items, (all->n + 1) * sizeof *items);
    if (items != NULL)
        all->items = items;
    if (items == NULL || ns <= before->wall_ns)
        return;
    uint64_t switches = usage_system_switches();
    now.start_ns = before->wall_ns;
    now.wall_ns = ns - before->wall_ns;
    now.bytes -= before->bytes;
    for (int k = 0; k < COUNTERS; k++)
        now.counter[k] -= before->counter[k];
    now.system_switches = switches - all->switches_before;
    all->switches_before = switches;
    *before = *so_far;
    before->wall_ns = ns;
    items[all->n] = now;
    if (all->on_interval != NULL)
        all->on_interval(all->data, &items[all->n]);
    all->n++;
}

void collect_interval(const struct trial *trial, struct stage *stage, uint64_t started_ns)
{
    struct interval so_far = {0};
    enum role driver = trial_driver(trial);
    for (unsigned i = 0; i < trial_workers(trial, driver); i++) {
        const volatile struct tally *tally = &stage_tallies(trial, stage, driver)[i];
        so_far.bytes += tally->bytes;
        for (int k = 0; k < COUNTERS; k++)
            so_far.counter[k] += tally->counter[k];
    }
    add_interval(trial, clock_now_ns() - started_ns, &so_far);
}

void collect_histograms(const struct trial *trial, struct stage *stage)
{
    for (int h = 0; h < HISTOGRAMS; h++)
        for (unsigned i = 0; i < trial_workers(trial, trial_driver(trial)); i++)
            if (trial->histogram[h] != NULL)
                histogram_merge(trial->histogram[h],
                                stage_histogram(trial, stage, i, (enum histogram_of)h));
}

void collect_last_interval(const struct trial *trial, const struct sample *sample)
{
    struct interval all = {.bytes = sample->bytes};
    memcpy(all.counter, trial->peer_drives ? sample->peer.counter : sample->counter,
           sizeof all.counter);
    add_interval(trial, sample->wall_ns, &all);
}
