/* libevent's bufferevent: the library reads into its own buffer, we take from that. libevent 2.1
 * reads at most 4096 bytes at a time, whatever is asked for, and asks FIONREAD before each read
 * (evbuffer_read): shown as it is. */
#include "config.h"

#include "strategy/stream/drain.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdlib.h>

struct watched {
    struct state *state;
    struct bufferevent *events;
    unsigned index;
};

struct state {
    struct event_base *base;
    struct watched *watched;
    unsigned n;
    size_t block;
    struct drain drain; /* the pass that runs */
    bool failed;
};

static void look_whether_done(struct state *state)
{
    if (state->failed || state->drain.left == 0 || state->drain.open == 0)
        event_base_loopbreak(state->base);
}

/* Takes what lies there, a block at most at a time, where it lies. */
static void on_read(struct bufferevent *events, void *opaque)
{
    struct watched *w = opaque;
    struct drain *drain = &w->state->drain;
    struct evbuffer *input = bufferevent_get_input(events);
    size_t held;
    enum drain_event event = DRAIN_BYTES;
    drain->tally->calls++; /* the library made one read for it */
    while ((held = evbuffer_get_contiguous_space(input)) > 0) {
        size_t n = held < w->state->block ? held : w->state->block;
        event = drain_took(drain, w->index, evbuffer_pullup(input, (ev_ssize_t)n), n, n);
        evbuffer_drain(input, n);
    }
    if (event == DRAIN_LAST)
        bufferevent_disable(events, EV_READ);
    look_whether_done(w->state);
}

static void on_event(struct bufferevent *events, short what, void *opaque)
{
    struct watched *w = opaque;
    (void)events;
    if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) {
        errno = EVUTIL_SOCKET_ERROR();
        ssize_t got = what & BEV_EVENT_ERROR ? -1 : 0;
        w->state->failed |= drain_end(&w->state->drain, w->index, got) == DRAIN_FAILED;
        bufferevent_disable(events, EV_READ);
    }
    look_whether_done(w->state);
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->block = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    state->base = event_base_new();
    state->watched = calloc(task->n_fds, sizeof *state->watched);
    if (state->base == NULL || state->watched == NULL)
        return err_set(err, 0, "libevent cannot be set up");
    if (drain_unblock(task, err) != 0)
        return -1;
    for (unsigned i = 0; i < task->n_fds; i++) {
        struct watched *w = &state->watched[i];
        *w = (struct watched){state, bufferevent_socket_new(state->base, task->fds[i], 0), i};
        state->n = i + 1;
        if (w->events == NULL)
            return err_set(err, 0, "libevent cannot watch connection %u", i + 1);
        bufferevent_setcb(w->events, on_read, NULL, on_event, w);
        bufferevent_set_max_single_read(w->events, state->block);
    }
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    drain_start(&state->drain, task, tally, err);
    for (unsigned i = 0; i < task->n_fds; i++)
        if (drain_wants(&state->drain, i) &&
            bufferevent_enable(state->watched[i].events, EV_READ) != 0)
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
        if (state->watched[i].events != NULL)
            bufferevent_free(state->watched[i].events);
    free(state->watched);
    if (state->base != NULL)
        event_base_free(state->base);
}

const struct strategy strategy_stream_bufferevent = {
    .name = "bufferevent",
    .summary = "libevent's bufferevent; version 2.1 reads at most 4 KiB at a time",
    .family = FAMILY_STREAM,
    .groups = GROUP_EVENTS,
    .needs = NEED_SOCKET | NEED_STREAM,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
