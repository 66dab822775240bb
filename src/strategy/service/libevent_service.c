#include "config.h"

#include "strategy/service/libevent_service.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>

/* The phase is looked at after each round anyway. */
static void on_wake(evutil_socket_t fd, short what, void *opaque)
{
    (void)fd, (void)what, (void)opaque;
}

int libevent_service_setup(struct libevent_service *state, const struct task *task, size_t size,
                           event_callback_fn on_connections, struct err *err)
{
    short what = EV_READ | EV_PERSIST;
    if (service_setup(&state->service, task, size, err) != 0)
        return -1;
    state->base = event_base_new();
    if (state->base == NULL)
        return err_set(err, 0, "libevent cannot be set up");
    if (on_connections != NULL) {
        state->listens = event_new(state->base, task->fds[0], what, on_connections, state);
        if (state->listens == NULL || event_add(state->listens, NULL) != 0)
            return err_set(err, 0, "libevent cannot watch the listening socket");
    }
    if (task->stop_fd >= 0) {
        state->wakes = event_new(state->base, task->stop_fd, what, on_wake, NULL);
        if (state->wakes == NULL || event_add(state->wakes, NULL) != 0)
            return err_set(err, 0, "libevent cannot watch for the end");
    }
    return 0;
}

int libevent_service_pass(void *opaque, const struct task *task, struct tally *tally,
                          struct err *err)
{
    struct libevent_service *state = opaque;
    service_begin(&state->service, task, tally, err);
    while (!state->failed && !service_is_over(&state->service)) {
        tally->counter[COUNTER_WAITS]++;
        if (event_base_loop(state->base, EVLOOP_ONCE) != 0)
            return err_set(err, 0, "libevent's loop ended early");
    }
    return state->failed ? -1 : 0;
}

void libevent_service_teardown(struct libevent_service *state, void (*forget)(struct served *))
{
    service_teardown(&state->service, forget);
    if (state->listens != NULL)
        event_free(state->listens);
    if (state->wakes != NULL)
        event_free(state->wakes);
    if (state->base != NULL)
        event_base_free(state->base);
}

struct served *libevent_service_accept(struct libevent_service *state)
{
    struct served *served = NULL;
    for (bool again = true; served == NULL && again && !state->failed;)
        served = service_accept(&state->service, SOCK_NONBLOCK, &again);
    return served;
}

void libevent_service_fail(struct libevent_service *state)
{
    err_set(state->service.err, 0, "libevent has no memory left for a connection");
    state->failed = true;
}

static void on_input(struct evbuffer *buffer, const struct evbuffer_cb_info *info, void *opaque)
{
    (void)buffer;
    struct tally *tally = ((struct libevent_service *)opaque)->service.tally;
    tally->calls += info->n_added > 0;
    tally->bytes += info->n_added;
}

static void on_output(struct evbuffer *buffer, const struct evbuffer_cb_info *info, void *opaque)
{
    struct tally *tally = ((struct libevent_service *)opaque)->service.tally;
    if (info->n_deleted == 0)
        return;
    tally->calls++;
    tally->short_calls += evbuffer_get_length(buffer) > 0;
}

int libevent_service_count(struct libevent_service *state, struct bufferevent *events)
{
    if (evbuffer_add_cb(bufferevent_get_input(events), on_input, state) != NULL &&
        evbuffer_add_cb(bufferevent_get_output(events), on_output, state) != NULL)
        return 0;
    libevent_service_fail(state);
    return -1;
}
