#include "config.h"

#include "base/clock.h"
#include "peer/load_state.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Connections that are being made at once: a listening socket has a queue of some hundred. */
enum { MOST_MEETING = 100 };
/* Nobody may answer at all: who waits for that is told within five seconds. */
#define CONNECT_TIMEOUT_NS (4 * NS_PER_S)

void load_watch(struct load *load, struct connection *c)
{
    struct epoll_event event = {.events = c->state == CONNECTION_MEETS ? EPOLLOUT
                                          : c->blocked                 ? EPOLLIN | EPOLLOUT
                                                                       : EPOLLIN,
                                .data.ptr = c};
    load->tally->counter[COUNTER_CONTROLS]++;
    epoll_ctl(load->epoll, c->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c->fd, &event);
    c->watched = true;
}

/* A lone connection of small messages is asked directly: one call less for each. */
static void let_block(struct load *load, struct connection *c)
{
    struct timeval look = {.tv_usec = LOAD_LOOK_MS * 1000};
    int flags = fcntl(c->fd, F_GETFL);
    if (fcntl(c->fd, F_SETFL, flags & ~O_NONBLOCK) != 0 ||
        setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look) != 0)
        load->lone = false;
}

static void let_go(struct load *load, struct connection *c)
{
    if (c->fd >= 0) {
        close(c->fd);
        load->alive--;
    }
    c->fd = -1;
    c->watched = false; /* epoll forgets what is closed by itself */
    c->state = CONNECTION_CLOSED;
}

static void is_there(struct load *load, struct connection *c)
{
    c->state = CONNECTION_READY;
    load->established += load->connects;
    load->tally->counter[COUNTER_RECONNECTIONS] += !load->connects;
    if (load->lone)
        let_block(load, c);
    load_watch(load, c);
}

static void is_not_there(struct load *load, struct connection *c, int error)
{
    numbered_add(&load->connect_errors, error, 1);
    let_go(load, c);
    load->tally->counter[COUNTER_LOST] += !load->connects;
    if (load->each) {
        load->left -= c->quota;
        c->quota = 0;
    }
    if (load->gap_ns > 0) { /* what waited for it counts as begun */
        uint64_t waited = c->due - (c->began - c->base);
        load->tally->counter[COUNTER_CLOSED] += waited;
        c->base -= waited;
        load->left -= waited;
    }
    load->error = error;
}

static bool sets_nodelay(const struct params *params)
{
    uint64_t at = params->value[KNOB_NODELAY_AT];
    return at == NODELAY_BOTH || at == NODELAY_CLIENT;
}

static uint64_t connect_timeout(const struct load *load)
{
    uint64_t answer = load->work->timeout_ns;
    return answer < CONNECT_TIMEOUT_NS ? answer : CONNECT_TIMEOUT_NS;
}

/* False: it is to be tried again, the queue of a UNIX socket being full. */
static bool meet(struct load *load, struct connection *c)
{
    const struct load_target *target = load->work->target;
    const struct sockaddr *address = (const void *)&target->at[load->at_address].address;
    int one = 1;
    c->fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) {
        is_not_there(load, c, errno);
        return true;
    }
    load->alive++;
    if (sets_nodelay(&load->work->params) && address->sa_family != AF_UNIX)
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    http_parser_init(&c->parser, HTTP_RESPONSE);
    c->in_message = 0;
    c->blocked = c->ends = c->proved = false;
    c->meets_until_ns = clock_now_ns() + connect_timeout(load);
    if (connect(c->fd, address, target->at[load->at_address].size) == 0) {
        is_there(load, c);
    } else if (errno == EINPROGRESS) {
        c->state = CONNECTION_MEETS;
        load_watch(load, c);
    } else if (errno == EAGAIN) {
        let_go(load, c);
        return false;
    } else {
        is_not_there(load, c, errno);
    }
    return true;
}

void load_met(struct load *load, struct connection *c)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    if (error == 0 && clock_now_ns() >= c->meets_until_ns) {
        struct sockaddr_storage other;
        size = sizeof other;
        if (getpeername(c->fd, (struct sockaddr *)&other, &size) != 0)
            error = ETIMEDOUT;
    }
    if (error == 0)
        is_there(load, c);
    else
        is_not_there(load, c, error);
}

void load_reconnect(struct load *load, struct connection *c, bool in_vain)
{
    if (in_vain && !c->proved && clock_now_ns() < c->meets_until_ns) {
        is_not_there(load, c, ECONNABORTED); /* it would come to the same end again and again */
        return;
    }
    let_go(load, c);
    c->unsent = 0;
    c->out = load->http ? 0 : c->out;
    c->in = c->out;
    if (!load->ramps && load->gap_ns == 0 && (c->quota == 0 || load->left == 0))
        return; /* it is not needed any more */
    if (!meet(load, c))
        is_not_there(load, c, EAGAIN);
    if (c->state ==
        CONNECTION_READY) { /* the loop goes on with it, as soon as it can be written to */
        c->blocked = true;
        load_watch(load, c);
    }
}

/* Waits for those that are being made; how many are left. */
static unsigned wait_for_some(struct load *load, unsigned meeting, int ms)
{
    struct epoll_event events[MOST_MEETING];
    int n = epoll_wait(load->epoll, events, MOST_MEETING, ms);
    load->now = clock_now_ns();
    for (int e = 0; e < n; e++) {
        struct connection *c = events[e].data.ptr;
        if (c->state != CONNECTION_MEETS)
            continue;
        load_met(load, c);
        meeting--;
    }
    if (n > 0 && load->now - load->looked_ns < LOAD_LOOK_MS * NS_PER_MS)
        return meeting;
    load->looked_ns = load->now;
    for (unsigned i = 0; i < load->n; i++) {
        struct connection *c = &load->connections[i];
        if (c->state == CONNECTION_MEETS && load->now >= c->meets_until_ns) {
            load_met(load, c);
            meeting--;
        }
    }
    return meeting;
}

/* Meets, and waits where a UNIX socket's queue is full. */
static void meet_in_turn(struct load *load, struct connection *c)
{
    const struct timespec moment = {.tv_nsec = (long)NS_PER_MS};
    uint64_t until = clock_now_ns() + connect_timeout(load);
    while (!meet(load, c)) {
        if (clock_now_ns() > until || atomic_load(load->seat->stop)) {
            is_not_there(load, c, EAGAIN);
            return;
        }
        nanosleep(&moment, NULL);
    }
}

/* All of this thread. Nobody is waited for twice in vain: what is left then counts as failed in the
 * same way. */
static void connect_own(struct load *load)
{
    uint64_t rate = load->work->params.value[KNOB_CONNECT_RATE], began = clock_now_ns();
    unsigned threads = load->seat->workers, meeting = 0;
    const struct timespec moment = {.tv_nsec = (long)NS_PER_MS};
    for (unsigned i = 0; i < load->n && !atomic_load(load->seat->stop); i++) {
        uint64_t due =
            rate == PARAM_NONE ? 0 : began + (uint64_t)((double)i * threads / (double)rate * 1e9);
        while (clock_now_ns() < due)
            nanosleep(&moment, NULL);
        if (load->error == ETIMEDOUT || load->error == EAGAIN) {
            numbered_add(&load->connect_errors, load->error, 1);
            continue;
        }
        meet_in_turn(load, &load->connections[i]);
        meeting += load->connections[i].state == CONNECTION_MEETS;
        if (i == 0) /* the first one finds out which address is the right one */
            while (load->connections[0].state != CONNECTION_READY &&
                   (meeting > 0 || load->at_address + 1 < load->work->target->n)) {
                meeting = wait_for_some(load, meeting, LOAD_LOOK_MS);
                if (load->connections[0].state != CONNECTION_CLOSED ||
                    load->at_address + 1 == load->work->target->n)
                    continue;
                load->at_address++;
                load->connect_errors = (struct numbered){0};
                load->error = 0;
                meet(load, &load->connections[0]);
                meeting = load->connections[0].state == CONNECTION_MEETS;
            }
        while (meeting >= MOST_MEETING)
            meeting = wait_for_some(load, meeting, LOAD_LOOK_MS);
    }
    while (meeting > 0 && !atomic_load(load->seat->stop))
        meeting = wait_for_some(load, meeting, LOAD_LOOK_MS);
}

int load_connect_all(struct load *load)
{
    struct load *first = load->seat->first;
    load->asked = load->n;
    load->connects = true;
    connect_own(load);
    load->connects = false;
    atomic_fetch_add(&first->all_established, load->established);
    atomic_fetch_add(&first->all_arrived, 1);
    while (atomic_load(&first->all_arrived) < load->seat->workers)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    if (atomic_load(&first->all_established) > 0)
        return 0;
    return err_set(load->err, load->error, "cannot connect to %s", load->work->target->name);
}
