/* The page cache: what of a file is in it, and getting it in or out. */
#include "config.h"

#include "base/source.h"
#include "base/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __linux__
#ifndef SYS_cachestat
#define SYS_cachestat 451 /* the same on every architecture */
#endif

/* cachestat(2), Linux 6.5. Returns the number of resident pages, or -1. */
static int64_t count_by_cachestat(int fd, uint64_t length)
{
    struct {
        uint64_t offset, length;
    } range = {0, length};
    struct {
        uint64_t cached, dirty, writeback, evicted, recently_evicted;
    } found = {0};
    long status = syscall(SYS_cachestat, (unsigned)fd, &range, &found, 0u);
    return status == 0 ? (int64_t)found.cached : -1;
}
#endif

/* mincore(2) tells the truth only about files that are ours or writable (Linux 5.2 on). */
static int64_t count_by_mincore(int fd, uint64_t length, uint64_t page)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || (st.st_uid != geteuid() && geteuid() != 0))
        return -1;
    enum { PAGES_AT_ONCE = 16384 };
    unsigned char *flags = malloc(PAGES_AT_ONCE);
    int64_t resident = 0;
    for (uint64_t at = 0; flags != NULL && at < length; at += PAGES_AT_ONCE * page) {
        uint64_t span = length - at < PAGES_AT_ONCE * page ? length - at : PAGES_AT_ONCE * page;
        void *map = mmap(NULL, span, PROT_READ, MAP_SHARED, fd, (off_t)at);
        if (map == MAP_FAILED) {
            resident = -1;
            break;
        }
        int status = mincore(map, span, (void *)flags);
        munmap(map, span);
        if (status != 0) {
            resident = -1;
            break;
        }
        for (uint64_t i = 0; i * page < span; i++)
            resident += flags[i] & 1;
    }
    if (flags == NULL)
        resident = -1;
    free(flags);
    return resident;
}

double source_resident_ratio(const struct source_file *file)
{
    if (!file->regular || file->size_bytes == UNKNOWN || file->size_bytes == 0)
        return NAN;
    int fd = open(file->open_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NAN;
    long page_size = sysconf(_SC_PAGESIZE);
    uint64_t page = page_size > 0 ? (uint64_t)page_size : 4096;
    uint64_t pages = (file->size_bytes + page - 1) / page;
    int64_t resident = -1;
#ifdef __linux__
    resident = count_by_cachestat(fd, file->size_bytes);
#endif
    /* On overlayfs cachestat looks at the upper inode, which never holds a page. */
    if (resident <= 0) {
        int64_t mapped = count_by_mincore(fd, file->size_bytes, page);
        resident = mapped > resident ? mapped : resident;
    }
    close(fd);
    if (resident < 0)
        return NAN;
    double ratio = (double)resident / (double)pages;
    return ratio < 1 ? ratio : 1;
}

/* Drops clean pages of everything: only root may, and only where one file alone will not go. */
static void drop_all_caches(void)
{
    int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t put = write(fd, "1", 1);
    (void)put; /* whether it helped is seen by looking */
    close(fd);
}

int source_drop_cache(const struct source_file *file, struct err *err)
{
    if (strcmp(file->filesystem, "tmpfs") == 0 || strcmp(file->filesystem, "ramfs") == 0)
        return err_set(err, 0, "'%s' cannot be cold: on %s the page cache holds the only copy",
                       file->path, file->filesystem);
    int fd = open(file->open_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "cannot open '%s'", file->path);
    fdatasync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
    double resident = source_resident_ratio(file);
    if (resident > 0) {
        drop_all_caches();
        resident = source_resident_ratio(file);
    }
    if (isnan(resident))
        return err_set(err, 0,
                       "'%s' cannot be proved cold: the system does not tell what is cached",
                       file->path);
    if (resident > 0)
        return err_set(err, 0, "'%s' cannot be dropped from the page cache: %.2g %% of it stays",
                       file->path, 100 * resident);
    return 0;
}

int source_warm_cache(const struct source_file *file, struct err *err)
{
    enum { BLOCK = 256 * 1024 };
    double resident = source_resident_ratio(file);
    if (isnan(resident) || resident >= 1)
        return 0;
    int fd = open(file->open_path, O_RDONLY | O_CLOEXEC);
    char *block = malloc(BLOCK);
    ssize_t got = -1;
    if (fd < 0 || block == NULL) {
        err_set(err, errno, "cannot read '%s'", file->path);
    } else {
        do
            got = read(fd, block, BLOCK);
        while (got > 0 || (got < 0 && errno == EINTR));
        if (got < 0)
            err_set(err, errno, "cannot read '%s'", file->path);
    }
    free(block);
    if (fd >= 0)
        close(fd);
    return got < 0 ? -1 : 0;
}
