/* libevent: an event a connection, for what it waits for, and the calls are ours. */
#include "config.h"

#include "strategy/service/libevent_service.h"

struct connection {
    struct served served;
    struct libevent_service *state;
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

static void watch(struct connection *c, bool writes)
{
    struct libevent_service *state = c->state;
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
        libevent_service_fail(state);
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
    struct connection *c;
    while ((c = (struct connection *)libevent_service_accept(opaque)) != NULL) {
        c->state = opaque;
        watch(c, false);
    }
}

static int setup(void *state, const struct task *task, struct err *err)
{
    return libevent_service_setup(state, task, sizeof(struct connection), on_connections, err);
}

static void teardown(void *state)
{
    libevent_service_teardown(state, forget);
}

const struct strategy strategy_service_libevent = {
    .name = "libevent",
    .summary = "libevent: an event a connection, and our own calls",
    .family = FAMILY_SERVICE,
    .groups = GROUP_EVENTS,
    .knobs = SERVICE_CALLS_KNOBS,
    .state_size = sizeof(struct libevent_service),
    .setup = setup,
    .pass = libevent_service_pass,
    .teardown = teardown,
};
