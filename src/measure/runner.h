/* Runs the cases of a run: verification, warm-up, rounds in balanced order until they are precise
 * enough, and a long trial of each for the profile. */
#ifndef IOBENCH_MEASURE_RUNNER_H
#define IOBENCH_MEASURE_RUNNER_H

#include "measure/run.h"
#include "measure/trial.h"

struct progress {
    const char *stage; /* "verifying", "warming up", "measuring", "profiling" */
    const char *label; /* of the case that runs now */
    unsigned round;
    uint64_t elapsed_ns, limit_ns; /* of the rounds; limit 0: none */
};

struct runner {
    uint64_t rounds;            /* exactly so many; 0: until precise or the time is over */
    double precision;           /* half-width of every interval at which to stop: 0.005 is 0.5 % */
    uint64_t time_limit_ns;     /* of the rounds; 0: none */
    uint64_t trial_time_ns;     /* shortest trial */
    uint64_t ramp_ns;           /* work before the clock of cases with another end */
    uint64_t duration_ns;       /* > 0: one round of trials of this length */
    uint64_t interval_ns;       /* > 0: look at measured trials that often */
    uint64_t timeout_ns;        /* of one trial */
    struct latency_bound bound; /* search rates that keep it, instead of rounds; ns 0: do not */
    uint64_t warmup; /* rounds that do not count; the first verifies. 0: nothing is verified */
    uint64_t seed;
    const char *prepare;  /* shell command before each trial, or NULL */
    bool once;            /* the source can be read only once: one trial, nothing else */
    bool volatile_source; /* other bytes at each reading are no fault: /proc, /dev/urandom */
    bool profile;
    const char *perf_directory;               /* NULL, or where perf's data of each case goes */
    const struct cpus *cpus, *peer_cpus;      /* NULL: not pinned */
    const volatile sig_atomic_t *interrupted; /* the signal's number once it came */
    void (*on_progress)(void *data, const struct progress *progress); /* or NULL */
    void *progress_data;
    void (*on_interval)(void *data, const struct interval *interval); /* or NULL */
    void *interval_data;
};

/* Fails only when it cannot go on at all (memory); what happens to single cases stands in them. */
int runner_run(const struct runner *runner, struct run *run, struct err *err) MUST_CHECK;

#endif
