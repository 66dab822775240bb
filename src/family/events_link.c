/* The handles between those who wait and the writer, and the memory that both share. */
#include "config.h"

#include "family/events_part.h"

#include "peer/ends.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int make_inet_pair(int listener, const struct sockaddr_in *at, int pair[2])
{
    pair[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (pair[1] < 0 || connect(pair[1], (const struct sockaddr *)at, sizeof *at) != 0)
        return -1;
    int yes = 1; /* a message of 8 bytes waits for no other */
    setsockopt(pair[1], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    pair[0] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    return pair[0] < 0 ? -1 : 0;
}

static int make_pair(enum handle_kind kind, int listener, const struct sockaddr_in *at, int pair[2])
{
    switch (kind) {
    case HANDLE_PIPE:
        return pipe2(pair, O_CLOEXEC);
    case HANDLE_UNIX:
        return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
    case HANDLE_INET:
        return make_inet_pair(listener, at, pair);
    case HANDLE_EVENTFD:
        pair[0] = pair[1] = eventfd(0, EFD_CLOEXEC);
        return pair[0] < 0 ? -1 : 0;
    }
    return -1;
}

/* The writer's end goes to a high number: the waiter's stay low, for select(2). */
static int move_up(int fd, unsigned n)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, (int)n + 64);
    close(fd);
    return high;
}

static int listen_on_loopback(struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)at, size) == 0 && listen(fd, 16) == 0 &&
        getsockname(fd, (struct sockaddr *)at, &size) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int make_handles(struct event_writer_work *w, struct err *err)
{
    enum handle_kind kind = (enum handle_kind)w->params->value[KNOB_KIND];
    struct sockaddr_in at;
    int listener = kind == HANDLE_INET ? listen_on_loopback(&at) : -1, status = 0;
    if (kind == HANDLE_INET && listener < 0)
        return err_set(err, errno, "cannot listen on loopback");
    for (unsigned i = 0; status == 0 && i < w->n; i++) {
        int pair[2] = {-1, -1};
        if (make_pair(kind, listener, &at, pair) != 0)
            status = err_set(err, errno,
                             errno == EADDRNOTAVAIL ? "handle %u: the ports of loopback are used up"
                                                    : "cannot make handle %u",
                             i + 1);
        if (status == 0 && kind != HANDLE_EVENTFD)
            pair[1] = move_up(pair[1], w->n);
        w->read_fds[i] = pair[0];
        if (kind != HANDLE_EVENTFD)
            w->write_fds[i] = pair[1];
        if (status == 0 && pair[1] < 0)
            status = err_set(err, errno, "cannot make handle %u", i + 1);
    }
    if (listener >= 0)
        close(listener);
    return status;
}

/* Connections end with a reset: no port is left waiting. */
static void close_handles(struct event_writer_work *w)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    for (unsigned i = 0; w->params->value[KNOB_KIND] == HANDLE_INET && i < w->n; i++)
        if (w->read_fds[i] >= 0)
            setsockopt(w->read_fds[i], SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    ends_close(w->read_fds, w->n);
    if (w->write_fds != w->read_fds)
        ends_close(w->write_fds, w->n);
}

static int open_link(void *opaque, struct err *err)
{
    struct events_work *work = opaque;
    struct event_writer_work *w = &work->writer;
    void *shared =
        mmap(NULL, exchange_size(w->n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return err_set(err, errno, "cannot share memory for %u handles", w->n);
    w->exchange = shared;
    w->exchange->stamps = work->stamps;
    w->exchange->book = (work->strategy->needs & NEED_BOOK) != 0;
    return make_handles(w, err);
}

static void close_link(void *opaque)
{
    struct events_work *work = opaque;
    close_handles(&work->writer);
    if (work->writer.exchange != NULL)
        munmap(work->writer.exchange, exchange_size(work->writer.n));
    work->writer.exchange = NULL;
}

struct link events_link(struct events_work *work)
{
    return (struct link){.arg = work, .open = open_link, .close = close_link};
}

int events_work_init(struct events_work *work, const struct strategy *strategy,
                     const struct params *params, uint64_t seed, struct err *err)
{
    unsigned n = (unsigned)params->value[KNOB_HANDLES];
    *work = (struct events_work){.strategy = strategy, .params = *params};
    work->writer = (struct event_writer_work){.params = &work->params, .n = n, .seed = seed};
    work->writer.read_fds = malloc(n * sizeof(int));
    work->writer.write_fds = params->value[KNOB_KIND] == HANDLE_EVENTFD ? work->writer.read_fds
                                                                        : malloc(n * sizeof(int));
    if (work->writer.read_fds == NULL || work->writer.write_fds == NULL)
        return err_set(err, errno, "cannot plan %u handles", n);
    for (unsigned i = 0; i < n; i++)
        work->writer.read_fds[i] = work->writer.write_fds[i] = -1;
    return 0;
}

void events_work_free(struct events_work *work)
{
    if (work->writer.write_fds != work->writer.read_fds)
        free(work->writer.write_fds);
    free(work->writer.read_fds);
}
