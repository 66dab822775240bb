/* A thread a connection that blocks in its calls. Starting them is this way's own business, so the
 * one worker accepts, and what the threads counted is added up once they are gone. */
#include "config.h"

#include "strategy/service/converse.h"

#include <poll.h>

enum { STACK_BYTES = 128 * 1024 };

struct state {
    struct service service;
    pthread_attr_t attributes;
    bool has_attributes;
    _Atomic unsigned done;
    struct tally ended; /* of threads that are gone, in the timed phase */
};

static void end_thread(struct state *state, struct thread *thread)
{
    pthread_join(thread->id, NULL);
    atomic_fetch_sub(&state->done, 1);
    if (thread->counted != PHASE_RAMP) {
        state->ended.bytes += thread->tally.bytes;
        state->ended.calls += thread->tally.calls;
        state->ended.short_calls += thread->tally.short_calls;
    }
    service_close(&state->service, &thread->served, false);
}

static void reap(struct state *state, bool all)
{
    for (struct served *served = state->service.first; served != NULL;) {
        struct thread *thread = (struct thread *)served;
        served = served->next;
        if (all)
            shutdown(thread->served.fd, SHUT_RDWR);
        if (all || atomic_load(&thread->done))
            end_thread(state, thread);
    }
}

static void start(struct state *state, struct served *served)
{
    struct thread *thread = (struct thread *)served;
    struct service *service = &state->service;
    thread->service = *service;
    thread->service.tally = &thread->tally;
    thread->service.err = &thread->err;
    thread->all_done = &state->done;
    int error = pthread_create(&thread->id, &state->attributes, thread_converse, thread);
    if (error == 0)
        return;
    atomic_fetch_add(&service->answers.meeting->refused, 1);
    atomic_store(&service->answers.meeting->refused_errno, error);
    service_close(service, served, false);
}

static void accept_all(struct state *state)
{
    for (bool again = true; again;) {
        struct served *served = service_accept(&state->service, 0, &again);
        if (served != NULL)
            start(state, served);
    }
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    int status = pthread_attr_init(&state->attributes);
    state->has_attributes = status == 0;
    if (status == 0)
        status = pthread_attr_setstacksize(&state->attributes, STACK_BYTES);
    if (status != 0)
        return err_set(err, status, "cannot size the stacks of threads");
    return service_setup(&state->service, task, sizeof(struct thread), err);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct service *service = &state->service;
    struct pollfd waits[] = {{task->fds[0], POLLIN, 0}, {task->stop_fd, POLLIN, 0}};
    service_begin(service, task, tally, err);
    state->ended = (struct tally){0};
    while (!service_is_over(service)) {
        if (poll(waits, task->stop_fd >= 0 ? 2 : 1, -1) < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        tally->counter[COUNTER_WAITS]++;
        if (atomic_load(&state->done) > 0)
            reap(state, false);
        if (waits[0].revents != 0)
            accept_all(state);
    }
    if (task->until == PHASE_OVER) {
        reap(state, true);
        tally->bytes += state->ended.bytes;
        tally->calls += state->ended.calls;
        tally->short_calls += state->ended.short_calls;
    }
    return 0;
}

/* After a failure some still run. */
static void teardown(void *opaque)
{
    struct state *state = opaque;
    reap(state, true);
    service_teardown(&state->service, NULL);
    if (state->has_attributes)
        pthread_attr_destroy(&state->attributes);
}

const struct strategy strategy_service_thread = {
    .name = "thread",
    .summary = "a thread a connection, each blocking in its own calls",
    .family = FAMILY_SERVICE,
    .groups = GROUP_BLOCKING,
    .needs = NEED_ONE_THREAD,
    .knobs = SERVICE_CALLS_KNOBS,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
