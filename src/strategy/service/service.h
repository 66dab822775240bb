/* What the serving strategies share: accepting, the calls that move bytes, and the account of both.
 * A strategy that waits for readiness accepts with service_accept(), hands every ready connection
 * to service_turn(), and does what its result says; the others call the pieces themselves. */
#ifndef IOBENCH_STRATEGY_SERVICE_SERVICE_H
#define IOBENCH_STRATEGY_SERVICE_SERVICE_H

#include "strategy/service/answer.h"
#include "strategy/strategy.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* The knobs of strategies that make the calls themselves. */
#define SERVICE_CALLS_KNOBS (KNOB_BIT(KNOB_IO))

/* Of connections that are always ready: after so many turns it is the others' turn. */
enum { MOST_TURNS = 16 };

/* One connection. A strategy that keeps more of each puts this first. */
struct served {
    int fd;
    bool shut; /* for writing: the last answer is sent */
    struct answer answer;
    struct served *next, *previous; /* of the worker's list */
};

/* One worker's, over all its passes. */
struct service {
    const struct task *task;
    struct tally *tally; /* of the pass that runs */
    struct err *err;
    enum io_calls io;
    struct answers answers;
    unsigned char *buffer; /* ANSWER_BUFFER bytes, for whoever is served now */
    struct served *first;  /* all connections */
    size_t served_size;    /* of one, with what the strategy keeps of it */
    int spare;             /* a descriptor to give up when there are no more */
};

/* size: of what the strategy keeps of a connection. Free with service_teardown() in every case;
 * forget, unless NULL, is called for every connection that is still open then. */
int service_setup(struct service *service, const struct task *task, size_t size,
                  struct err *err) MUST_CHECK;
void service_teardown(struct service *service, void (*forget)(struct served *));

/* At the start of each pass. */
void service_begin(struct service *service, const struct task *task, struct tally *tally,
                   struct err *err);

static inline bool service_is_over(const struct service *service)
{
    const struct task *task = service->task;
    return rendezvous_phase(task->meeting) >= (int)task->until;
}

/* A new connection from fds[0], which does not block itself when flags say so (SOCK_NONBLOCK).
 * NULL: nobody is there, which again tells apart from a connection that had to be refused because
 * something has run out. */
struct served *service_accept(struct service *service, int flags, bool *again);
/* The same for a descriptor that was accepted elsewhere; NULL: it is closed again. */
struct served *service_adopt(struct service *service, int fd);
/* Where the server is to; no matter to UNIX sockets, which have no such delay. */
void service_set_nodelay(const struct service *service, int fd);
/* accept(2) failed with this error: says goodbye to who waits when there is nothing to serve him
 * with, so that he does not wait and nobody asks for him again and again. True: accept again; not
 * true: nobody is there (errno is EAGAIN), or it was no use, for which some time has been let pass.
 */
bool service_refuse(struct service *service, int error);
/* Closes it; broken: an error was the reason. */
void service_close(struct service *service, struct served *served, bool broken);
/* The same without closing the descriptor. */
void service_forget(struct service *service, struct served *served, bool broken);

/* The calls that --io stands for; counted. */
static inline ssize_t service_receive(struct service *service, int fd, void *bytes, size_t n)
{
    struct iovec piece = {bytes, n};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    ssize_t got;
    switch (service->io) {
    case IO_READ_WRITE:
        got = read(fd, bytes, n);
        break;
    case IO_RECVMSG_SENDMSG:
        got = recvmsg(fd, &message, 0);
        break;
    case IO_READV_WRITEV:
        got = readv(fd, &piece, 1);
        break;
    default:
        got = recv(fd, bytes, n, 0);
    }
    service->tally->calls++;
    if (got > 0)
        service->tally->bytes += (uint64_t)got;
    else if (got < 0 && errno == EAGAIN)
        service->tally->counter[COUNTER_AGAIN]++;
    return got;
}

static inline ssize_t service_send(struct service *service, int fd, const void *bytes, size_t n)
{
    struct iovec piece = {(void *)(uintptr_t)bytes, n}; /* it is only read */
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    ssize_t put;
    switch (service->io) {
    case IO_READ_WRITE:
        put = write(fd, bytes, n);
        break;
    case IO_RECVMSG_SENDMSG:
        put = sendmsg(fd, &message, MSG_NOSIGNAL);
        break;
    case IO_READV_WRITEV:
        put = writev(fd, &piece, 1);
        break;
    default:
        put = send(fd, bytes, n, MSG_NOSIGNAL);
    }
    service->tally->calls++;
    if (put >= 0)
        service->tally->short_calls += (size_t)put < n;
    else if (errno == EAGAIN)
        service->tally->counter[COUNTER_AGAIN]++;
    return put;
}

enum turn {
    TURN_GONE,    /* it ended, or broke: close it */
    TURN_BROKEN,  /* the same, by an error */
    TURN_IDLE,    /* nothing is there: wait until it can be read */
    TURN_SERVED,  /* something was done, and more may be there to read */
    TURN_BLOCKED, /* it does not take what is to be sent: wait until it does */
};

/* After all is sent: is the connection to be closed? */
bool service_is_said(struct served *served);

/* Sends what is left to be sent. TURN_SERVED: nothing is. */
enum turn service_flush(struct service *service, struct served *served);

/* Once: flushes, receives, answers. */
enum turn service_turn(struct service *service, struct served *served);
/* The last part of it, with what service_receive() into the buffer has returned. */
enum turn service_took(struct service *service, struct served *served, ssize_t got);

#endif
