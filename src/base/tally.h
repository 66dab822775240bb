/* What a worker has done so far. It lies in memory shared with the parent, one per worker on cache
 * lines of its own, so that progress can be seen while a trial runs. Only its worker writes it. */
#ifndef IOBENCH_BASE_TALLY_H
#define IOBENCH_BASE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/* Stands for "not measured" wherever a count is a uint64_t; null in JSON. */
#define UNKNOWN UINT64_MAX

struct histogram;

struct tally {
    _Alignas(128) uint64_t passes;
    uint64_t bytes;       /* delivered */
    uint64_t calls;       /* made by the strategy, end of file included; UNKNOWN: it makes none */
    uint64_t short_calls; /* that gave less than asked for, but something */
    uint64_t newlines;    /* counted under consume=lines */
    uint64_t sum;         /* what consume read from the bytes; keeps the compiler honest */
    uint64_t digest;      /* XXH3 (64 bits) of the whole work, under consume=digest */
    uint64_t open_ns, close_ns; /* only where phases is set */
    uint64_t foreign_cpu_ns;    /* of ended children, but spent before the timed part */
    struct histogram *latency;  /* of single calls; NULL unless it was asked for */
    bool has_digest;
    bool
        phases; /* set before the run by who wants open_ns and close_ns: they cost clock readings */
};

#endif
