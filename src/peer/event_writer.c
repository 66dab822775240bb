#include "config.h"

#include "peer/event_writer.h"

#include "base/clock.h"
#include "base/rng.h"
#include "peer/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Random orders of the handles that a writer has ready: to shuffle anew for each turn would be its
 * largest cost, and it must not be the limit. */
enum { ORDERS = 16 };

struct writer_state {
    unsigned *handles; /* of this worker, n of them for each order */
    unsigned n, active;
    unsigned first; /* cyclic: where the next turn begins */
    double interval_ns,
        due_ns; /* --rate: of this worker's messages, and when the next one is due */
    struct rng rng;
};

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct writer_state *state = opaque;
    const struct event_writer_work *work = arg;
    if (seat->worker == 0 && work->read_fds != work->write_fds)
        ends_close(work->read_fds, work->n);
    state->handles = calloc((size_t)ORDERS * work->n, sizeof *state->handles);
    if (state->handles == NULL)
        return err_set(err, errno, "cannot write to %u handles", work->n);
    for (unsigned i = seat->worker; i < work->n; i += seat->workers)
        state->handles[state->n++] = i;
    uint64_t active = (state->n * work->params->value[KNOB_ACTIVE] + 99) / 100;
    state->active = (unsigned)active;
    rng_init(&state->rng, work->seed + seat->worker);
    for (unsigned o = 1; o < ORDERS; o++) {
        unsigned *order = state->handles + (size_t)o * state->n;
        memcpy(order, state->handles, state->n * sizeof *order);
        rng_shuffle(&state->rng, order, state->n);
    }
    uint64_t rate = work->params->value[KNOB_RATE];
    if (rate != PARAM_NONE)
        state->interval_ns = 1e9 * seat->workers / (double)rate;
    /* A handle may be full: who never sleeps passes on to the next. */
    for (unsigned i = 0; work->params->value[KNOB_OUTSTANDING] != 1 && i < work->n; i++)
        if (fcntl(work->write_fds[i], F_SETFL, O_NONBLOCK) != 0)
            return err_set(err, errno, "cannot make handle %u non-blocking", i + 1);
    return 0;
}

/* Writes one message to a handle, unless it has as many unread ones as it may. stamp_ns is when it
 * was due; 0: now. True: written. */
static bool write_message(const struct event_writer_work *work, unsigned handle, uint64_t stamp_ns,
                          struct tally *tally)
{
    struct exchange *exchange = work->exchange;
    struct exchange_handle *h = &exchange->handle[handle];
    const uint64_t one = 1;
    uint64_t most = work->params->value[KNOB_OUTSTANDING];
    if (most > 0 && atomic_load_explicit(&h->unread, memory_order_acquire) >= most)
        return false;
    if (exchange->stamps)
        atomic_store_explicit(&h->stamp_ns, stamp_ns > 0 ? stamp_ns : clock_now_ns(),
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&h->unread, 1, memory_order_relaxed);
    tally->calls++;
    if (write(work->write_fds[handle], &one, sizeof one) != sizeof one) {
        atomic_fetch_sub_explicit(&h->unread, 1, memory_order_relaxed);
        tally->counter[COUNTER_AGAIN]++;
        return false;
    }
    uint64_t at = exchange_add(&exchange->written, 1, work->params->value[KNOB_WRITERS] == 1);
    if (exchange->book)
        atomic_store_explicit(&exchange->ring[at % EXCHANGE_RING], handle + 1,
                              memory_order_release);
    tally->counter[COUNTER_MESSAGES]++;
    tally->bytes += sizeof one;
    return true;
}

/* The handles of the next turn: active of them from *first on, around the end. The first order is
 * that of their numbers. */
static const unsigned *next_turn(struct writer_state *state, const struct event_writer_work *work,
                                 unsigned *first)
{
    *first = state->first;
    if (work->params->value[KNOB_ORDER] != ORDER_RANDOM) {
        state->first = (state->first + state->active) % state->n;
        return state->handles;
    }
    if (state->active < state->n)
        *first = (unsigned)rng_below(&state->rng, state->n);
    uint64_t order = 1 + rng_below(&state->rng, ORDERS - 1);
    return state->handles + (size_t)order * state->n;
}

static bool is_over(const struct event_writer_work *work)
{
    return atomic_load_explicit(&work->exchange->done, memory_order_relaxed);
}

/* A turn by the clock: every message has its moment, and one that comes late keeps it. It goes to
 * the next handle that has room: who reads may be waiting for another one. */
static void write_paced(struct writer_state *state, const struct event_writer_work *work,
                        const unsigned *handles, unsigned first, struct tally *tally)
{
    for (unsigned i = 0; i < state->active && !is_over(work); i++) {
        unsigned at = first + i;
        uint64_t due = (uint64_t)state->due_ns;
        while (clock_now_ns() < due && !is_over(work))
            continue;
        while (!is_over(work) && !write_message(work, handles[at % state->n], due, tally))
            at++;
        state->due_ns += state->interval_ns;
    }
}

static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct writer_state *state = opaque;
    const struct event_writer_work *work = arg;
    (void)seat, (void)err, (void)passes;
    state->due_ns = (double)clock_now_ns();
    while (state->n > 0 && !is_over(work)) {
        unsigned written = 0, at;
        const unsigned *handles = next_turn(state, work, &at);
        if (state->interval_ns > 0) {
            write_paced(state, work, handles, at, tally);
            continue;
        }
        for (unsigned i = 0; i < state->active; i++) {
            written += write_message(work, handles[at], 0, tally);
            at = at + 1 < state->n ? at + 1 : 0;
        }
        tally->counter[COUNTER_EMPTY_WAITS] += written == 0; /* everything was unread */
    }
    tally->passes = 1;
    return 0;
}

static void teardown(void *opaque)
{
    struct writer_state *state = opaque;
    free(state->handles);
}

struct part event_writer_part(const struct event_writer_work *work)
{
    return (struct part){.name = "writer",
                         .state_size = sizeof(struct writer_state),
                         .arg = work,
                         .setup = setup,
                         .run = run,
                         .teardown = teardown};
}
