/* What the process used between two moments. */
#ifndef IOBENCH_MEASURE_USAGE_H
#define IOBENCH_MEASURE_USAGE_H

#include "base/err.h"
#include "measure/sample.h"
#include "measure/trial.h"

#include <sys/resource.h>

struct usage {
    uint64_t wall_ns, cpu_ns;
    struct rusage self, children;
    uint64_t storage_read_bytes;
    uint64_t running_ns, runnable_ns; /* schedstat of the calling thread; UNKNOWN: there is none */
};

/* The wall clock is read last at the start and first at the end: nothing else is inside. */
void usage_start(struct usage *usage);
void usage_stop(struct usage *usage);

/* Fills the sample's times, faults, switches, memory and processor. */
void usage_difference(const struct usage *before, const struct usage *after, struct sample *sample);

/* Marks the same figures as not measured. */
void usage_unknown(struct sample *sample);

/* Anonymous memory resident now (RssAnon of /proc/self/status); UNKNOWN where there is no such. */
uint64_t usage_anonymous_bytes(void);

/* Context switches of the whole system since it started: "ctxt" of /proc/stat (proc(5)), which may
 * be long. UNKNOWN where there is no such. */
uint64_t usage_system_switches(void);

/* What the TCP of this network namespace has counted so far, of all processes together: connections
 * that found a listening socket's queue full, and segments sent again (/proc/net/netstat and snmp,
 * proc(5)). UNKNOWN where there is no such. */
struct tcp_counts {
    uint64_t listen_overflows, retransmits;
};
void usage_tcp_counts(struct tcp_counts *counts);

/* Confines the calling process to these processors. */
int usage_pin(const struct cpus *cpus, struct err *err) MUST_CHECK;

#endif
