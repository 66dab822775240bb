/* What the descendants of a process use: for a server that the user started, and all that it
 * starts. */
#ifndef IOBENCH_MEASURE_TREE_H
#define IOBENCH_MEASURE_TREE_H

#include <stdint.h>
#include <sys/types.h>

struct tree {
    unsigned processes;
    uint64_t cpu_ns;         /* of those that live, threads that ended included */
    uint64_t peak_rss_bytes; /* the sum of their high-water marks (VmHWM); pages that they share
                                count for each */
};

/* Looks at all descendants of root, itself left out, as /proc shows them (proc(5)). All zero where
 * there is no /proc. */
void tree_look(pid_t root, struct tree *tree);

/* Sends a signal to each of them. How many there were. */
unsigned tree_signal(pid_t root, int signal_number);

#endif
