#include "config.h"

#include "peer/event_writer.h"

#include "base/clock.h"
#include "base/rng.h"
#include "peer/ends.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct writer_state {
    unsigned *handles; /* of this worker, in the order of a turn */
    unsigned n, active;
    unsigned first; /* cyclic: where the next turn begins */
    struct rng rng;
};

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct writer_state *state = opaque;
    const struct event_writer_work *work = arg;
    if (seat->worker == 0 && work->read_fds != work->write_fds)
        ends_close(work->read_fds, work->n);
    state->handles = calloc(work->n, sizeof *state->handles);
    if (state->handles == NULL)
        return err_set(err, errno, "cannot write to %u handles", work->n);
    for (unsigned i = seat->worker; i < work->n; i += seat->workers)
        state->handles[state->n++] = i;
    uint64_t active = (state->n * work->params->value[KNOB_ACTIVE] + 99) / 100;
    state->active = (unsigned)active;
    rng_init(&state->rng, work->seed + seat->worker);
    return 0;
}

/* Writes one message to a handle, unless it has as many unread ones as it may. True: written. */
static bool write_message(const struct event_writer_work *work, unsigned handle,
                          struct tally *tally)
{
    struct exchange *exchange = work->exchange;
    struct exchange_handle *h = &exchange->handle[handle];
    const uint64_t one = 1;
    if (atomic_load_explicit(&h->unread, memory_order_acquire) >=
        work->params->value[KNOB_OUTSTANDING])
        return false;
    if (exchange->stamps)
        atomic_store_explicit(&h->stamp_ns, clock_now_ns(), memory_order_relaxed);
    atomic_fetch_add_explicit(&h->unread, 1, memory_order_relaxed);
    tally->calls++;
    if (write(work->write_fds[handle], &one, sizeof one) != sizeof one) {
        atomic_fetch_sub_explicit(&h->unread, 1, memory_order_relaxed);
        tally->counter[COUNTER_AGAIN]++;
        return false;
    }
    uint64_t at = atomic_fetch_add_explicit(&exchange->written, 1, memory_order_relaxed);
    atomic_store_explicit(&exchange->ring[at % EXCHANGE_RING], handle + 1, memory_order_release);
    tally->counter[COUNTER_MESSAGES]++;
    tally->bytes += sizeof one;
    return true;
}

/* Chooses the handles of the next turn: they come first then. */
static unsigned next_turn(struct writer_state *state, const struct event_writer_work *work)
{
    if (work->params->value[KNOB_ORDER] == ORDER_RANDOM) {
        rng_shuffle(&state->rng, state->handles, state->n);
        return 0;
    }
    unsigned first = state->first;
    state->first = (first + state->active) % state->n;
    return first;
}

static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct writer_state *state = opaque;
    const struct event_writer_work *work = arg;
    const struct exchange *exchange = work->exchange;
    (void)err, (void)passes;
    while (state->n > 0 && !atomic_load_explicit(&exchange->done, memory_order_relaxed) &&
           !atomic_load_explicit(seat->stop, memory_order_relaxed)) {
        unsigned first = next_turn(state, work), written = 0;
        for (unsigned i = 0; i < state->active; i++)
            written += write_message(work, state->handles[(first + i) % state->n], tally);
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
