/* libevent: an event a connection, for what it waits for, and the calls are ours. */
#include "config.h"

#include "strategy/service/service.h"

#include <event2/event.h>

struct state {
    struct service service;
    struct event_base *base;
    struct event *listens, *wakes;
    bool failed;
};

struct connection {
    struct served served;
    struct state *state;
    struct event *event;
    bool writes; /* it is watched for room to send, not for requests */
};

static void on_ready(evutil_socket_t fd, short what, void *opaque);

static void forget(struct served *served)
{
    struct connection *c = (struct connection *)served;
    if (c->event != NULL)
        event_free(c->event);
}

static void fail(struct state *state, const char *what)
{
    err_set(state->service.err, 0, "libevent cannot watch %s", what);
    state->failed = true;
}

static void watch(struct connection *c, bool writes)
{
    struct state *state = c->state;
    c->writes = writes;
    short what = (short)(EV_PERSIST | (writes ? EV_WRITE : EV_READ));
    state->service.tally->counter[COUNTER_CONTROLS]++;
    if (c->event != NULL) {
        event_del(c->event);
        event_assign(c->event, state->base, c->served.fd, what, on_ready, c);
    } else {
        c->event = event_new(state->base, c->served.fd, what, on_ready, c);
    }
    if (c->event == NULL || event_add(c->event, NULL) != 0)
        fail(state, "a connection");
}

static void on_ready(evutil_socket_t fd, short what, void *opaque)
{
    (void)fd, (void)what;
    struct connection *c = opaque;
    struct service *service = &c->state->service;
    service->tally->counter[COUNTER_EVENTS]++;
    enum turn turn = service_turn(service, &c->served);
    if (turn == TURN_GONE || turn == TURN_BROKEN) {
        forget(&c->served);
        service_close(service, &c->served, turn == TURN_BROKEN);
    } else if ((turn == TURN_BLOCKED) != c->writes) {
        watch(c, turn == TURN_BLOCKED);
    }
}

static void on_connections(evutil_socket_t fd, short what, void *opaque)
{
    (void)fd, (void)what;
    struct state *state = opaque;
    for (bool again = true; again && !state->failed;) {
        struct connection *c =
            (struct connection *)service_accept(&state->service, SOCK_NONBLOCK, &again);
        if (c == NULL)
            continue;
        c->state = state;
        watch(c, false);
    }
}

/* The phase is looked at after each round anyway. */
static void on_wake(evutil_socket_t fd, short what, void *opaque)
{
    (void)fd, (void)what, (void)opaque;
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    if (service_setup(&state->service, task, sizeof(struct connection), err) != 0)
        return -1;
    state->base = event_base_new();
    if (state->base == NULL)
        return err_set(err, 0, "libevent cannot be set up");
    state->listens =
        event_new(state->base, task->fds[0], EV_READ | EV_PERSIST, on_connections, state);
    if (state->listens == NULL || event_add(state->listens, NULL) != 0)
        return err_set(err, 0, "libevent cannot watch the listening socket");
    if (task->stop_fd < 0)
        return 0;
    state->wakes = event_new(state->base, task->stop_fd, EV_READ | EV_PERSIST, on_wake, NULL);
    if (state->wakes == NULL || event_add(state->wakes, NULL) != 0)
        return err_set(err, 0, "libevent cannot watch for the end");
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    service_begin(&state->service, task, tally, err);
    while (!state->failed && !service_is_over(&state->service)) {
        tally->counter[COUNTER_WAITS]++;
        if (event_base_loop(state->base, EVLOOP_ONCE) != 0)
            return err_set(err, 0, "libevent's loop ended early");
    }
    return state->failed ? -1 : 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    service_teardown(&state->service, forget);
    if (state->listens != NULL)
        event_free(state->listens);
    if (state->wakes != NULL)
        event_free(state->wakes);
    if (state->base != NULL)
        event_base_free(state->base);
}

const struct strategy strategy_service_libevent = {
    .name = "libevent",
    .summary = "libevent: an event a connection, and our own calls",
    .family = FAMILY_SERVICE,
    .groups = GROUP_EVENTS | GROUP_LIBEVENT,
    .knobs = SERVICE_CALLS_KNOBS,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
