/* libevent's bufferevent: the library receives and sends by itself, into and from buffers of its
 * own. Raw bytes are moved from one to the other without a copy. */
#include "config.h"

#include "strategy/service/libevent_service.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>

/* Of what waits to be sent on a connection: beyond that nothing more is read. */
enum { MOST_UNSENT = 64 * 1024 };

struct connection {
    struct served served;
    struct libevent_service *state;
    struct bufferevent *events;
    bool ended; /* the other end sends no more */
    bool full;  /* nothing more is read until some of the output is sent */
};

static void forget(struct served *served)
{
    struct connection *c = (struct connection *)served;
    if (c->events != NULL)
        bufferevent_free(c->events);
}

static void end(struct connection *c, bool broken)
{
    forget(&c->served);
    service_close(&c->state->service, &c->served, broken);
}

/* Answers what lies in the input, as far as there is room in the output. */
static void answer_input(struct connection *c)
{
    struct service *service = &c->state->service;
    struct answer *answer = &c->served.answer;
    struct evbuffer *in = bufferevent_get_input(c->events);
    struct evbuffer *out = bufferevent_get_output(c->events);
    if (service->answers.protocol == PROTOCOL_RAW && evbuffer_get_length(out) < MOST_UNSENT)
        evbuffer_add_buffer(out, in);
    while (evbuffer_get_length(out) < MOST_UNSENT) {
        const unsigned char *bytes;
        size_t n = answer_next(&service->answers, answer, &bytes);
        size_t lies = n == 0 ? evbuffer_get_contiguous_space(in) : 0;
        if (n > MOST_UNSENT)
            n = MOST_UNSENT;
        if (n > 0 && evbuffer_add(out, bytes, n) == 0) {
            answer_sent(&service->answers, answer, n);
        } else if (lies > 0) {
            answer_take(&service->answers, answer, evbuffer_pullup(in, (ev_ssize_t)lies), lies);
            evbuffer_drain(in, lies);
        } else {
            break;
        }
    }
}

static void on_input(struct bufferevent *events, void *opaque);
static void on_output(struct bufferevent *events, void *opaque);
static void on_event(struct bufferevent *events, short what, void *opaque);

static void go_on(struct connection *c)
{
    answer_input(c);
    size_t unsent = evbuffer_get_length(bufferevent_get_output(c->events));
    if (unsent == 0 && (c->ended || service_is_said(&c->served))) {
        end(c, false);
        return;
    }
    bool full = unsent >= MOST_UNSENT;
    if (full || c->ended || answer_is_over(&c->served.answer)) /* else nobody need be told */
        bufferevent_setcb(c->events, on_input, on_output, on_event, c);
    if (full != c->full) {
        bufferevent_setwatermark(c->events, EV_WRITE, full ? MOST_UNSENT / 2 : 0, 0);
        if (full)
            bufferevent_disable(c->events, EV_READ);
        else if (!c->ended)
            bufferevent_enable(c->events, EV_READ);
    }
    c->full = full;
}

static void on_input(struct bufferevent *events, void *opaque)
{
    (void)events;
    struct connection *c = opaque;
    c->state->service.tally->counter[COUNTER_EVENTS]++;
    go_on(c);
}

static void on_output(struct bufferevent *events, void *opaque)
{
    (void)events;
    go_on(opaque);
}

static void on_event(struct bufferevent *events, short what, void *opaque)
{
    (void)events;
    struct connection *c = opaque;
    c->ended = true;
    if (what & BEV_EVENT_ERROR)
        end(c, true);
    else
        go_on(c);
}

static void on_connections(evutil_socket_t fd, short what, void *opaque)
{
    (void)fd, (void)what;
    struct libevent_service *state = opaque;
    struct connection *c;
    while ((c = (struct connection *)libevent_service_accept(state)) != NULL) {
        c->state = state;
        c->events = bufferevent_socket_new(state->base, c->served.fd, 0);
        if (c->events == NULL || libevent_service_count(state, c->events) != 0) {
            libevent_service_fail(state);
            return;
        }
        bufferevent_set_max_single_read(c->events, ANSWER_BUFFER);
        bufferevent_setwatermark(c->events, EV_READ, 0, MOST_UNSENT);
        bufferevent_setcb(c->events, on_input, NULL, on_event, c);
        bufferevent_enable(c->events, EV_READ | EV_WRITE);
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

const struct strategy strategy_service_bufferevent = {
    .name = "bufferevent",
    .summary = "libevent's bufferevent: the library receives and sends by itself",
    .caveat = "Version 2.1 reads at most 4 KiB at a time, and asks FIONREAD before each read.",
    .family = FAMILY_SERVICE,
    .groups = GROUP_EVENTS,
    .state_size = sizeof(struct libevent_service),
    .setup = setup,
    .pass = libevent_service_pass,
    .teardown = teardown,
};
