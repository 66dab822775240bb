/* A stackful coroutine a connection: the code reads as if it blocked, and a scheduler over epoll(7)
 * resumes whoever is ready. */
#include "config.h"

#include "strategy/coroutine.h"
#include "strategy/stream/epoll.h"

#include <stdlib.h>

static int probe(struct err *err)
{
#ifdef HAVE_COROUTINES
    return epoll_probe(err);
#else
    return err_set(err, 0, "this system has no epoll, or no makecontext");
#endif
}

#ifdef HAVE_COROUTINES
enum { STACK_BYTES = 64 * 1024 };

struct connection {
    struct coroutine coroutine;
    struct state *state;
    unsigned index;
    bool done; /* nothing is to come in this pass */
};

struct state {
    struct epoll_state epoll;
    struct connection *connections;
    unsigned n;
    struct drain drain; /* the pass that runs */
    bool failed;
};

/* What a program on coroutines looks like: a loop that seems to block. */
static void drain_connection(void *arg)
{
    struct connection *c = arg;
    struct state *state = c->state;
    for (;;) {
        while (!c->done && !state->failed && state->drain.left > 0) {
            enum drain_event event = drain_once(&state->drain, &state->epoll.buffer, c->index);
            c->done = event == DRAIN_LAST;
            state->failed |= event == DRAIN_FAILED;
            if (event == DRAIN_NOTHING)
                coroutine_yield(&c->coroutine);
        }
        coroutine_yield(&c->coroutine); /* until the next pass */
    }
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->connections = calloc(task->n_fds, sizeof *state->connections);
    if (state->connections == NULL)
        return err_set(err, errno, "cannot get %u coroutines", task->n_fds);
    for (unsigned i = 0; i < task->n_fds; i++) {
        struct connection *c = &state->connections[i];
        c->state = state;
        c->index = i;
        state->n = i + 1;
        if (coroutine_make(&c->coroutine, STACK_BYTES, drain_connection, c, err) != 0)
            return -1;
    }
    return epoll_setup(&state->epoll, task, err);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct drain *drain = &state->drain;
    struct epoll_event events[EPOLL_BATCH];
    drain_start(drain, task, tally, err);
    if (epoll_watch(&state->epoll, drain, EPOLLET) != 0)
        return -1;
    for (unsigned i = 0; i < task->n_fds; i++)
        state->connections[i].done = !drain_wants(drain, i);
    while (!state->failed && drain->left > 0 && drain->open > 0) {
        tally->counter[COUNTER_WAITS]++;
        int n = epoll_wait(state->epoll.fd, events, EPOLL_BATCH, -1);
        if (n < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        for (int e = 0; e < n && !state->failed && drain->left > 0; e++) {
            struct connection *c = &state->connections[events[e].data.u32];
            if (!c->done)
                coroutine_resume(&c->coroutine);
        }
    }
    for (unsigned i = 0; i < task->n_fds; i++)
        epoll_forget(&state->epoll, task, i);
    return state->failed ? -1 : 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    epoll_teardown(&state->epoll);
    for (unsigned i = 0; i < state->n; i++)
        coroutine_free(&state->connections[i].coroutine);
    free(state->connections);
}
#endif

const struct strategy strategy_stream_coroutine = {
    .name = "coroutine",
    .summary = "a stackful coroutine a connection, over epoll: code that reads as if it blocked",
    .family = FAMILY_STREAM,
    .groups = GROUP_EVENTS,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .probe = probe,
#ifdef HAVE_COROUTINES
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
