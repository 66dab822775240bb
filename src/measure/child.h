/* Starting, watching and ending child processes. */
#ifndef IOBENCH_MEASURE_CHILD_H
#define IOBENCH_MEASURE_CHILD_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A child in a process group of its own, and the two ends of its barrier. */
struct child {
    pid_t pid;
    int from; /* becomes readable when the child reports, at end of file when it is gone */
    int to;   /* a byte lets it go */
};

/* Forks. In the child: own process group, dies with us, default signals (SIGPIPE ignored), and
 * main(arg, from, to) with the other ends of the pipes, then _exit with its result. */
int child_start(struct child *child, int (*main)(void *arg, int report, int go), void *arg,
                struct err *err) MUST_CHECK;

/* Called in a child: it is killed when its parent ends, however that ends. */
void child_die_with_parent(void);

enum child_event { CHILD_REPORTED, CHILD_GONE, CHILD_LATE, CHILD_SIGNAL };

/* Waits until the child reports (one byte) or is gone, the deadline (CLOCK_MONOTONIC; 0: none) has
 * passed or *interrupted is set. */
enum child_event child_wait(const struct child *child, uint64_t deadline_ns,
                            const volatile sig_atomic_t *interrupted);

/* What it still waits for will not come: reading from its barrier ends. */
void child_let_go(struct child *child);

/* Kills its whole process group if it still runs, reaps it and closes the pipes. Returns the status
 * of waitpid(2). */
int child_end(struct child *child, bool kill_first);

/* Blocks INT, TERM and HUP, so that they arrive only while child_wait() waits: no wake-up is lost
 * between a look at the flag and the wait. */
void child_block_signals(void);

#endif
