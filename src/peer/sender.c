#include "config.h"

#include "peer/sender.h"

#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct sender_state {
    unsigned char *bytes; /* the period, and send_size more: every piece lies in one */
    uint64_t *left, *sent;
    uint64_t short_bytes; /* that nobody was there for any more */
    struct pollfd *blocked;
};

void sender_fill(unsigned char *bytes, size_t n)
{
    struct rng rng;
    rng_init(&rng, 2931);
    for (size_t i = 0; i < n && i < SENDER_PERIOD; i++)
        bytes[i] = i % 64 == 63 ? '\n' : (unsigned char)(' ' + rng_below(&rng, 95));
    for (size_t i = SENDER_PERIOD; i < n; i++)
        bytes[i] = bytes[i - SENDER_PERIOD];
}

static uint64_t unit(const struct sender_work *work)
{
    return transport_has_datagrams(work->ends->transport) ? work->send_size : 4096;
}

uint64_t sender_ramp_bytes(const struct sender_work *work, double ramp)
{
    if (work->pass_bytes == UNKNOWN || !(ramp > 0))
        return 0;
    double bytes = ceil(ramp * (double)work->pass_bytes / (double)unit(work));
    return (bytes < 1e15 ? (uint64_t)bytes : (uint64_t)1e15) * unit(work);
}

uint64_t sender_share(const struct sender_work *work, uint64_t total, unsigned i)
{
    uint64_t n = work->ends->n, piece = unit(work);
    if (total == UNKNOWN)
        return UNKNOWN;
    if (!transport_has_datagrams(work->ends->transport))
        return total / n + (i < total % n);
    uint64_t whole = total / piece;
    uint64_t share = (whole / n + (i < whole % n)) * piece;
    return share + (i == whole % n ? total % piece : 0);
}

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct sender_state *state = opaque;
    const struct sender_work *work = arg;
    unsigned n = work->ends->n;
    (void)seat;
    ends_close(work->ends->receive, n);
    if (work->meet != NULL && work->meet(work->meet_arg, work->ends, err) != 0)
        return -1;
    state->bytes = malloc(SENDER_PERIOD + work->send_size);
    state->left = calloc(n, sizeof *state->left);
    state->sent = calloc(n, sizeof *state->sent);
    state->blocked = calloc(n, sizeof *state->blocked);
    if (state->bytes == NULL || state->left == NULL || state->sent == NULL ||
        state->blocked == NULL)
        return err_set(err, errno, "cannot set up a sender");
    sender_fill(state->bytes, SENDER_PERIOD + work->send_size);
    for (unsigned i = 0; n > 1 && i < n; i++)
        if (fcntl(work->ends->send[i], F_SETFL, O_NONBLOCK) != 0)
            return err_set(err, errno, "cannot make connection %u non-blocking", i + 1);
    return 0;
}

/* A command comes by itself, or does not come and is over. */
static int meet(const struct sender_work *work, const struct seat *seat, uint64_t total,
                struct err *err)
{
    enum { LOOK_MS = 20 };
    struct pollfd wait = {.fd = work->listener, .events = POLLIN};
    while (work->listener >= 0 && work->ends->send[0] < 0) {
        if (poll(&wait, 1, LOOK_MS) > 0)
            work->ends->send[0] = accept(work->listener, NULL, NULL);
        else if (atomic_load(seat->over))
            return err_set(err, 0, "nobody connected to take the first of %" PRIu64 " bytes",
                           total);
    }
    return 0;
}

enum sent { SENT_ERROR = -1, SENT_SOME, SENT_BLOCKED, SENT_GONE };

static enum sent send_once(struct sender_state *state, const struct sender_work *work, unsigned i,
                           struct tally *tally, struct err *err)
{
    int fd = work->ends->send[i];
    size_t want = state->left[i] < work->send_size ? (size_t)state->left[i] : work->send_size;
    const unsigned char *from = state->bytes + state->sent[i] % SENDER_PERIOD;
    ssize_t put = work->ends->transport == TRANSPORT_PIPE ? write(fd, from, want)
                                                          : send(fd, from, want, MSG_NOSIGNAL);
    tally->calls++;
    if (put >= 0) {
        tally->short_calls += (size_t)put < want;
        tally->counter[COUNTER_DATAGRAMS] += transport_has_datagrams(work->ends->transport);
        tally->bytes += (uint64_t)put;
        state->sent[i] += (uint64_t)put;
        state->left[i] -= state->left[i] == UNKNOWN ? 0 : (uint64_t)put;
        return SENT_SOME;
    }
    if (errno == EINTR)
        return SENT_SOME;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) {
        tally->counter[COUNTER_AGAIN]++;
        return SENT_BLOCKED;
    }
    if (errno == EPIPE || errno == ECONNRESET || errno == ECONNREFUSED)
        return SENT_GONE; /* the receiver says why, or wanted no more */
    err_set(err, errno, "cannot send after %" PRIu64 " bytes", state->sent[i]);
    return SENT_ERROR;
}

/* Each connection in turn, none waited for while another takes something. */
static int send_all(struct sender_state *state, const struct sender_work *work,
                    const _Atomic bool *stop, struct tally *tally, struct err *err)
{
    unsigned n = work->ends->n, open = 0;
    for (unsigned i = 0; i < n; i++)
        open += state->left[i] > 0;
    while (open > 0 && !atomic_load_explicit(stop, memory_order_relaxed)) {
        unsigned blocked = 0;
        for (unsigned i = 0; i < n; i++) {
            if (state->left[i] == 0)
                continue;
            enum sent sent = send_once(state, work, i, tally, err);
            if (sent == SENT_ERROR)
                return -1;
            if (sent == SENT_GONE) {
                state->short_bytes += state->left[i] == UNKNOWN ? 0 : state->left[i];
                state->left[i] = 0;
            }
            if (sent == SENT_BLOCKED)
                state->blocked[blocked++] = (struct pollfd){work->ends->send[i], POLLOUT, 0};
            open -= state->left[i] == 0;
        }
        if (blocked > 0 && blocked == open) {
            tally->counter[COUNTER_WAITS]++;
            if (poll(state->blocked, blocked, 100) < 0 && errno != EINTR)
                return err_set(err, errno, "cannot wait");
        }
    }
    return 0;
}

/* Datagrams have no end of their own: an empty one stands for it, sent until the receiver is gone,
 * because it may get lost as every other. */
static void tell_end(const struct sender_work *work)
{
    bool gone = false;
    while (!gone) {
        gone = true;
        for (unsigned i = 0; i < work->ends->n; i++)
            gone &= send(work->ends->send[i], "", 0, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
                    errno != EAGAIN && errno != ENOBUFS;
        poll(NULL, 0, 1);
    }
}

/* A command reads at its own pace: its end of the connection says when it has all. A reset says
 * that it left something unread. */
static int see_off(const struct sender_work *work, uint64_t sent, struct err *err)
{
    char byte;
    ssize_t got;
    shutdown(work->ends->send[0], SHUT_WR);
    while ((got = read(work->ends->send[0], &byte, 1)) > 0 || (got < 0 && errno == EINTR))
        continue;
    if (got == 0)
        return 0;
    return err_set(err, errno, "the receiver did not take all of %" PRIu64 " bytes", sent);
}

static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct sender_state *state = opaque;
    const struct sender_work *work = arg;
    uint64_t ramp = sender_ramp_bytes(work, seat->ramp);
    bool endless = work->pass_bytes == UNKNOWN || passes > UINT64_MAX / 2 / work->pass_bytes;
    uint64_t total = endless ? UNKNOWN : passes * work->pass_bytes;
    if (meet(work, seat, total, err) != 0)
        return -1;
    for (unsigned i = 0; i < work->ends->n; i++)
        state->left[i] =
            endless ? UNKNOWN : sender_share(work, ramp, i) + sender_share(work, total, i);
    if (send_all(state, work, seat->stop, tally, err) != 0)
        return -1;
    bool foreign = work->listener >= 0 || work->meet != NULL; /* ours tells by itself */
    if (state->short_bytes > 0 && foreign)
        return err_set(err, 0, "the receiver left after %" PRIu64 " of %" PRIu64 " bytes",
                       tally->bytes, tally->bytes + state->short_bytes);
    atomic_store(seat->over, true);
    tally->passes = endless ? 1 : passes;
    return work->listener >= 0 ? see_off(work, tally->bytes, err) : 0;
}

static void note(void *state, const void *arg, struct tally *tally)
{
    const struct sender_work *work = arg;
    (void)state;
    ends_describe(work->ends->send[0], &tally->socket);
    if (transport_has_datagrams(work->ends->transport))
        tell_end(work);
}

static void teardown(void *opaque)
{
    struct sender_state *state = opaque;
    free(state->bytes);
    free(state->left);
    free(state->sent);
    free(state->blocked);
}

struct part sender_part(const struct sender_work *work)
{
    return (struct part){.name = "sender",
                         .state_size = sizeof(struct sender_state),
                         .arg = work,
                         .setup = setup,
                         .run = run,
                         .note = note,
                         .teardown = teardown};
}
