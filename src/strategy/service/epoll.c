/* One loop for all connections over epoll(7): readiness is told as long as it lasts. */
#include "config.h"

#include "strategy/service/epoll_service.h"

#ifdef HAVE_SYS_EPOLL_H
struct connection {
    struct served served;
    bool writes; /* it is watched for room to send, not for requests */
};

static int accept_all(struct epoll_service *state)
{
    bool again = true;
    while (again) {
        struct served *served = service_accept(&state->service, SOCK_NONBLOCK, &again);
        if (served != NULL && epoll_service_watch(state, served, EPOLL_CTL_ADD, EPOLLIN) != 0)
            return -1;
    }
    return 0;
}

static int serve(struct epoll_service *state, struct served *served)
{
    struct connection *c = (struct connection *)served;
    enum turn turn = service_turn(&state->service, served);
    if (turn == TURN_GONE || turn == TURN_BROKEN) {
        service_close(&state->service, served,
                      turn == TURN_BROKEN); /* epoll forgets it by itself */
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
    return epoll_service_setup(opaque, task, sizeof(struct connection), false, err);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct epoll_service *state = opaque;
    service_begin(&state->service, task, tally, err);
    while (!service_is_over(&state->service)) {
        int n = epoll_service_wait(state);
        if (n < 0)
            return -1;
        for (int e = 0; e < n; e++) {
            void *what = state->events[e].data.ptr;
            if (what == &state->wakes)
                continue;
            if ((what == &state->listens ? accept_all(state) : serve(state, what)) != 0)
                return -1;
        }
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct epoll_service *state = opaque;
    service_teardown(&state->service, NULL);
    if (state->fd > 0)
        close(state->fd);
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
