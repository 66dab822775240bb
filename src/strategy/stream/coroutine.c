/* A stackful coroutine a connection (makecontext(3)): the code reads as if it blocked, and a
 * scheduler over epoll(7) resumes whoever is ready. */
#include "config.h"

#include "strategy/stream/epoll.h"

#include <stdlib.h>
#ifdef HAVE_UCONTEXT_H
#include <ucontext.h>
#endif

#if defined HAVE_UCONTEXT_H && defined HAVE_SYS_EPOLL_H
#define USABLE 1
#endif

static int probe(struct err *err)
{
#ifdef USABLE
    return epoll_probe(err);
#else
    return err_set(err, 0, "this system has no epoll, or no makecontext");
#endif
}

#ifdef USABLE
enum { STACK_BYTES = 64 * 1024 };

struct coroutine {
    struct state *state;
    unsigned index;
    bool started, done;
    ucontext_t context;
};

struct state {
    struct epoll_state epoll;
    struct coroutine *coroutines;
    char *stacks;
    ucontext_t scheduler;
    struct drain drain; /* the pass that runs */
    bool failed;
};

static void yield(struct coroutine *c)
{
    swapcontext(&c->context, &c->state->scheduler);
}

/* What a program on coroutines looks like: a loop that seems to block. */
static void drain_connection(struct coroutine *c)
{
    struct state *state = c->state;
    while (!c->done && !state->failed && state->drain.left > 0) {
        enum drain_event event = drain_once(&state->drain, &state->epoll.buffer, c->index);
        c->done = event == DRAIN_LAST;
        state->failed |= event == DRAIN_FAILED;
        if (event == DRAIN_NOTHING)
            yield(c);
    }
}

/* makecontext passes ints: a pointer travels as two of them. */
static void begin(unsigned high, unsigned low)
{
    struct coroutine *c = (struct coroutine *)(uintptr_t)((uint64_t)high << 32 | low);
    for (;;) {
        drain_connection(c);
        yield(c); /* until the next pass */
    }
}

static void resume(struct coroutine *c)
{
    if (!c->started) {
        uint64_t address = (uintptr_t)c;
        getcontext(&c->context);
        c->context.uc_stack.ss_sp = c->state->stacks + (size_t)c->index * STACK_BYTES;
        c->context.uc_stack.ss_size = STACK_BYTES;
        c->context.uc_link = NULL;
        makecontext(&c->context, (void (*)(void))begin, 2, (unsigned)(address >> 32),
                    (unsigned)address);
        c->started = true;
    }
    swapcontext(&c->state->scheduler, &c->context);
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->coroutines = calloc(task->n_fds, sizeof *state->coroutines);
    state->stacks = malloc((size_t)task->n_fds * STACK_BYTES);
    if (state->coroutines == NULL || state->stacks == NULL)
        return err_set(err, errno, "cannot get stacks for %u coroutines", task->n_fds);
    for (unsigned i = 0; i < task->n_fds; i++)
        state->coroutines[i] = (struct coroutine){.state = state, .index = i};
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
        state->coroutines[i].done = !drain_wants(drain, i);
    while (!state->failed && drain->left > 0 && drain->open > 0) {
        tally->counter[COUNTER_WAITS]++;
        int n = epoll_wait(state->epoll.fd, events, EPOLL_BATCH, -1);
        if (n < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        for (int e = 0; e < n && !state->failed && drain->left > 0; e++) {
            struct coroutine *c = &state->coroutines[events[e].data.u32];
            if (!c->done)
                resume(c);
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
    free(state->coroutines);
    free(state->stacks);
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
#ifdef USABLE
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
