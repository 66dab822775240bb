/* A library to be preloaded: read(2) takes longer by a share of what it took, SLOW_READ=0.05 for
 * 5 %. Without a share it reads the same clocks and adds nothing, so that two programs under it
 * differ in the share alone. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double share;

__attribute__((constructor)) static void find_share(void)
{
    const char *text = getenv("SLOW_READ");
    share = text != NULL ? strtod(text, NULL) : 0;
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

ssize_t read(int fd, void *buffer, size_t size)
{
    double from = now_ns();
    ssize_t got = syscall(SYS_read, fd, buffer, size);
    double to = now_ns(), end = to + (to - from) * share;
    while (to < end)
        to = now_ns();
    return got;
}
