/* Clocks, in nanoseconds. */
#ifndef IOBENCH_BASE_CLOCK_H
#define IOBENCH_BASE_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

/* CLOCK_MONOTONIC. */
uint64_t clock_now_ns(void);

/* Processor time of the whole process, all threads, finished ones too (CLOCK_PROCESS_CPUTIME_ID).
 */
uint64_t clock_cpu_ns(void);

/* The same of the calling thread alone (CLOCK_THREAD_CPUTIME_ID). */
uint64_t clock_thread_cpu_ns(void);

/* The same of another process, as far as it lives; 0 when it does not, or is none of ours
 * (clock_getcpuclockid(3)). */
uint64_t clock_cpu_ns_of(pid_t pid);

/* What one reading of clock_now_ns() costs here: the median of a few short batches. */
double clock_read_cost_ns(void);

#endif
