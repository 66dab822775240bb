/* One loop for all connections over epoll(7): readiness is told as long as it lasts. */
#include "config.h"

#include "strategy/service/epoll_service.h"

#ifdef HAVE_SYS_EPOLL_H
struct connection {
    struct served served;
    bool writes; /* it is watched for room to send, not for requests */
};

static int serve(struct epoll_service *state, struct served *served)
{
    struct connection *c = (struct connection *)served;
    enum turn turn = service_turn(&state->service, served);
    if (turn == TURN_GONE || turn == TURN_BROKEN) {
        service_close(&state->service, served, turn == TURN_BROKEN);
        return 0;
    }
    bool writes = turn == TURN_BLOCKED;
    if (writes == c->writes)
        return 0;
    c->writes = writes;
    return epoll_service_watch(state, served, EPOLL_CTL_MOD, writes ? EPOLLOUT : EPOLLIN);
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    return epoll_service_setup(opaque, task, sizeof(struct connection), 0, err);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return epoll_service_pass(state, task, tally, err, EPOLLIN, serve);
}

static void teardown(void *state)
{
    epoll_service_teardown(state, NULL);
}
#endif

const struct strategy strategy_service_epoll = {
    .name = "epoll",
    .summary = "one loop for all connections over epoll(7), level-triggered",
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
