#include "config.h"

#include "family/service_part.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct service_state {
    const struct service_work *work;
    struct task task;
    void *strategy_state;
    bool set_up;
};

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct service_state *state = opaque, *first = seat->first;
    const struct service_work *work = arg;
    struct service_meeting *meeting = work->meeting;
    size_t size = work->strategy->state_size;
    state->strategy_state = calloc(1, size > 0 ? size : 1);
    if (state->strategy_state == NULL)
        return err_set(err, errno, "cannot set up worker %u", seat->worker);
    state->work = work;
    state->task =
        (struct task){.params = &work->params,
                      .name = "the server",
                      .fd = -1,
                      .fds = &meeting->listeners[meeting->n_listeners > 1 ? seat->worker : 0],
                      .n_fds = 1,
                      .meeting = meeting->shared,
                      .worker = seat->worker,
                      .workers = seat->workers,
                      .first = first->strategy_state,
                      .stop_fd = meeting->wake_fd,
                      .stop = seat->stop};
    state->set_up = true;
    return work->strategy->setup == NULL
               ? 0
               : work->strategy->setup(state->strategy_state, &state->task, err);
}

static int serve(struct service_state *state, enum phase until, struct tally *tally,
                 struct err *err)
{
    state->task.until = until;
    return state->work->strategy->pass(state->strategy_state, &state->task, tally, err);
}

static int ramp(void *opaque, const void *arg, const struct seat *seat, struct tally *tally,
                struct err *err)
{
    (void)arg, (void)seat;
    return serve(opaque, PHASE_TIMED, tally, err);
}

/* The load waits for all workers to be here before it goes on, and so does the next wake-up. */
static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct service_state *state = opaque;
    const struct service_work *work = arg;
    struct rendezvous *shared = work->meeting->shared;
    uint64_t wakes;
    (void)passes;
    if (seat->worker == 0 && !work->alone &&
        read(work->meeting->wake_fd, &wakes, sizeof wakes) < 0 && errno != EAGAIN)
        return err_set(err, errno, "cannot begin");
    atomic_fetch_add(&shared->serving, 1);
    int status = serve(state, PHASE_OVER, tally, err);
    atomic_fetch_sub(&shared->serving, 1);
    tally->passes = 1;
    return status;
}

/* Of all workers together: the first one tells. */
static void note(void *opaque, const void *arg, struct tally *tally)
{
    const struct service_state *state = opaque;
    const struct rendezvous *shared = ((const struct service_work *)arg)->meeting->shared;
    if (state->task.worker > 0)
        return;
    tally->counter[COUNTER_ACCEPTS] = atomic_load(&shared->accepted);
    tally->counter[COUNTER_MOST_OPEN] = atomic_load(&shared->most_open);
    tally->counter[COUNTER_REFUSED] = atomic_load(&shared->refused);
    tally->counter[COUNTER_BROKEN] = atomic_load(&shared->broken);
    tally->counter[COUNTER_BAD_REQUESTS] = atomic_load(&shared->bad_requests);
    if (atomic_load(&shared->refused) > 0)
        numbered_add(&tally->connect_errors, atomic_load(&shared->refused_errno),
                     atomic_load(&shared->refused));
}

static void teardown(void *opaque)
{
    struct service_state *state = opaque;
    if (state->set_up && state->work->strategy->teardown != NULL)
        state->work->strategy->teardown(state->strategy_state);
    free(state->strategy_state);
}

struct part service_part(const struct service_work *work)
{
    return (struct part){.name = work->strategy->name,
                         .state_size = sizeof(struct service_state),
                         .arg = work,
                         .setup = setup,
                         .ramp = work->alone ? NULL : ramp,
                         .run = run,
                         .note = note,
                         .teardown = teardown};
}
