#include "config.h"

#include "base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t clock_thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_cpu_ns_of(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

double clock_read_cost_ns(void)
{
    enum { BATCHES = 5, READINGS = 200 };
    uint64_t cost[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = clock_now_ns(), end = start;
        for (int i = 0; i < READINGS; i++)
            end = clock_now_ns();
        uint64_t spent = end - start;
        int at = b;
        for (; at > 0 && cost[at - 1] > spent; at--)
            cost[at] = cost[at - 1];
        cost[at] = spent;
    }
    return (double)cost[BATCHES / 2] / READINGS;
}
