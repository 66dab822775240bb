#include "config.h"

#include "family/stream_part.h"

#include "family/stream_link.h"
#include "measure/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct stream_state {
    const struct stream_work *work;
    struct task task;
    unsigned first; /* of this worker's connections */
    uint64_t *left, *fd_bytes;
    uint64_t *ramp_bytes; /* of each, before the clock */
    pid_t watcher;        /* 0: none */
    struct sink *sinks;
    void *strategy_state;
    bool set_up;
};

bool stream_is_external(const struct stream_origin *origin)
{
    return origin->connect != NULL || origin->listen != NULL;
}

static int configure(int fd, const void *arg, struct err *err)
{
    return stream_set_receiver(fd, arg, err);
}

static int configure_sender(int fd, const void *arg, struct err *err)
{
    return stream_set_sender(fd, arg, err);
}

/* A connection to whoever is out there, or -1. */
static int meet(const struct stream_work *work,
                int (*set)(int fd, const void *arg, struct err *err), struct err *err)
{
    const struct stream_origin *origin = work->origin;
    if (origin->connect != NULL)
        return address_connect(origin->connect, origin->timeout_ns, set, &work->params, err);
    for (;;) {
        int fd = accept4(origin->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 && set(fd, &work->params, err) == 0)
            return fd;
        if (fd >= 0) {
            close(fd);
            return -1;
        }
        if (errno != EINTR && errno != ECONNABORTED)
            return err_set(err, errno, "cannot accept a connection on '%s'", origin->listen->text);
    }
}

static int meet_receivers(const void *arg, struct ends *ends, struct err *err)
{
    const struct stream_work *work = arg;
    for (unsigned i = 0; i < ends->n; i++) {
        ends->send[i] = meet(work, configure_sender, err);
        if (ends->send[i] < 0)
            return -1;
    }
    return 0;
}

struct part stream_send_part(struct sender_work *sender, const struct stream_work *work)
{
    sender->meet = meet_receivers;
    sender->meet_arg = work;
    struct part part = sender_part(sender);
    part.name = "send";
    return part;
}

/* Once for all workers: lets go of the sender's ends, or meets who is out there. */
static int get_connections(const struct stream_work *work, struct err *err)
{
    struct ends *ends = work->sender->ends;
    if (!stream_is_external(work->origin)) {
        ends_close(ends->send, ends->n);
        return 0;
    }
    for (unsigned i = 0; i < ends->n; i++) {
        ends->receive[i] = meet(work, configure, err);
        if (ends->receive[i] < 0)
            return -1;
    }
    return 0;
}

/* A sender of somebody else's goes on when the time is over, and may be silent just then. A process
 * beside us looks whether it is; the connections end on our side then, which wakes every kind of
 * wait. */
static int watch_for_stop(struct stream_state *state, const struct ends *ends,
                          const struct seat *seat, struct err *err)
{
    enum { LOOK_MS = 10 };
    state->watcher = fork();
    if (state->watcher < 0)
        return err_set(err, errno, "cannot start a process");
    if (state->watcher > 0)
        return 0;
    child_die_with_parent();
    while (!atomic_load_explicit(seat->stop, memory_order_relaxed))
        poll(NULL, 0, LOOK_MS);
    for (unsigned i = 0; i < ends->n; i++)
        shutdown(ends->receive[i], SHUT_RD);
    _exit(0);
}

static int make_sinks(struct stream_state *state, struct err *err)
{
    const struct stream_work *work = state->work;
    enum consume how =
        work->strategy->keeps_bytes ? CONSUME_NONE : (enum consume)work->params.value[KNOB_CONSUME];
    for (unsigned i = 0; i < state->task.n_fds; i++) {
        state->sinks[i] = (struct sink){how, NULL};
        if (how != CONSUME_DIGEST)
            continue;
        state->sinks[i].hash = XXH3_createState();
        if (state->sinks[i].hash == NULL)
            return err_set(err, ENOMEM, "cannot set up a digest");
        XXH3_64bits_reset(state->sinks[i].hash);
    }
    return 0;
}

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct stream_state *state = opaque;
    const struct stream_work *work = arg;
    struct ends *ends = work->sender->ends;
    enum transport transport = ends->transport;
    state->work = work;
    if (seat->worker == 0 && get_connections(work, err) != 0)
        return -1;
    if (seat->worker == 0 && stream_is_external(work->origin) &&
        watch_for_stop(state, ends, seat, err) != 0)
        return -1;
    unsigned share = ends->n / seat->workers, rest = ends->n % seat->workers, w = seat->worker;
    unsigned n = share + (w < rest);
    state->first = w * share + (w < rest ? w : rest);
    state->left = calloc(n + 1, sizeof *state->left);
    state->fd_bytes = calloc(n + 1, sizeof *state->fd_bytes);
    state->ramp_bytes = calloc(n + 1, sizeof *state->ramp_bytes);
    state->sinks = calloc(n + 1, sizeof *state->sinks);
    state->strategy_state =
        calloc(1, work->strategy->state_size > 0 ? work->strategy->state_size : 1);
    if (state->left == NULL || state->fd_bytes == NULL || state->ramp_bytes == NULL ||
        state->sinks == NULL || state->strategy_state == NULL)
        return err_set(err, errno, "cannot set up worker %u", seat->worker);
    state->task = (struct task){.params = &work->params,
                                .name = "the connection",
                                .fd = -1,
                                .fds = ends->receive + state->first,
                                .n_fds = n,
                                .left = state->left,
                                .fd_bytes = state->fd_bytes,
                                .sinks = state->sinks,
                                .datagrams = transport_has_datagrams(transport),
                                .pipes = transport == TRANSPORT_PIPE,
                                .stop = seat->over};
    if (make_sinks(state, err) != 0)
        return -1;
    state->set_up = true;
    return work->strategy->setup == NULL
               ? 0
               : work->strategy->setup(state->strategy_state, &state->task, err);
}

/* Everything that the sender will have sent once a share of total is through on each connection. */
static void set_goal(struct stream_state *state, uint64_t ramp, uint64_t total)
{
    const struct sender_work *sender = state->work->sender;
    state->task.goal = 0;
    for (unsigned i = 0; i < state->task.n_fds; i++) {
        unsigned c = state->first + i;
        uint64_t all = total == UNKNOWN
                           ? UNKNOWN
                           : sender_share(sender, ramp, c) + sender_share(sender, total, c);
        state->left[i] = all > state->fd_bytes[i] ? all - state->fd_bytes[i] : 0;
        bool endless = all == UNKNOWN || state->task.goal == UNKNOWN;
        state->task.goal = endless ? UNKNOWN : state->task.goal + state->left[i];
    }
}

/* With a sender of our own so many bytes more; from others the first receive, whatever it brings:
 * the clock runs from there. */
static int ramp(void *opaque, const void *arg, const struct seat *seat, struct tally *tally,
                struct err *err)
{
    struct stream_state *state = opaque;
    const struct stream_work *work = arg;
    if (stream_is_external(work->origin)) {
        set_goal(state, 0, work->sender->pass_bytes);
        state->task.goal = 1;
    } else {
        set_goal(state, sender_ramp_bytes(work->sender, seat->ramp), 0);
    }
    if (state->task.goal == 0)
        return 0;
    int status = work->strategy->pass(state->strategy_state, &state->task, tally, err);
    size_t size = state->task.n_fds * sizeof *state->fd_bytes;
    memcpy(state->ramp_bytes, state->fd_bytes, size);
    if (stream_is_external(work->origin)) { /* what comes now comes on top, if it comes */
        memset(state->fd_bytes, 0, size);
        state->task.spare = state->ramp_bytes;
    }
    return status;
}

/* Has every byte of so many come? Datagrams get lost. */
static bool is_whole(const struct stream_state *state, uint64_t total)
{
    for (unsigned i = 0; i < state->task.n_fds; i++)
        if (state->fd_bytes[i] < sender_share(state->work->sender, total, state->first + i))
            return false;
    return true;
}

static void digest_all(struct stream_state *state, struct tally *tally)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < state->task.n_fds; i++) {
        uint64_t own = XXH3_64bits_digest(state->sinks[i].hash);
        all ^= XXH3_64bits_withSeed(&own, sizeof own, state->first + i);
    }
    tally->digest = all;
    tally->has_digest = true;
}

static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct stream_state *state = opaque;
    const struct stream_work *work = arg;
    uint64_t pass_bytes = work->sender->pass_bytes;
    bool endless = pass_bytes == UNKNOWN || passes > UINT64_MAX / 2 / pass_bytes;
    bool external = stream_is_external(work->origin);
    set_goal(state, external ? 0 : sender_ramp_bytes(work->sender, seat->ramp),
             endless ? UNKNOWN : passes * pass_bytes);
    if (state->task.goal > 0 &&
        work->strategy->pass(state->strategy_state, &state->task, tally, err) != 0)
        return -1;
    if (endless) /* as many as it would have been */
        passes = pass_bytes != UNKNOWN && tally->bytes > pass_bytes ? tally->bytes / pass_bytes : 1;
    tally->passes = passes;
    bool whole = !state->task.datagrams || is_whole(state, passes * pass_bytes);
    if (state->sinks[0].how != CONSUME_DIGEST || state->task.n_fds == 0)
        return 0;
    tally->lost_digest = !whole || tally->cut_bytes > 0;
    if (!tally->lost_digest)
        digest_all(state, tally);
    return 0;
}

/* What each connection brought, and what became of its socket. */
static void note(void *opaque, const void *arg, struct tally *tally)
{
    struct stream_state *state = opaque;
    (void)arg;
    struct fairness *f = &tally->fairness;
    for (unsigned i = 0; i < state->task.n_fds; i++) {
        bool external = stream_is_external(state->work->origin);
        uint64_t bytes = state->fd_bytes[i] - (external ? 0 : state->ramp_bytes[i]);
        if (f->connections == 0 || bytes < f->least_bytes)
            f->least_bytes = bytes;
        if (bytes > f->most_bytes)
            f->most_bytes = bytes;
        f->connections++;
        f->sum += (double)bytes;
        f->sum_of_squares += (double)bytes * (double)bytes;
    }
    if (state->task.n_fds > 0)
        ends_describe(state->task.fds[0], &tally->socket);
}

/* Connections end with a reset: all has been received, and no port is left waiting. */
static void reset_connections(const struct stream_state *state)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    for (unsigned i = 0; i < state->task.n_fds; i++)
        setsockopt(state->task.fds[i], SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static void teardown(void *opaque)
{
    struct stream_state *state = opaque;
    if (state->watcher > 0) {
        kill(state->watcher, SIGKILL);
        waitpid(state->watcher, NULL, 0);
    }
    if (state->set_up && state->work->strategy->teardown != NULL)
        state->work->strategy->teardown(state->strategy_state);
    if (state->set_up && transport_is_tcp(state->work->sender->ends->transport))
        reset_connections(state);
    for (unsigned i = 0; state->sinks != NULL && i < state->task.n_fds; i++)
        if (state->sinks[i].hash != NULL)
            XXH3_freeState(state->sinks[i].hash);
    free(state->strategy_state);
    free(state->left);
    free(state->fd_bytes);
    free(state->ramp_bytes);
    free(state->sinks);
}

struct part stream_part(const struct stream_work *work)
{
    return (struct part){.name = work->strategy->name,
                         .state_size = sizeof(struct stream_state),
                         .arg = work,
                         .setup = setup,
                         .ramp = ramp,
                         .run = run,
                         .note = note,
                         .teardown = teardown};
}

/* The digest of n bytes of the stream. */
static uint64_t digest_stream(XXH3_state_t *hash, const unsigned char *period, uint64_t n)
{
    XXH3_64bits_reset(hash);
    while (n > 0) {
        size_t piece = n < SENDER_PERIOD ? (size_t)n : SENDER_PERIOD;
        XXH3_64bits_update(hash, period, piece);
        n -= piece;
    }
    return XXH3_64bits_digest(hash);
}

static int run_reference(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                         struct tally *tally, struct err *err)
{
    (void)state, (void)seat;
    const struct sender_work *sender = ((const struct stream_work *)arg)->sender;
    unsigned char *period = malloc(SENDER_PERIOD);
    XXH3_state_t *hash = XXH3_createState();
    if (period == NULL || hash == NULL) {
        free(period);
        XXH3_freeState(hash);
        return err_set(err, ENOMEM, "cannot digest what is sent");
    }
    sender_fill(period, SENDER_PERIOD);
    for (unsigned i = 0; i < sender->ends->n; i++) {
        uint64_t n = sender_share(sender, passes * sender->pass_bytes, i);
        uint64_t own = digest_stream(hash, period, n);
        tally->digest ^= XXH3_64bits_withSeed(&own, sizeof own, i);
        tally->bytes += n;
    }
    tally->has_digest = true;
    tally->passes = passes;
    free(period);
    XXH3_freeState(hash);
    return 0;
}

struct part stream_reference_part(const struct stream_work *work)
{
    return (struct part){.name = "sender's bytes", .arg = work, .run = run_reference};
}
