/* The same loop with edges: told once, so each connection is read until nothing is left, and none
 * is ever watched for something else. */
#include "config.h"

#include "strategy/service/epoll_service.h"

#ifdef HAVE_SYS_EPOLL_H
enum { EVENTS = EPOLLIN | EPOLLOUT };

static int serve(struct epoll_service *state, struct served *served)
{
    enum turn turn = TURN_SERVED;
    for (unsigned turns = 0; turn == TURN_SERVED && turns < MOST_TURNS; turns++)
        turn = service_turn(&state->service, served);
    if (turn == TURN_SERVED) /* to be told again, after the others */
        return epoll_service_watch(state, served, EPOLL_CTL_MOD, EVENTS | EPOLLET);
    if (turn == TURN_GONE || turn == TURN_BROKEN)
        service_close(&state->service, served, turn == TURN_BROKEN);
    return 0;
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    return epoll_service_setup(opaque, task, sizeof(struct served), EPOLLET, err);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return epoll_service_pass(state, task, tally, err, EVENTS | EPOLLET, serve);
}

static void teardown(void *state)
{
    epoll_service_teardown(state, NULL);
}
#endif

const struct strategy strategy_service_epoll_et = {
    .name = "epoll-et",
    .summary = "epoll(7), edge-triggered: each connection is served until nothing is left",
    .caveat =
        "A call more for each wake-up, the one that finds nothing left; none to change what a "
        "connection is watched for.",
    .family = FAMILY_SERVICE,
    .groups = GROUP_EVENTS,
    .knobs = SERVICE_CALLS_KNOBS,
    .probe = epoll_service_probe,
#ifdef HAVE_SYS_EPOLL_H
    .state_size = sizeof(struct epoll_service),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
