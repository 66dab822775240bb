#include "config.h"

#include "peer/load.h"

#include "base/clock.h"
#include "peer/ends.h"
#include "peer/load_state.h"
#include "peer/sender.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512 };
/* What may be on its way while a connection blocks: less than any socket holds. */
enum { LONE_BYTES = 16 * 1024, LONE_PIECES = 32 };
/* The server is told of the phases, and comes at once if it lives. */
#define SERVER_GRACE_NS (10 * NS_PER_S)

uint64_t load_pass_requests(const struct params *params)
{
    uint64_t each = params->value[KNOB_REQUESTS];
    if (params->value[KNOB_RATE] != PARAM_NONE && each == PARAM_NONE)
        return 1;
    return params->value[KNOB_CONNECTIONS] * (each != PARAM_NONE ? each : 1);
}

/* What a thread gets of things that are dealt out in turn. */
static uint64_t share(const struct seat *seat, uint64_t total)
{
    return total / seat->workers + (seat->worker < total % seat->workers);
}

/* What the connections of this thread get of so many requests of all: equally many each. */
static uint64_t own_requests(const struct load *load, uint64_t total)
{
    uint64_t n = load->work->params.value[KNOB_CONNECTIONS];
    return total / n * load->n + share(load->seat, total % n);
}

/* The block that streams of requests repeat: that of senders, or an HTTP request again and again.
 */
static int make_block(struct load *load, struct err *err)
{
    char request[512];
    const char *name = load->work->target->name;
    int length = snprintf(request, sizeof request,
                          "GET / HTTP/1.1\r\nHost: %s\r\nUser-Agent: iobench\r\n\r\n",
                          strncmp(name, "unix:", 5) == 0 ? "localhost" : name);
    load->period = load->http ? (size_t)length : SENDER_PERIOD;
    load->room =
        load->http ? (LOAD_BUFFER / load->period + 1) * load->period : SENDER_PERIOD + LOAD_BUFFER;
    load->block = malloc(load->room);
    load->buffer = calloc(1, LOAD_BUFFER);
    load->remembered = malloc(LOAD_REMEMBERED);
    if (load->block == NULL || load->buffer == NULL || load->remembered == NULL)
        return err_set(err, errno, "cannot set up a load");
    if (!load->http)
        sender_fill(load->block, load->room);
    for (size_t at = 0; load->http && at < load->room; at += load->period)
        memcpy(load->block + at, request, load->period);
    return 0;
}

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct load *load = opaque;
    const struct load_work *work = arg;
    const uint64_t *value = work->params.value;
    if (seat->worker == 0) {
        ends_close(work->listeners, work->n_listeners);
        usage_tcp_counts(&load->tcp);
    }
    load->work = work;
    load->seat = seat;
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    load->http = value[KNOB_PROTOCOL] == PROTOCOL_HTTP;
    load->pipeline = (unsigned)value[KNOB_PIPELINE];
    load->n = (unsigned)share(seat, value[KNOB_CONNECTIONS]);
    load->connections = calloc(load->n + 1, sizeof *load->connections);
    load->stamps = calloc((size_t)load->n * load->pipeline + 1, sizeof *load->stamps);
    load->pauses = calloc(load->n + 1, sizeof *load->pauses);
    if (load->epoll < 0 || load->connections == NULL || load->stamps == NULL ||
        load->pauses == NULL)
        return err_set(err, errno, "cannot set up a load");
    if (make_block(load, err) != 0)
        return -1;
    load->message = load->http ? load->period : value[KNOB_MESSAGE_SIZE];
    load->piece = (load->message + value[KNOB_SPLIT] - 1) / value[KNOB_SPLIT];
    load->lone = load->n == 1 && value[KNOB_RATE] == PARAM_NONE && value[KNOB_THINK] == 0 &&
                 load->pipeline * load->message <= LONE_BYTES &&
                 load->pipeline * value[KNOB_SPLIT] <= LONE_PIECES;
    for (unsigned i = 0; i < load->n; i++) {
        struct connection *c = &load->connections[i];
        c->fd = -1;
        c->index = i * seat->workers + seat->worker;
        c->stamps = load->stamps + (size_t)i * load->pipeline;
        /* Connections that are mixed up are found by their bytes. */
        c->out = c->in = load->http ? 0 : (uint64_t)c->index * 61 % SENDER_PERIOD;
    }
    return 0;
}

/* Requests that wait too long are given up, and counted at that age. */
static void look_for_timeouts(struct load *load)
{
    load->now = clock_now_ns();
    if (load->now - load->looked_ns < LOAD_LOOK_MS * NS_PER_MS)
        return;
    load->looked_ns = load->now;
    for (unsigned i = 0; i < load->n; i++) {
        struct connection *c = &load->connections[i];
        if (c->state == CONNECTION_MEETS && load->now >= c->meets_until_ns) {
            load_met(load, c);
            load_refill(load, c);
        }
        if (c->state == CONNECTION_READY && c->answered < c->began &&
            load->now - c->stamps[c->answered % load->pipeline].sent_ns > load->work->timeout_ns)
            load_fail(load, c, COUNTER_TIMEOUTS);
    }
}

static void on_event(struct load *load, struct connection *c, uint32_t events)
{
    if (c->state == CONNECTION_MEETS) {
        load_met(load, c);
        load->now = clock_now_ns();
        load_refill(load, c);
        return;
    }
    if (c->state == CONNECTION_READY && c->blocked && events & EPOLLOUT) {
        load_flush(load, c);
        load->now = clock_now_ns();
        load_refill(load, c);
    }
    if (c->state == CONNECTION_READY && events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        load_receive(load, c);
}

/* One wait and what it brings. */
static int turn(struct load *load)
{
    struct epoll_event events[EVENTS];
    int ms = load_begin_due(load);
    struct connection *lone = load->lone ? &load->connections[0] : NULL;
    if (lone != NULL && lone->state == CONNECTION_READY && !lone->blocked) {
        if (lone->answered == lone->began)
            load_refill(load, lone);
        if (lone->state == CONNECTION_READY)
            load_receive(load, lone);
        return 0;
    }
    int n = epoll_wait(load->epoll, events, EVENTS, ms);
    load->tally->counter[COUNTER_WAITS]++;
    if (n < 0 && errno != EINTR)
        return err_set(load->err, errno, "cannot wait");
    if (n > 0)
        load->spun_until = 0; /* it was not in vain */
    for (int e = 0; e < n; e++)
        on_event(load, events[e].data.ptr, events[e].events);
    if (n == 0 && ms > 0)
        look_for_timeouts(load);
    return 0;
}

/* Requests until all are answered, the run is to stop, or nobody is there any more. */
static int drive(struct load *load, bool moments)
{
    unsigned turns = 0;
    load->now = load->looked_ns = clock_now_ns();
    for (unsigned i = 0; !moments && i < load->n; i++) {
        load_refill(load, &load->connections[i]);
        load->now = clock_now_ns(); /* there may be thousands */
    }
    while (!load_is_done(load) && load->alive > 0 && !atomic_load(load->seat->stop)) {
        if (turn(load) != 0)
            return -1;
        if (++turns % 64 == 0 || load->lone ||
            load->now - load->looked_ns > LOAD_LOOK_MS * NS_PER_MS)
            look_for_timeouts(load);
    }
    return 0;
}

static void take_seat(struct load *load, const struct seat *seat, struct tally *tally,
                      struct err *err)
{
    load->seat = seat;
    load->tally = tally;
    load->err = err;
}

/* Moves the server on to the next phase. */
static int tell(const struct load_work *work, enum phase phase, struct err *err)
{
    uint64_t one = 1;
    atomic_store(&work->meeting->phase, (int)phase);
    if (write(*work->wake_fd, &one, sizeof one) != sizeof one)
        return err_set(err, errno, "cannot wake the server");
    return 0;
}

/* Until so many of its workers are in the timed phase. */
static int wait_for_server(const struct load_work *work, unsigned workers, struct err *err)
{
    uint64_t until = clock_now_ns() + SERVER_GRACE_NS;
    while (atomic_load(&work->meeting->serving) != workers) {
        if (clock_now_ns() > until)
            return err_set(err, 0, "the server does not follow");
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    return 0;
}

static int ramp(void *opaque, const void *arg, const struct seat *seat, struct tally *tally,
                struct err *err)
{
    struct load *load = opaque;
    const struct load_work *work = arg;
    take_seat(load, seat, tally, err);
    if (load_connect_all(load) != 0)
        return -1;
    double each = ceil(seat->ramp * (double)load_pass_requests(&work->params) /
                       (double)work->params.value[KNOB_CONNECTIONS]);
    load->each = true;
    load->left = 0;
    for (unsigned i = 0; i < load->n; i++) {
        struct connection *c = &load->connections[i];
        c->quota = c->state == CONNECTION_CLOSED ? 0 : each > 1 ? (uint64_t)each : 1;
        load->left += c->quota;
    }
    load->ramps = true;
    int status = drive(load, false);
    load->ramps = false;
    memcpy(load->early, tally->counter, sizeof load->early);
    if (status != 0)
        return -1;
    if (work->meeting == NULL)
        return 0;
    if (atomic_fetch_add(&work->meeting->ramped, 1) + 1 == seat->workers &&
        tell(work, PHASE_TIMED, err) != 0)
        return -1;
    return wait_for_server(work, work->server_workers, err);
}

/* What this thread may begin; passes are of all threads together. */
static void set_quotas(struct load *load, uint64_t passes)
{
    const struct load_work *work = load->work;
    uint64_t each = work->params.value[KNOB_REQUESTS];
    uint64_t pass = load_pass_requests(&work->params);
    bool endless = passes > UINT64_MAX / 4 / pass;
    uint64_t total = endless ? UINT64_MAX : own_requests(load, passes * pass);
    load->each = each != PARAM_NONE && load->gap_ns == 0;
    load->left = load->each ? 0 : total;
    load->to_issue = total;
    for (unsigned i = 0; i < load->n; i++) {
        struct connection *c = &load->connections[i];
        c->base = c->began;
        c->quota = !load->each || endless          ? UINT64_MAX
                   : c->state == CONNECTION_CLOSED ? 0
                                                   : passes * each;
        if (load->each)
            load->left = endless ? UINT64_MAX : load->left + c->quota;
    }
}

/* Moments count from when the first thread came here. */
static uint64_t common_start(struct load *load)
{
    struct load *first = load->seat->first;
    uint64_t start = 0, now = clock_now_ns();
    return atomic_compare_exchange_strong(&first->start_ns, &start, now) ? now : start;
}

/* Known before the end as well: a trial may not come to its end. */
static void note_connections(const struct load *load, struct tally *tally)
{
    tally->counter[COUNTER_ASKED] = load->asked;
    tally->counter[COUNTER_ESTABLISHED] = load->established;
    tally->connect_errors = load->connect_errors;
    tally->statuses = load->statuses;
}

/* What went wrong before the clock went wrong all the same. */
static void add_early_failures(const struct load *load, struct tally *tally)
{
    static const enum counter failures[] = {COUNTER_CLOSED, COUNTER_RESET,     COUNTER_TIMEOUTS,
                                            COUNTER_WRONG,  COUNTER_MALFORMED, COUNTER_LOST};
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
        tally->counter[failures[i]] += load->early[failures[i]];
}

/* Who answered nothing in time before the clock will not do it now. */
static bool is_mute(const struct load *load)
{
    return load->early[COUNTER_TIMEOUTS] > 0 && load->early[COUNTER_REQUESTS] == 0;
}

static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct load *load = opaque;
    const struct load_work *work = arg;
    uint64_t rate = work->params.value[KNOB_RATE];
    take_seat(load, seat, tally, err);
    load->statuses = (struct numbered){0};
    note_connections(load, tally);
    add_early_failures(load, tally);
    load->gap_ns = rate != PARAM_NONE ? 1e9 / (double)rate : 0;
    load->thinks = rate == PARAM_NONE && work->params.value[KNOB_THINK] > 0;
    load->started_ns = common_start(load);
    set_quotas(load, passes);
    if (load->n > 0 && !is_mute(load) && drive(load, rate != PARAM_NONE) != 0)
        return -1;
    uint64_t pass = load_pass_requests(&work->params);
    bool stopped = passes > UINT64_MAX / 4 / pass || atomic_load(seat->stop) || !load_is_done(load);
    double done = (double)tally->counter[COUNTER_REQUESTS] * seat->workers / (double)pass;
    tally->passes = stopped ? (uint64_t)fmax(1, done) : passes;
    return 0;
}

/* What TCP counted meanwhile, of whoever: the first thread tells. */
static void note_tcp(const struct load *load, struct tally *tally)
{
    struct tcp_counts after;
    usage_tcp_counts(&after);
    if (after.listen_overflows != UNKNOWN)
        tally->counter[COUNTER_LISTEN_OVERFLOWS] =
            after.listen_overflows - load->tcp.listen_overflows;
    if (after.retransmits != UNKNOWN)
        tally->counter[COUNTER_RETRANSMITS] = after.retransmits - load->tcp.retransmits;
}

/* The server may count its own before connections end. */
static void note(void *opaque, const void *arg, struct tally *tally)
{
    struct load *load = opaque;
    const struct load_work *work = arg;
    struct err err = {0};
    note_connections(load, tally);
    tally->counter[COUNTER_IN_FLIGHT] = load_in_flight(load);
    if (load->n > 0 && load->connections[0].fd >= 0)
        ends_describe(load->connections[0].fd, &tally->socket);
    if (load == load->seat->first)
        note_tcp(load, tally);
    if (work->meeting != NULL && rendezvous_phase(work->meeting) != PHASE_OVER &&
        tell(work, PHASE_OVER, &err) == 0)
        (void)!wait_for_server(work, 0, &err); /* it says itself what is wrong with it */
}

static void teardown(void *opaque)
{
    struct load *load = opaque;
    struct err err = {0};
    if (load->work == NULL)
        return;
    if (load->work->meeting != NULL && rendezvous_phase(load->work->meeting) != PHASE_OVER)
        (void)!tell(load->work, PHASE_OVER, &err); /* it failed, and the server need not wait */
    for (unsigned i = 0; load->connections != NULL && i < load->n; i++)
        if (load->connections[i].fd >= 0)
            close(load->connections[i].fd);
    if (load->epoll >= 0)
        close(load->epoll);
    free(load->connections);
    free(load->stamps);
    free(load->pauses);
    free(load->block);
    free(load->buffer);
    free(load->remembered);
}

struct part load_part(const struct load_work *work)
{
    return (struct part){.name = "load",
                         .state_size = sizeof(struct load),
                         .arg = work,
                         .setup = setup,
                         .ramp = ramp,
                         .run = run,
                         .note = note,
                         .teardown = teardown};
}
