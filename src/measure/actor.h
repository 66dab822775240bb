/* The two processes of a trial, seen from inside: what they share with their parent, and what each
 * does between its start and its end. */
#ifndef IOBENCH_MEASURE_ACTOR_H
#define IOBENCH_MEASURE_ACTOR_H

#include "base/histogram.h"
#include "measure/trial.h"

enum role { SUBJECT, PEER, ROLES };

/* Who sets the pace of a trial. */
static inline enum role trial_driver(const struct trial *trial)
{
    return trial->peer_drives ? PEER : SUBJECT;
}

/* Shared with the children. */
struct stage {
    struct err err[ROLES], perf_err;
    struct sample sample[ROLES]; /* complete once the child says so */
    _Atomic uint64_t started_ns; /* 0 until the clock of the driver's timed part runs */
    _Atomic bool stop, over;
    struct tally tally[]; /* one per worker and the peer's; behind them the histograms of the
                             driver's workers, where asked for */
};

struct actor {
    const struct trial *trial;
    struct stage *stage;
    enum role role;
};

/* Bytes of the stage of such a trial. */
size_t stage_size(const struct trial *trial);

/* The tallies of all workers of a role. */
struct tally *stage_tallies(const struct trial *trial, struct stage *stage, enum role role);
unsigned trial_workers(const struct trial *trial, enum role role);

/* A histogram of one of the driver's workers; NULL where the trial asks for none. */
struct histogram *stage_histogram(const struct trial *trial, struct stage *stage, unsigned worker,
                                  enum histogram_of what);

/* The whole life of the process: for child_start(). */
int actor_main(void *actor, int report, int go);

#endif
