/* What became of the connections and requests of a case that was served, over all its measured
 * trials. */
#ifndef IOBENCH_REPORT_SERVICE_FACTS_H
#define IOBENCH_REPORT_SERVICE_FACTS_H

#include "measure/run.h"

#include <stdio.h>

struct service_facts {
    uint64_t counter[COUNTERS]; /* of the load from COUNTER_REQUESTS on, of the server before */
    uint64_t bytes, wall_ns;
    uint64_t cpu_ns, peer_cpu_ns;     /* UNKNOWN where a trial does not know */
    uint64_t thread_bytes[MOST_TOLD]; /* of the server */
    uint64_t thread_cpu_ns[MOST_TOLD], peer_thread_cpu_ns[MOST_TOLD];
    uint64_t peak_rss_bytes, peak_rss_anon_bytes;
    unsigned workers, peer_workers;
    struct numbered connect_errors; /* of the load */
    struct numbered refused;        /* of the server */
    struct numbered statuses;
    unsigned trials;
};

/* Trials that were cut off count as well: what failed in them failed. */
void service_facts(const struct run *run, unsigned index, struct service_facts *facts);

/* Requests that got no answer, or a wrong one; those under way at the end are none of them. */
uint64_t service_failed(const struct service_facts *facts);

/* "3 closed early, 2 reset, 1 HTTP 404": nothing when nothing failed. */
void service_print_failed(const struct service_facts *facts, FILE *out);

/* "5 ECONNREFUSED, 2 EADDRNOTAVAIL (the ephemeral ports are used up)" */
void service_print_errors(const struct numbered *errors, FILE *out);

/* Is much of the latency that of Nagle's algorithm waiting for a delayed acknowledgement? The share
 * of such requests, or 0. */
double service_nagle_share(const struct histogram *latency);

/* The busiest thread's share of a processor; NaN: not known. */
double service_busiest(const uint64_t thread_cpu_ns[MOST_TOLD], unsigned workers, uint64_t wall_ns);

#endif
