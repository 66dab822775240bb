#include "config.h"

#include "strategy/service/service.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>

int service_setup(struct service *service, const struct task *task, size_t size, struct err *err)
{
    service->task = task;
    service->io = (enum io_calls)task->params->value[KNOB_IO];
    service->served_size = size;
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
        answer_close(&served->answer);
        close(served->fd);
        free(served);
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

static bool sets_nodelay(const struct params *params)
{
    uint64_t at = params->value[KNOB_NODELAY_AT];
    return at == NODELAY_BOTH || at == NODELAY_SERVER;
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
    int one = 1;
    if (sets_nodelay(service->task->params)) /* fails on UNIX sockets, which have no such delay */
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    served->fd = fd;
    answer_open(&served->answer);
    served->next = service->first;
    if (service->first != NULL)
        service->first->previous = served;
    service->first = served;
    rendezvous_opened(service->task->meeting);
    return served;
}

/* The spare descriptor goes, the connection takes its number and is closed at once. */
bool service_refuse(struct service *service, int error)
{
    if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM)
        return false;
    struct rendezvous *meeting = service->task->meeting;
    atomic_store(&meeting->refused_errno, error);
    close(service->spare);
    int fd = accept(service->task->fds[0], NULL, NULL);
    if (fd >= 0) {
        close(fd);
        atomic_fetch_add(&meeting->refused, 1);
    }
    service->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
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
    int error = errno;
    *again = error == EINTR || error == ECONNABORTED || service_refuse(service, error);
    return NULL;
}

void service_close(struct service *service, struct served *served, bool broken)
{
    if (served->previous != NULL)
        served->previous->next = served->next;
    else
        service->first = served->next;
    if (served->next != NULL)
        served->next->previous = served->previous;
    if (broken)
        atomic_fetch_add(&service->task->meeting->broken, 1);
    answer_close(&served->answer);
    close(served->fd);
    free(served);
    rendezvous_closed(service->task->meeting);
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
    return answer_is_over(&served->answer) ? TURN_GONE : TURN_SERVED;
}

enum turn service_turn(struct service *service, struct served *served)
{
    enum turn turn = TURN_SERVED;
    if (served->answer.raw_left > 0 || served->answer.owed > 0 || served->answer.last)
        turn = service_flush(service, served);
    if (turn != TURN_SERVED)
        return turn;
    ssize_t got = service_receive(service, served->fd, service->buffer, ANSWER_BUFFER);
    if (got == 0)
        return TURN_GONE;
    if (got < 0)
        return errno == EAGAIN ? TURN_IDLE : errno == EINTR ? TURN_SERVED : TURN_BROKEN;
    answer_take(&service->answers, &served->answer, service->buffer, (size_t)got);
    turn = service_flush(service, served);
    if (turn == TURN_BLOCKED && answer_keep(&served->answer, service->err) != 0)
        return TURN_BROKEN;
    return turn;
}
