/* Watching one trial with perf(1), where it is installed: which functions take the time. */
#ifndef IOBENCH_MEASURE_PERF_H
#define IOBENCH_MEASURE_PERF_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

enum { PERF_SYMBOLS = 5 };

struct perf_symbol {
    char name[64];
    double share; /* of the samples, 0 to 1 */
};

/* A `perf record` on its way. */
struct perf {
    char *data_path; /* the caller's */
    pid_t pid;       /* of perf; 0: not running */
    int control;     /* open while it runs: perf gives up when this is closed */
};

/* Attaches `perf record` to a process that waits at its barrier, and returns once perf says that it
 * counts. It ends by itself with that process. Fails with the reason: not installed, not allowed.
 */
int perf_attach(struct perf *perf, pid_t pid, struct err *err) MUST_CHECK;

/* Waits for perf to write its file; kills it when it takes too long. */
int perf_finish(struct perf *perf, struct err *err) MUST_CHECK;

/* The symbols with the largest shares, from `perf report`; returns how many. */
size_t perf_top(const char *data_path, struct perf_symbol symbols[PERF_SYMBOLS]);

#endif
