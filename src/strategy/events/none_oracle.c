/* Told by the writer which handle is next, in the same order and with the same coalescing: the
 * honest "without epoll". */
#include "config.h"

#include "strategy/events/serve.h"

/* Waits for the next message of the ring; 0: enough was read meanwhile. */
static uint32_t await_next(const struct serve *serve, uint64_t at)
{
    _Atomic uint32_t *slot = &serve->task->exchange->ring[at % EXCHANGE_RING];
    uint32_t next = 0;
    while (next == 0 && !serve_is_done(serve))
        next = atomic_load_explicit(slot, memory_order_acquire);
    atomic_store_explicit(slot, 0, memory_order_relaxed);
    return next;
}

struct state {
    uint64_t at; /* in the ring */
};

static int setup(void *state, const struct task *task, struct err *err)
{
    (void)state;
    return serve_unblock(task, err);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct serve serve;
    serve_start(&serve, task, tally, err);
    while (!serve_is_done(&serve)) {
        uint32_t next = await_next(&serve, state->at++);
        if (next > 0 && serve_read(&serve, next - 1) == SERVED_FAILED)
            return -1;
    }
    return 0;
}

const struct strategy strategy_events_none_oracle = {
    .name = "none-oracle",
    .summary = "told which handle is next: what waiting costs is left away; a limit",
    .family = FAMILY_EVENTS,
    .needs = NEED_ONE_THREAD | NEED_BOOK,
    .times_calls = true,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
};
