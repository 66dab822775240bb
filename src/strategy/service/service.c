#include "config.h"

#include "strategy/service/service.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>

/* Of a worker that can neither serve who waits nor turn him away, so as not to spin. */
enum { PAUSE_MS = 10 };

int service_setup(struct service *service, const struct task *task, size_t size, struct err *err)
{
    service->task = task;
    service->io = (enum io_calls)task->params->value[KNOB_IO];
    service->served_size = size;
    service->answers.meeting = task->meeting;
    service->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    service->buffer = calloc(1, ANSWER_BUFFER);
    if (service->spare < 0 || service->buffer == NULL)
        return err_set(err, errno, "cannot set up a server");
    return answers_init(&service->answers, task->params, task->meeting, err);
}

void service_teardown(struct service *service, void (*forget)(struct served *))
{
    for (struct served *served = service->first; served != NULL;) {
        struct served *next = served->next;
        if (forget != NULL)
            forget(served);
        service_close(service, served, false);
        served = next;
    }
    free(service->buffer);
    answers_free(&service->answers);
    if (service->spare > 0)
        close(service->spare);
}

void service_begin(struct service *service, const struct task *task, struct tally *tally,
                   struct err *err)
{
    service->task = task;
    service->tally = tally;
    service->err = err;
}

void service_set_nodelay(const struct service *service, int fd)
{
    uint64_t at = service->task->params->value[KNOB_NODELAY_AT];
    int one = 1;
    if (at == NODELAY_BOTH || at == NODELAY_SERVER)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

struct served *service_adopt(struct service *service, int fd)
{
    struct served *served = calloc(1, service->served_size);
    if (served == NULL) {
        atomic_fetch_add(&service->task->meeting->refused, 1);
        atomic_store(&service->task->meeting->refused_errno, errno);
        close(fd);
        return NULL;
    }
    service_set_nodelay(service, fd);
    served->fd = fd;
    answer_open(&served->answer);
    served->next = service->first;
    if (service->first != NULL)
        service->first->previous = served;
    service->first = served;
    rendezvous_opened(service->task->meeting);
    return served;
}

static bool has_run_out(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* accept(2) hands on what the network had to say about a connection that is gone by now. */
static bool is_of_a_connection(int error)
{
    static const int errors[] = {ECONNABORTED, EPROTO,     EPERM,        ENETDOWN,    ENOPROTOOPT,
                                 EHOSTDOWN,    EOPNOTSUPP, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (error == errors[i])
            return true;
    return error == EINTR;
}

/* The spare descriptor goes, the connection takes its number and is closed at once. Another thread
 * may be quicker and take the number: then there is no spare one for a while. */
bool service_refuse(struct service *service, int error)
{
    if (!has_run_out(error))
        return is_of_a_connection(error);
    struct rendezvous *meeting = service->task->meeting;
    if (service->spare >= 0)
        close(service->spare);
    int fd = accept4(service->task->fds[0], NULL, NULL, SOCK_CLOEXEC);
    int reason = fd < 0 ? errno : 0;
    if (fd >= 0) {
        close(fd);
        atomic_store(&meeting->refused_errno, error);
        atomic_fetch_add(&meeting->refused, 1);
    }
    service->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0 && reason != EAGAIN)
        poll(NULL, 0, PAUSE_MS);
    errno = reason;
    return fd >= 0;
}

struct served *service_accept(struct service *service, int flags, bool *again)
{
    int fd = accept4(service->task->fds[0], NULL, NULL, flags | SOCK_CLOEXEC);
    service->tally->calls++;
    if (fd >= 0) {
        *again = true;
        return service_adopt(service, fd);
    }
    *again = service_refuse(service, errno);
    return NULL;
}

void service_forget(struct service *service, struct served *served, bool broken)
{
    if (served->previous != NULL)
        served->previous->next = served->next;
    else
        service->first = served->next;
    if (served->next != NULL)
        served->next->previous = served->previous;
    if (broken)
        atomic_fetch_add(&service->answers.meeting->broken, 1);
    answer_close(&served->answer);
    free(served);
    rendezvous_closed(service->answers.meeting);
}

void service_close(struct service *service, struct served *served, bool broken)
{
    close(served->fd);
    service_forget(service, served, broken);
}

bool service_is_said(struct served *served)
{
    if (!answer_is_over(&served->answer))
        return false;
    if (!answer_lingers(&served->answer))
        return true;
    if (!served->shut)
        shutdown(served->fd, SHUT_WR);
    served->shut = true;
    return false;
}

enum turn service_flush(struct service *service, struct served *served)
{
    const unsigned char *bytes;
    size_t n;
    while ((n = answer_next(&service->answers, &served->answer, &bytes)) > 0) {
        ssize_t put = service_send(service, served->fd, bytes, n);
        if (put >= 0)
            answer_sent(&service->answers, &served->answer, (size_t)put);
        else if (errno == EAGAIN)
            return TURN_BLOCKED;
        else if (errno != EINTR)
            return TURN_BROKEN;
    }
    return service_is_said(served) ? TURN_GONE : TURN_SERVED;
}

enum turn service_turn(struct service *service, struct served *served)
{
    enum turn turn = TURN_SERVED;
    if (served->answer.raw_left > 0 || served->answer.owed > 0 || served->answer.last)
        turn = service_flush(service, served);
    if (turn != TURN_SERVED)
        return turn;
    ssize_t got = service_receive(service, served->fd, service->buffer, ANSWER_BUFFER);
    return service_took(service, served, got);
}

enum turn service_took(struct service *service, struct served *served, ssize_t got)
{
    if (got == 0)
        return TURN_GONE;
    if (got < 0)
        return errno == EAGAIN ? TURN_IDLE : errno == EINTR ? TURN_SERVED : TURN_BROKEN;
    answer_take(&service->answers, &served->answer, service->buffer, (size_t)got);
    enum turn turn = service_flush(service, served);
    if (turn == TURN_BLOCKED && answer_keep(&served->answer, service->err) != 0)
        return TURN_BROKEN;
    return turn;
}
