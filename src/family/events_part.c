#include "config.h"

#include "family/events_part.h"

#include "measure/usage.h"
#include "peer/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct events_state {
    const struct events_work *work;
    struct task task;
    int stop_fd;       /* of the first worker; -1: one worker needs none */
    uint64_t switches; /* of the system when the clock began */
    void *strategy_state;
    bool set_up;
    _Atomic unsigned left; /* of the first worker: how many are through */
};

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct events_state *state = opaque;
    const struct events_work *work = arg;
    const struct event_writer_work *writer = &work->writer;
    const struct events_state *first = seat->first;
    state->work = work;
    state->stop_fd = -1;
    if (seat->worker == 0 && writer->read_fds != writer->write_fds)
        ends_close(writer->write_fds, writer->n);
    if (seat->worker == 0 && seat->workers > 1) {
        state->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (state->stop_fd < 0)
            return err_set(err, errno, "cannot make an eventfd");
    }
    state->strategy_state =
        calloc(1, work->strategy->state_size > 0 ? work->strategy->state_size : 1);
    if (state->strategy_state == NULL)
        return err_set(err, errno, "cannot set up worker %u", seat->worker);
    state->task = (struct task){.params = &work->params,
                                .name = "the handles",
                                .fd = -1,
                                .fds = writer->read_fds,
                                .n_fds = writer->n,
                                .exchange = writer->exchange,
                                .worker = seat->worker,
                                .workers = seat->workers,
                                .first = first->strategy_state,
                                .stop_fd = first->stop_fd,
                                .stop = seat->stop};
    state->set_up = true;
    return work->strategy->setup == NULL
               ? 0
               : work->strategy->setup(state->strategy_state, &state->task, err);
}

static uint64_t ramp_messages(const struct seat *seat)
{
    return seat->ramp > 0 ? (uint64_t)ceil(seat->ramp * EVENTS_PASS) : 0;
}

/* Wakes of the pass before are no news. */
static void forget_wakes(const struct events_state *state, const struct seat *seat)
{
    uint64_t wakes;
    if (seat->worker == 0 && state->stop_fd >= 0 && read(state->stop_fd, &wakes, sizeof wakes) < 0)
        return; /* there were none */
}

/* Each who leaves wakes the others: the first wake may be forgotten by a worker that began late,
 * and when the time is over nobody's read reaches the goal. The writer goes after the last one: its
 * ends close then, which is an error to who still reads. */
static int leave(const struct events_state *state, const struct seat *seat, struct err *err)
{
    struct events_state *first = seat->first;
    uint64_t one = 1;
    if (atomic_fetch_add(&first->left, 1) + 1 == seat->workers)
        atomic_store(&state->work->writer.exchange->done, true);
    if (state->task.stop_fd < 0 || write(state->task.stop_fd, &one, sizeof one) == sizeof one)
        return 0;
    return err_set(err, errno, "cannot wake the other threads");
}

static int ramp(void *opaque, const void *arg, const struct seat *seat, struct tally *tally,
                struct err *err)
{
    struct events_state *state = opaque;
    const struct events_work *work = arg;
    state->task.goal = ramp_messages(seat);
    int status = state->task.goal > 0
                     ? work->strategy->pass(state->strategy_state, &state->task, tally, err)
                     : 0;
    if (seat->worker == 0)
        state->switches = usage_system_switches();
    if (status != 0) /* it does not come to run() */
        leave(state, seat, err);
    return status;
}

static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct events_state *state = opaque;
    const struct events_work *work = arg;
    bool endless = passes > UINT64_MAX / 2 / EVENTS_PASS;
    /* What the last read of the ramp brought beyond it belongs to the ramp. */
    uint64_t done = atomic_load(&work->writer.exchange->read);
    state->task.goal = endless ? UNKNOWN : done + passes * EVENTS_PASS;
    if (seat->workers > 1 && !endless) /* workers begin at different moments */
        state->task.goal = ramp_messages(seat) + passes * EVENTS_PASS;
    forget_wakes(state, seat);
    int status = work->strategy->pass(state->strategy_state, &state->task, tally, err);
    if (leave(state, seat, err) != 0)
        status = -1;
    tally->passes = endless
                        ? (uint64_t)fmax(1, (double)tally->counter[COUNTER_MESSAGES] / EVENTS_PASS)
                        : passes;
    return status;
}

/* How evenly the handles were served, and what the system did besides. */
static void note(void *opaque, const void *arg, struct tally *tally)
{
    struct events_state *state = opaque;
    const struct event_writer_work *writer = &((const struct events_work *)arg)->writer;
    if (state->task.worker > 0)
        return; /* the first one tells for all */
    uint64_t after = usage_system_switches();
    tally->counter[COUNTER_SYSTEM_SWITCHES] =
        after != UNKNOWN && state->switches != UNKNOWN ? after - state->switches : 0;
    for (unsigned i = 0; i < writer->n; i++) {
        uint64_t bytes = 8 * atomic_load(&writer->exchange->handle[i].served);
        struct fairness *f = &tally->fairness;
        if (f->connections == 0 || bytes < f->least_bytes)
            f->least_bytes = bytes;
        if (bytes > f->most_bytes)
            f->most_bytes = bytes;
        f->connections++;
        f->sum += (double)bytes;
        f->sum_of_squares += (double)bytes * (double)bytes;
        tally->counter[COUNTER_UNIQUE] += bytes > 0;
    }
}

static void teardown(void *opaque)
{
    struct events_state *state = opaque;
    if (state->set_up && state->work->strategy->teardown != NULL)
        state->work->strategy->teardown(state->strategy_state);
    free(state->strategy_state);
    if (state->stop_fd >= 0)
        close(state->stop_fd);
}

struct part events_part(const struct events_work *work)
{
    return (struct part){.name = work->strategy->name,
                         .state_size = sizeof(struct events_state),
                         .arg = work,
                         .setup = setup,
                         .ramp = ramp,
                         .run = run,
                         .note = note,
                         .teardown = teardown};
}
