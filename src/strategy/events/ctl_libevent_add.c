/* What libevent's event_add(3) and event_del(3) cost, its own book included. */
#include "config.h"

#include "strategy/events/serve.h"

#include <event2/event.h>
#include <stdlib.h>

struct state {
    struct event_base *base;
    struct event **events;
    unsigned n;
};

static void on_readable(evutil_socket_t fd, short what, void *opaque)
{
    (void)fd, (void)what, (void)opaque;
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->base = event_base_new();
    state->events = calloc(task->n_fds, sizeof(struct event *));
    if (state->base == NULL || state->events == NULL)
        return err_set(err, 0, "libevent cannot be set up");
    for (unsigned i = 0; i < task->n_fds; i++, state->n++) {
        state->events[i] =
            event_new(state->base, task->fds[i], EV_READ | EV_PERSIST, on_readable, NULL);
        if (state->events[i] == NULL)
            return err_set(err, 0, "libevent cannot watch handle %u", i + 1);
    }
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct serve serve;
    serve_start(&serve, task, tally, err);
    while (!serve_is_done(&serve)) {
        for (unsigned i = 0; i < state->n && !serve_is_done(&serve); i++) {
            tally->calls += 2;
            if (event_add(state->events[i], NULL) != 0 || event_del(state->events[i]) != 0)
                return err_set(err, 0, "libevent cannot watch handle %u", i + 1);
            serve_counted(&serve);
            serve_counted(&serve);
        }
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    for (unsigned i = 0; i < state->n; i++)
        event_free(state->events[i]);
    free(state->events);
    if (state->base != NULL)
        event_base_free(state->base);
}

const struct strategy strategy_events_ctl_libevent_add = {
    .name = "ctl-libevent-add",
    .summary = "libevent: event_add and event_del of a handle; both count",
    .family = FAMILY_EVENTS,
    .groups = GROUP_CONTROL,
    .needs = NEED_ONE_THREAD,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
