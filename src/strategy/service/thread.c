/* A thread a connection that blocks in its calls. Starting them is this way's own business, so the
 * one worker accepts, and what the threads counted is added up once they are gone. */
#include "config.h"

#include "strategy/service/service.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 128 * 1024 };

struct thread {
    struct served served;   /* listed by the worker */
    struct service service; /* its own view: buffer, tally, error */
    struct tally tally;
    struct err err;
    pthread_t id;
    enum phase counted; /* what it counted belongs to this phase */
    _Atomic bool done;
};

struct state {
    struct service service;
    pthread_attr_t attributes;
    bool has_attributes;
    struct tally ended; /* of threads that are gone, in the timed phase */
};

/* What came before the clock does not count: the turn that found it running is the first one. */
static enum turn first_turns(struct thread *thread)
{
    struct tally *tally = &thread->tally;
    uint64_t bytes = tally->bytes, calls = tally->calls, short_calls = tally->short_calls;
    enum turn turn = service_turn(&thread->service, &thread->served);
    thread->counted = (enum phase)rendezvous_phase(thread->service.task->meeting);
    if (thread->counted != PHASE_RAMP)
        *tally = (struct tally){.bytes = tally->bytes - bytes,
                                .calls = tally->calls - calls,
                                .short_calls = tally->short_calls - short_calls};
    return turn;
}

static void *serve(void *opaque)
{
    struct thread *thread = opaque;
    struct service *service = &thread->service;
    enum turn turn = TURN_SERVED;
    unsigned char buffer[ANSWER_BUFFER];
    service->buffer = buffer;
    while (turn == TURN_SERVED || turn == TURN_IDLE)
        turn = thread->counted == PHASE_RAMP ? first_turns(thread)
                                             : service_turn(service, &thread->served);
    if (turn == TURN_BROKEN)
        atomic_fetch_add(&service->task->meeting->broken, 1);
    shutdown(thread->served.fd, SHUT_RDWR); /* the other end need not wait for the worker */
    atomic_store(&thread->done, true);
    return NULL;
}

static void add_counts(struct tally *all, const struct tally *one)
{
    all->bytes += one->bytes;
    all->calls += one->calls;
    all->short_calls += one->short_calls;
    for (int k = 0; k < COUNTERS; k++)
        all->counter[k] += one->counter[k];
}

static void end_thread(struct state *state, struct thread *thread)
{
    pthread_join(thread->id, NULL);
    if (thread->counted != PHASE_RAMP)
        add_counts(&state->ended, &thread->tally);
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
    int error = pthread_create(&thread->id, &state->attributes, serve, thread);
    if (error == 0)
        return;
    atomic_fetch_add(&service->task->meeting->refused, 1);
    atomic_store(&service->task->meeting->refused_errno, error);
    service_close(service, served, false);
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
        for (bool again = waits[0].revents & POLLIN; again;) {
            struct served *served = service_accept(service, 0, &again);
            if (served != NULL)
                start(state, served);
        }
        reap(state, false);
    }
    if (task->until == PHASE_OVER) {
        reap(state, true);
        add_counts(tally, &state->ended);
    }
    return 0;
}

/* After a failure some still run. */
static void teardown(void *opaque)
{
    struct state *state = opaque;
    if (state->service.task != NULL)
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
