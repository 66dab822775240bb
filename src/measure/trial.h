/* One trial: the work of a part, in a fresh child process, between two clock readings. */
#ifndef IOBENCH_MEASURE_TRIAL_H
#define IOBENCH_MEASURE_TRIAL_H

#include "base/histogram.h"
#include "measure/part.h"
#include "measure/perf.h"
#include "measure/sample.h"

#include <sched.h>
#include <signal.h>

/* What was moved between two moments of a trial. */
struct interval {
    uint64_t start_ns, wall_ns; /* from the start of the clock */
    uint64_t bytes, counter[COUNTERS];
    uint64_t system_switches; /* of the whole system, those of whoever else included */
};

/* All of one trial; they add up to it. Zero it before use, free() items. */
struct intervals {
    struct interval *items;
    size_t n;
    struct interval so_far;   /* the sum of all of them */
    uint64_t switches_before; /* of the system, when the last one ended */
    void (*on_interval)(void *data, const struct interval *interval); /* or NULL */
    void *data;
};

struct trial {
    const struct part *subject;
    const struct part *peer; /* the other end, a process of its own; or NULL */
    unsigned peer_workers;   /* its threads; 0 stands for one */
    const struct link *link; /* what joins them; or NULL */
    double ramp;             /* passes' worth of work before the clock */
    unsigned workers;
    uint64_t passes;             /* how often the work is done */
    uint64_t duration_ns;        /* > 0: instead until this is over, at the end of a pass */
    uint64_t timeout_ns;         /* the whole trial, set-up included */
    uint64_t interval_ns;        /* > 0: look at what was done every so often */
    struct intervals *intervals; /* where that goes */
    struct histogram *histogram[HISTOGRAMS]; /* NULL, or where those of the workers are added */
    /* The peer sets the pace: passes, bytes, time and histograms are its own, its end is the end,
     * and the subject, which serves it, is told and has a moment to come to its own. */
    bool peer_drives;
    uint64_t grace_ns; /* that the other end has to come to its own end; 0: some seconds */
    bool serves;       /* an interruption is the regular end: the subject is told, and finishes */
    bool phases;       /* note open_ns and close_ns, at the price of clock readings */
    struct perf *perf; /* NULL, or watches the process from the barrier on */
    const struct cpus *cpus, *peer_cpus; /* NULL: wherever the system likes */
    const volatile sig_atomic_t *interrupted;
};

static inline unsigned trial_peer_workers(const struct trial *trial)
{
    return trial->peer_workers > 0 ? trial->peer_workers : 1;
}

/* A set of processors. */
struct cpus {
    unsigned n, id[256];
};

enum trial_end {
    TRIAL_DONE,
    TRIAL_FAILED,      /* the part said why, or its process died: see err */
    TRIAL_TIMED_OUT,   /* killed; the sample holds what was done until then */
    TRIAL_INTERRUPTED, /* the same, by a signal to us */
};

/* Runs it. The sample is filled in every case, as far as it was measured, but for the place of the
 * trial (case_index, round, position, warmup). No child is left behind. The caller must hold no
 * thread: a forked child of a threaded process is not what it seems. */
enum trial_end trial_run(const struct trial *trial, struct sample *sample, struct err *err);

/* Runs a shell command and waits for it, with the same care for signals and time. 0, or -1. */
int trial_run_command(const char *command, uint64_t timeout_ns,
                      const volatile sig_atomic_t *interrupted, struct err *err) MUST_CHECK;

#endif
