/* Memory that the writer of events and those who wait for them share: what is unread, and what was
 * written in which order. */
#ifndef IOBENCH_BASE_EXCHANGE_H
#define IOBENCH_BASE_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXCHANGE_RING = 1 << 16 }; /* more than there are unread messages to ask about */

/* One a handle: a cache line that goes to and fro, and one that only who reads writes to. */
struct exchange_handle {
    _Alignas(64) _Atomic uint32_t unread; /* messages written and not yet read */
    _Atomic uint64_t stamp_ns;            /* when the last one was written; 0 unless asked for */
    _Alignas(64) _Atomic uint64_t served; /* messages read */
};

struct exchange {
    _Alignas(64) _Atomic uint64_t written; /* messages so far: the head of the ring */
    _Alignas(64) _Atomic uint64_t read;    /* the same of all who read */
    _Alignas(64) _Atomic bool done;        /* no more is wanted */
    bool stamps;                           /* note the time of every message */
    bool book;                             /* keep the ring: somebody is told what comes next */
    _Atomic uint32_t ring[EXCHANGE_RING];  /* handle + 1 of each message, 0 until it is written */
    struct exchange_handle handle[];
};

/* Adds to a count and returns what it was. Who is alone in adding needs no locked instruction. */
static inline uint64_t exchange_add(_Atomic uint64_t *count, uint64_t n, bool alone)
{
    if (!alone)
        return atomic_fetch_add_explicit(count, n, memory_order_relaxed);
    uint64_t before = atomic_load_explicit(count, memory_order_relaxed);
    atomic_store_explicit(count, before + n, memory_order_relaxed);
    return before;
}

static inline size_t exchange_size(unsigned n)
{
    return sizeof(struct exchange) + n * sizeof(struct exchange_handle);
}

#endif
