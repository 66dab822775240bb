/* What one trial measured, and the store of all of them. */
#ifndef IOBENCH_MEASURE_SAMPLE_H
#define IOBENCH_MEASURE_SAMPLE_H

#include "base/err.h"
#include "base/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of more threads than these single figures are not kept. */
enum { MOST_TOLD = 16 };

/* What the other end of a trial did, from the start signal to its own end. */
struct peer_sample {
    uint64_t bytes, calls, short_calls, wall_ns, cpu_ns;
    uint64_t running_ns, runnable_ns; /* as in struct sample */
    uint64_t voluntary_switches, involuntary_switches;
    uint64_t counter[COUNTERS];
    uint64_t peak_rss_bytes;
    unsigned workers;
    uint64_t thread_cpu_ns[MOST_TOLD];
    struct numbered connect_errors, statuses;
    struct socket_facts socket;
    int cpu;
};

/* Counts are of the timed part and of all threads; UNKNOWN where there is no such figure. */
struct sample {
    uint32_t case_index, round, position; /* round 0 is warm-up; position inside the round */
    bool warmup;
    bool complete; /* false: ended by a signal or a timeout; passes is then what was finished */
    int cpu;       /* the processor at the end; -1: not known */
    uint64_t passes, bytes, calls, short_calls, newlines;
    uint64_t wall_ns; /* CLOCK_MONOTONIC */
    uint64_t cpu_ns;  /* CLOCK_PROCESS_CPUTIME_ID, and the processor time of ended children */
    uint64_t user_ns, system_ns; /* getrusage(2): by clock ticks, of use only in a long trial */
    uint64_t prepare_ns, setup_ns, open_ns, close_ns;
    uint64_t peak_rss_bytes;      /* high-water mark of the process */
    uint64_t peak_rss_anon_bytes; /* larger of two looks: after the set-up and after the run */
    uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches, block_inputs;
    uint64_t storage_read_bytes;      /* read_bytes of /proc/self/io */
    uint64_t running_ns, runnable_ns; /* of the first thread: on a processor, waiting for one */
    uint64_t counter[COUNTERS];
    struct socket_facts socket;
    struct fairness fairness;
    unsigned workers;                         /* of the subject */
    uint64_t thread_cpu_ns[MOST_TOLD];        /* processor time of the first of them */
    struct numbered connect_errors, statuses; /* as in the tally */
    uint64_t spurious[MOST_TOLD]; /* wake-ups of each of the first of them with nothing behind */
    uint64_t thread_bytes[MOST_TOLD]; /* moved by each of the first of them */
    uint64_t ramp_bytes;              /* moved before the clock, on top of bytes */
    uint64_t cut_bytes;               /* that came but did not fit: of truncated datagrams */
    uint64_t digest;
    bool has_digest;
    bool has_peer;
    struct peer_sample peer;
};

/* Zero it before use. The samples lie in a shared mapping: on the heap they would be inherited by
 * every child and count in its peak memory. */
struct samples {
    struct sample *items;
    size_t n, room;
};

int samples_add(struct samples *samples, const struct sample *sample, struct err *err) MUST_CHECK;
void samples_free(struct samples *samples);

#endif
