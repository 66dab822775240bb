/* Facts about the machine that a figure cannot be read without. */
#ifndef IOBENCH_BASE_HOST_H
#define IOBENCH_BASE_HOST_H

#include <stdint.h>

/* Strings are empty where the fact cannot be had; numbers are UNKNOWN or NaN. */
struct host {
    char kernel[96];  /* release, as of uname -r */
    char machine[32]; /* x86_64 */
    char cpu_model[96];
    char libc[48];         /* glibc 2.36 */
    char governor[32];     /* of the first processor */
    char mitigations[256]; /* spectre_v2's line: what decides the price of a system call */
    uint64_t usable_cpus, memory_bytes, page_size_bytes;
    double load_1m;
    double clock_read_ns;
    /* Set by host_finish: share of processor time that the hypervisor gave to others since
     * host_init, NaN where the kernel does not say. */
    double steal_ratio;
    uint64_t steal_ticks, total_ticks;
};

void host_init(struct host *host);
void host_finish(struct host *host);

#endif
