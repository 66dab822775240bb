/* A library to be preloaded: read(2) takes longer by a share of what it took, SLOW_READ=0.05 for
 * 5 %. pread(2) reads the same clocks and adds nothing, so that what calls the one and what calls
 * the other differ in the share alone. */
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

/* Spins for the share of what has passed since then. */
static void spin(double from, double of)
{
    double to = now_ns(), end = to + (to - from) * of;
    while (to < end)
        to = now_ns();
}

ssize_t read(int fd, void *buffer, size_t size)
{
    double from = now_ns();
    ssize_t got = syscall(SYS_read, fd, buffer, size);
    spin(from, share);
    return got;
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
    double from = now_ns();
    ssize_t got = syscall(SYS_pread64, fd, buffer, size, offset);
    spin(from, 0);
    return got;
}
