/* poll(2): the whole list goes to the kernel each time. */
#include "config.h"

#include "strategy/service/service.h"

#include <poll.h>
#include <stdlib.h>

/* What comes before the connections in the list. */
enum { LISTENS, WAKES, CONNECTIONS };

struct state {
    struct service service;
    struct pollfd *watched;
    struct served **who; /* in the same order */
    unsigned n, room;
};

static int make_room(struct state *state, struct err *err)
{
    if (state->n < state->room)
        return 0;
    unsigned room = state->room == 0 ? 64 : 2 * state->room;
    struct pollfd *watched = realloc(state->watched, room * sizeof *watched);
    if (watched != NULL)
        state->watched = watched;
    struct served **who = realloc(state->who, room * sizeof *who);
    if (who != NULL)
        state->who = who;
    if (watched == NULL || who == NULL)
        return err_set(err, errno, "cannot watch %u connections", room);
    state->room = room;
    return 0;
}

static int accept_all(struct state *state)
{
    for (bool again = true; again;) {
        struct served *served = service_accept(&state->service, SOCK_NONBLOCK, &again);
        if (served == NULL)
            continue;
        if (make_room(state, state->service.err) != 0)
            return -1;
        state->watched[state->n] = (struct pollfd){served->fd, POLLIN, 0};
        state->who[state->n++] = served;
    }
    return 0;
}

/* False: it is gone, and another one has taken its place. */
static bool serve(struct state *state, unsigned i)
{
    enum turn turn = service_turn(&state->service, state->who[i]);
    if (turn != TURN_GONE && turn != TURN_BROKEN) {
        state->watched[i].events = turn == TURN_BLOCKED ? POLLOUT : POLLIN;
        return true;
    }
    service_close(&state->service, state->who[i], turn == TURN_BROKEN);
    state->n--;
    state->watched[i] = state->watched[state->n];
    state->who[i] = state->who[state->n];
    return false;
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    if (service_setup(&state->service, task, sizeof(struct served), err) != 0 ||
        make_room(state, err) != 0)
        return -1;
    state->watched[LISTENS] = (struct pollfd){task->fds[0], POLLIN, 0};
    state->watched[WAKES] = (struct pollfd){task->stop_fd, POLLIN, 0}; /* passed over if -1 */
    state->n = CONNECTIONS;
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    service_begin(&state->service, task, tally, err);
    while (!service_is_over(&state->service)) {
        int n = poll(state->watched, state->n, -1);
        tally->counter[COUNTER_WAITS]++;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, errno, "cannot wait");
        tally->counter[COUNTER_EVENTS] += (unsigned)n;
        for (unsigned i = CONNECTIONS; i < state->n;)
            i += state->watched[i].revents == 0 || serve(state, i);
        if (state->watched[LISTENS].revents != 0 && accept_all(state) != 0)
            return -1;
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    service_teardown(&state->service, NULL);
    free(state->watched);
    free(state->who);
}

const struct strategy strategy_service_poll = {
    .name = "poll",
    .summary = "one loop over poll(2): the whole list goes to the kernel each time",
    .caveat = "Each wait costs in proportion to the connections, the idle ones included.",
    .family = FAMILY_SERVICE,
    .groups = GROUP_EVENTS,
    .knobs = SERVICE_CALLS_KNOBS,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
