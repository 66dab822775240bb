/* Bare reference loops: what a program would write by hand, and nothing else around it.
 *
 *     bare KIND FILE BLOCK PASSES
 *
 * reads FILE from open to close PASSES times and prints the nanoseconds that took, and the bytes.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

static volatile uint64_t kept; /* what was read, so that no loop can be dropped */

static uint64_t bare_read(const char *path, char *buffer, size_t block)
{
    uint64_t total = 0;
    ssize_t got;
    int fd = open(path, O_RDONLY);
    while ((got = read(fd, buffer, block)) > 0)
        total += (uint64_t)got;
    close(fd);
    return total;
}

static uint64_t bare_fread(const char *path, char *buffer, size_t block)
{
    uint64_t total = 0;
    size_t got;
    FILE *f = fopen(path, "r");
    while ((got = fread(buffer, 1, block, f)) > 0)
        total += got;
    fclose(f);
    return total;
}

static uint64_t bare_getc(const char *path, char *buffer, size_t block)
{
    (void)buffer, (void)block;
    uint64_t total = 0;
    FILE *f = fopen(path, "r");
    while (getc(f) != EOF)
        total++;
    fclose(f);
    return total;
}

static uint64_t bare_getc_unlocked(const char *path, char *buffer, size_t block)
{
    (void)buffer, (void)block;
    uint64_t total = 0;
    FILE *f = fopen(path, "r");
    while (getc_unlocked(f) != EOF)
        total++;
    fclose(f);
    return total;
}

static uint64_t bare_mmap(const char *path, char *buffer, size_t block)
{
    (void)buffer, (void)block;
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0)
        return 0;
    size_t size = (size_t)st.st_size;
    const unsigned char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i += 64)
        sum += bytes[i];
    kept = sum;
    munmap((void *)(uintptr_t)bytes, size);
    close(fd);
    return size;
}

#ifdef HAVE_LIBURING
/* Reads of a block in flight, 32 of them, taken as they come: bare liburing. */
static uint64_t bare_uring(const char *path, char *buffer, size_t block)
{
    enum { DEPTH = 32 };
    static struct io_uring ring;
    static char *buffers;
    static int ready;
    (void)buffer;
    if (!ready) {
        if (io_uring_queue_init(DEPTH, &ring, 0) != 0 ||
            posix_memalign((void **)&buffers, 4096, DEPTH * block) != 0)
            return 0;
        memset(buffers, 1, DEPTH * block);
        ready = 1;
    }
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0)
        return 0;
    uint64_t size = (uint64_t)st.st_size, at = 0, total = 0;
    unsigned in_flight = 0;
    for (unsigned i = 0; i < DEPTH && at < size; i++, at += block, in_flight++) {
        struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
        io_uring_prep_read(sqe, fd, buffers + i * block, (unsigned)block, at);
        io_uring_sqe_set_data64(sqe, i);
    }
    while (in_flight > 0) {
        io_uring_submit_and_wait(&ring, 1);
        struct io_uring_cqe *cqe;
        unsigned head, seen = 0;
        io_uring_for_each_cqe(&ring, head, cqe)
        {
            seen++;
            in_flight--;
            if (cqe->res > 0)
                total += (uint64_t)cqe->res;
            if (at >= size)
                continue;
            struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
            io_uring_prep_read(sqe, fd, buffers + cqe->user_data * block, (unsigned)block, at);
            io_uring_sqe_set_data64(sqe, cqe->user_data);
            at += block;
            in_flight++;
        }
        io_uring_cq_advance(&ring, seen);
    }
    close(fd);
    return total;
}
#endif

static const struct {
    const char *name;
    uint64_t (*pass)(const char *path, char *buffer, size_t block);
} kinds[] = {{"read", bare_read},      {"fread", bare_fread},
             {"getc", bare_getc},      {"getc-unlocked", bare_getc_unlocked},
#ifdef HAVE_LIBURING
             {"io_uring", bare_uring},
#endif
             {"mmap", bare_mmap}};

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    size_t block = strtoul(argv[3], NULL, 10);
    unsigned long passes = strtoul(argv[4], NULL, 10);
    char *buffer = NULL;
    if (posix_memalign((void **)&buffer, 4096, block) != 0)
        return 3;
    memset(buffer, 1, block);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strcmp(kinds[k].name, argv[1]) != 0)
            continue;
        struct timespec from, to;
        uint64_t bytes = 0;
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (unsigned long p = 0; p < passes; p++)
            bytes += kinds[k].pass(argv[2], buffer, block);
        clock_gettime(CLOCK_MONOTONIC, &to);
        kept = bytes;
        printf("%" PRId64 " %" PRIu64 "\n",
               (int64_t)(to.tv_sec - from.tv_sec) * 1000000000 + (to.tv_nsec - from.tv_nsec),
               bytes);
        return 0;
    }
    return 2;
}
