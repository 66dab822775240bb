/* Facts about what is read: the files of a run. */
#ifndef IOBENCH_BASE_SOURCE_H
#define IOBENCH_BASE_SOURCE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_file {
    char *path;            /* as the user gave it; "-" for standard input */
    char *open_path;       /* what to open; differs for standard input and for a made file */
    int fd;                /* >= 0: cannot be opened by a name, duplicate this instead */
    uint64_t size_bytes;   /* UNKNOWN where the file does not say, or may lie (/proc) */
    uint64_t stated_bytes; /* st_size as it is */
    uint64_t skip_bytes;   /* where standard input stood when it was handed to us */
    char filesystem[24];
    double resident_ratio, resident_ratio_after; /* share in the page cache; NaN: not known */
    bool regular;       /* a regular file or block device: has a size, can be read again */
    bool once;          /* FIFO, pipe, socket, terminal: reading it uses it up */
    bool endless;       /* /dev/zero and its kind */
    bool volatile_size; /* regular, but its size is not the length of its content (/proc, /sys) */
};

struct source {
    struct source_file *files;
    size_t n;
    bool made; /* the file is our own, made for this run */
};

/* Learns what can be known of path without opening it (stat, mount table). Fails when it is
 * missing or a directory. On success the strings are the caller's to free (source_free). */
int source_add(struct source *source, const char *path, struct err *err) MUST_CHECK;

/* Standard input: reopened by name when it is a regular file, duplicated otherwise. */
int source_add_stdin(struct source *source, struct err *err) MUST_CHECK;

/* Opens each repeatable file once and reads a byte at offset, so that what cannot be read is known
 * before anything is measured. */
int source_check(const struct source_file *file, uint64_t offset, struct err *err) MUST_CHECK;

/* Removes entry i. */
void source_remove(struct source *source, size_t i);

/* Drops the file from the page cache and proves it: fdatasync(2) and POSIX_FADV_DONTNEED, then,
 * where pages stay and we may, /proc/sys/vm/drop_caches. Fails with the reason where the file
 * stays, or where nobody can tell (source_resident_ratio). */
int source_drop_cache(const struct source_file *file, struct err *err) MUST_CHECK;

/* Reads the file through once unless it is in the page cache already. */
int source_warm_cache(const struct source_file *file, struct err *err) MUST_CHECK;

/* Share of the file's pages in the page cache, by cachestat(2) or, where that is missing and the
 * file is ours or writable (mincore claims everything otherwise), mincore(2). NaN: not known. */
double source_resident_ratio(const struct source_file *file);

void source_free(struct source *source);

#endif
