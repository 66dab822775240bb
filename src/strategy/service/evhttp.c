/* libevent's own HTTP server: it accepts, parses, keeps what it needs of each request, and writes.
 */
#include "config.h"

#include "strategy/service/libevent_service.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <fcntl.h>

/* It holds a whole body before it answers, so that no less may be read ahead. */
enum { LARGEST_REQUEST_BODY = 64 * 1024, READ_AHEAD = LARGEST_REQUEST_BODY + LONGEST_HEADER };

struct state {
    struct libevent_service libevent;
    struct evhttp *http;
    struct bufferevent *fresh; /* of the connection accepted last, while it is not counted */
};

static void on_close(struct evhttp_connection *connection, void *opaque)
{
    (void)connection;
    struct state *state = opaque;
    rendezvous_closed(state->libevent.service.answers.meeting);
}

/* The library tells of the end of a connection, but its beginning can be seen from what it needs
 * for one alone: what belongs to that (the argument of its callbacks) stands there a moment later.
 */
static void count_fresh(struct state *state)
{
    void *connection = NULL;
    if (state->fresh == NULL)
        return;
    bufferevent_getcb(state->fresh, NULL, NULL, NULL, &connection);
    service_set_nodelay(&state->libevent.service, bufferevent_getfd(state->fresh));
    evhttp_connection_set_closecb(connection, on_close, state);
    rendezvous_opened(state->libevent.service.answers.meeting);
    state->fresh = NULL;
}

static struct bufferevent *on_connection(struct event_base *base, void *opaque)
{
    struct state *state = opaque;
    count_fresh(state);
    state->fresh = bufferevent_socket_new(base, -1, 0);
    if (state->fresh == NULL || libevent_service_count(&state->libevent, state->fresh) != 0)
        return state->fresh;
    bufferevent_setwatermark(state->fresh, EV_READ, 0, READ_AHEAD);
    bufferevent_set_max_single_read(state->fresh, ANSWER_BUFFER);
    return state->fresh;
}

static void on_request(struct evhttp_request *request, void *opaque)
{
    struct libevent_service *state = opaque;
    const struct answers *answers = &state->service.answers;
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    state->service.tally->counter[COUNTER_EVENTS]++;
    evhttp_add_header(headers, "Server", "iobench");
    evhttp_add_header(headers, "Content-Type", "text/plain");
    if (evhttp_request_get_command(request) != EVHTTP_REQ_HEAD) /* it would send that, too */
        evbuffer_add_reference(evhttp_request_get_output_buffer(request),
                               answers->block + answers->head, answers->answer - answers->head,
                               NULL, NULL);
    evhttp_send_reply(request, HTTP_OK, "OK", NULL);
}

/* What it is called with is the library's, so all it does is to end the round. */
static void on_failed_accept(struct evconnlistener *listener, void *http)
{
    (void)http;
    event_base_loopbreak(evconnlistener_get_base(listener));
}

static void refuse(struct service *service)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* what has run out? */
    if (fd < 0)
        service_refuse(service, errno);
    else
        close(fd);
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    if (libevent_service_setup(&state->libevent, task, sizeof(struct served), NULL, err) != 0)
        return -1;
    struct evconnlistener *listener = evconnlistener_new(state->libevent.base, NULL, NULL,
                                                         LEV_OPT_CLOSE_ON_EXEC, 0, task->fds[0]);
    state->http = evhttp_new(state->libevent.base);
    if (listener == NULL || state->http == NULL ||
        evhttp_bind_listener(state->http, listener) == NULL)
        return err_set(err, 0, "libevent cannot listen");
    evconnlistener_set_error_cb(listener, on_failed_accept);
    evhttp_set_bevcb(state->http, on_connection, state);
    evhttp_set_gencb(state->http, on_request, state);
    evhttp_set_max_headers_size(state->http, LONGEST_HEADER);
    evhttp_set_max_body_size(state->http, LARGEST_REQUEST_BODY);
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct libevent_service *libevent = &state->libevent;
    service_begin(&libevent->service, task, tally, err);
    while (!libevent->failed && !service_is_over(&libevent->service)) {
        tally->counter[COUNTER_WAITS]++;
        if (event_base_loop(libevent->base, EVLOOP_ONCE) < 0)
            return err_set(err, 0, "libevent's loop ended early");
        count_fresh(state);
        if (event_base_got_break(libevent->base))
            refuse(&libevent->service);
    }
    return libevent->failed ? -1 : 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    if (state->http != NULL)
        evhttp_free(state->http);
    libevent_service_teardown(&state->libevent, NULL);
}

const struct strategy strategy_service_evhttp = {
    .name = "evhttp",
    .summary = "libevent's own HTTP server: it accepts, parses and answers by itself",
    .caveat = "Takes bodies of up to 64 KiB; wrong requests are not counted, and who closes his "
              "half gets one answer.",
    .family = FAMILY_SERVICE,
    .groups = GROUP_EVENTS,
    .needs = NEED_HTTP,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
