#include "config.h"

#include "strategy/events/libevent_events.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>

struct libevent_watched {
    struct libevent_events *state;
    struct event *event;
    unsigned index;
};

static void on_readable(evutil_socket_t fd, short what, void *opaque)
{
    (void)fd, (void)what;
    struct libevent_watched *w = opaque;
    w->state->in_batch++;
    if (serve_event(&w->state->serve, w->index) != 0)
        w->state->failed = true;
}

static struct event_base *make_base(const char *method, struct err *err)
{
    struct event_config *config = event_config_new();
    const char **methods = event_get_supported_methods();
    for (size_t i = 0; config != NULL && method != NULL && methods[i] != NULL; i++)
        if (strcmp(methods[i], method) != 0)
            event_config_avoid_method(config, methods[i]);
    struct event_base *base = config != NULL ? event_base_new_with_config(config) : NULL;
    if (config != NULL)
        event_config_free(config);
    if (base == NULL || (method != NULL && strcmp(event_base_get_method(base), method) != 0))
        err_set(err, 0, "this libevent has no back end '%s'", method != NULL ? method : "any");
    return base;
}

int libevent_events_setup(struct libevent_events *state, const struct task *task,
                          const char *method, struct err *err)
{
    state->base = make_base(method, err);
    state->watched = calloc(task->n_fds, sizeof *state->watched);
    if (state->base == NULL || state->watched == NULL || err->text[0] != '\0')
        return err_set(err, 0, "libevent cannot be set up");
    for (unsigned i = 0; i < task->n_fds; i++) {
        struct libevent_watched *w = &state->watched[i];
        *w = (struct libevent_watched){state, NULL, i};
        w->event = event_new(state->base, task->fds[i], EV_READ | EV_PERSIST, on_readable, w);
        state->n = i + 1;
        if (w->event == NULL || event_add(w->event, NULL) != 0)
            return err_set(err, 0, "libevent cannot watch handle %u", i + 1);
    }
    return serve_unblock(task, err);
}

int libevent_events_pass(void *opaque, const struct task *task, struct tally *tally,
                         struct err *err)
{
    struct libevent_events *state = opaque;
    serve_start(&state->serve, task, tally, err);
    while (!state->failed && !serve_is_done(&state->serve)) {
        state->in_batch = 0;
        if (event_base_loop(state->base, EVLOOP_ONCE) != 0)
            return err_set(err, 0, "libevent's loop ended early");
        serve_waited(&state->serve, (int)state->in_batch, UINT32_MAX);
    }
    return state->failed ? -1 : 0;
}

void libevent_events_teardown(void *opaque)
{
    struct libevent_events *state = opaque;
    for (unsigned i = 0; i < state->n; i++)
        if (state->watched[i].event != NULL)
            event_free(state->watched[i].event);
    free(state->watched);
    if (state->base != NULL)
        event_base_free(state->base);
}
