/* A part is one process of a trial, and all that measuring knows of what it measures. */
#ifndef IOBENCH_MEASURE_PART_H
#define IOBENCH_MEASURE_PART_H

#include "base/err.h"
#include "base/tally.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a worker sits; constant in a trial. */
struct seat {
    unsigned worker, workers;
    void *first;              /* worker 0's state, for sharing; set up before all others */
    const _Atomic bool *stop; /* set when the run should end before its passes are done */
    double ramp;              /* passes' worth of work that comes before the clock */
    _Atomic bool *over;       /* shared by both ends: the other end has done all that it will */
};

struct part {
    const char *name;
    size_t state_size; /* per worker, zeroed */
    const void *arg;   /* constant; the part's own */

    /* Before the set-up, in the same process, timed apart; or NULL. */
    int (*prepare)(const void *arg, struct err *err);
    /* Before the clock. Called for worker 0 first, one worker after the other. */
    int (*setup)(void *state, const void *arg, const struct seat *seat, struct err *err);
    /* Before the clock, by every worker: brings the other end up to speed with seat->ramp passes'
     * worth of work; or NULL. What it counts is kept apart. */
    int (*ramp)(void *state, const void *arg, const struct seat *seat, struct tally *tally,
                struct err *err);
    /* The timed part: the work `passes` times, or until *seat->stop. With several workers each
     * runs in a thread of its own. */
    int (*run)(void *state, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err);
    /* After the clock, when all went well: facts for the tally that cost time; or NULL. */
    void (*note)(void *state, const void *arg, struct tally *tally);
    /* At the end; also after a failed setup. */
    void (*teardown)(void *state);
};

/* What joins the two parts of a trial, subject and peer: made in the parent before they are forked,
 * so that both inherit it; closed there once they are. Each part lets go of the other's ends. */
struct link {
    void *arg;
    int (*open)(void *arg, struct err *err); /* NULL: nothing joins them */
    void (*close)(void *arg);                /* also after a failed open */
    /* Tells the subject that its time is over, where it may sleep through it; or NULL. Called in
     * the parent, and only while the link is not closed there: then close comes after the end. */
    void (*wake)(void *arg);
};

#endif
