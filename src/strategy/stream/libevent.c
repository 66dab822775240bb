/* libevent: a persistent read event a connection, and one call in its callback. */
#include "config.h"

#include "strategy/stream/drain.h"

#include <event2/event.h>
#include <stdlib.h>

struct watched {
    struct state *state;
    struct event *event;
    unsigned index;
};

struct state {
    struct drain_buffer buffer;
    struct event_base *base;
    struct watched *watched;
    unsigned n;
    struct drain drain; /* the pass that runs */
    bool failed;
};

static void on_readable(evutil_socket_t fd, short what, void *opaque)
{
    (void)fd, (void)what;
    struct watched *w = opaque;
    struct state *state = w->state;
    struct drain *drain = &state->drain;
    if (drain->left == 0)
        return; /* of the same batch, after the last byte wanted */
    enum drain_event event = drain_once(drain, &state->buffer, w->index);
    if (event == DRAIN_LAST)
        event_del(w->event);
    state->failed |= event == DRAIN_FAILED;
    if (event == DRAIN_FAILED || drain->left == 0 || drain->open == 0)
        event_base_loopbreak(state->base);
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->base = event_base_new();
    state->watched = calloc(task->n_fds, sizeof *state->watched);
    if (state->base == NULL || state->watched == NULL)
        return err_set(err, 0, "libevent cannot be set up");
    for (unsigned i = 0; i < task->n_fds; i++) {
        struct watched *w = &state->watched[i];
        *w = (struct watched){state, NULL, i};
        w->event = event_new(state->base, task->fds[i], EV_READ | EV_PERSIST, on_readable, w);
        state->n = i + 1;
        if (w->event == NULL)
            return err_set(err, 0, "libevent cannot watch connection %u", i + 1);
    }
    return drain_unblock(task, err) == 0 ? drain_buffer_setup(&state->buffer, task, err) : -1;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    drain_start(&state->drain, task, tally, err);
    for (unsigned i = 0; i < task->n_fds; i++)
        if (drain_wants(&state->drain, i) && event_add(state->watched[i].event, NULL) != 0)
            return err_set(err, 0, "libevent cannot watch connection %u", i + 1);
    while (!state->failed && state->drain.left > 0 && state->drain.open > 0) {
        tally->counter[COUNTER_WAITS]++;
        if (event_base_loop(state->base, EVLOOP_ONCE) != 0)
            return err_set(err, 0, "libevent's loop ended early");
    }
    return state->failed ? -1 : 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    for (unsigned i = 0; i < state->n; i++)
        if (state->watched[i].event != NULL)
            event_free(state->watched[i].event);
    free(state->watched);
    if (state->base != NULL)
        event_base_free(state->base);
    drain_buffer_teardown(&state->buffer);
}

const struct strategy strategy_stream_libevent = {
    .name = "libevent",
    .summary = "a persistent libevent event a connection, one call in its callback",
    .family = FAMILY_STREAM,
    .groups = GROUP_EVENTS,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
