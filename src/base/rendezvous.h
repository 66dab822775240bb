/* Memory that a server and those who load it share: where the trial stands, and what became of the
 * connections. A trial goes through three phases; who moves it on wakes the server afterwards. */
#ifndef IOBENCH_BASE_RENDEZVOUS_H
#define IOBENCH_BASE_RENDEZVOUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum phase {
    PHASE_RAMP,  /* connections are made and warmed up; the clock has not begun */
    PHASE_TIMED, /* the clock runs */
    PHASE_OVER   /* all answers that were waited for have come */
};

struct rendezvous {
    _Alignas(64) _Atomic int phase; /* enum phase; never goes back within a trial */
    _Atomic unsigned serving;       /* workers of the server in the timed phase */
    _Atomic unsigned ramped;        /* threads of the load that are through with the ramp */
    /* Connections of the server. */
    _Alignas(64) _Atomic uint64_t accepted, open, most_open;
    _Atomic uint64_t refused;      /* there was no descriptor (or memory, or thread) for them */
    _Atomic int refused_errno;     /* of the last of them */
    _Atomic uint64_t broken;       /* ended by an error, not by the other end's close */
    _Atomic uint64_t bad_requests; /* that got an HTTP error for an answer */
};

static inline int rendezvous_phase(struct rendezvous *meeting)
{
    return atomic_load_explicit(&meeting->phase, memory_order_acquire);
}

static inline void rendezvous_opened(struct rendezvous *meeting)
{
    atomic_fetch_add(&meeting->accepted, 1);
    uint64_t now = atomic_fetch_add(&meeting->open, 1) + 1, most = atomic_load(&meeting->most_open);
    while (now > most && !atomic_compare_exchange_weak(&meeting->most_open, &most, now))
        continue;
}

static inline void rendezvous_closed(struct rendezvous *meeting)
{
    atomic_fetch_sub(&meeting->open, 1);
}

#endif
