#include "config.h"

#include "strategy/service/converse.h"

/* What came before the clock does not count: the request that finds it running is the first one. */
static enum turn first_turns(struct thread *thread)
{
    struct service *service = &thread->service;
    struct tally *tally = &thread->tally;
    struct served *served = &thread->served;
    ssize_t got = service_receive(service, served->fd, service->buffer, ANSWER_BUFFER);
    int error = errno;
    thread->counted = (enum phase)rendezvous_phase(service->answers.meeting);
    if (thread->counted != PHASE_RAMP)
        *tally = (struct tally){.calls = 1, .bytes = got > 0 ? (size_t)got : 0};
    errno = error;
    return service_took(service, served, got);
}

void *thread_converse(void *opaque)
{
    struct thread *thread = opaque;
    struct service *service = &thread->service;
    enum turn turn = TURN_SERVED;
    unsigned char buffer[ANSWER_BUFFER];
    service->buffer = buffer;
    while (turn == TURN_SERVED || turn == TURN_IDLE)
        turn = thread->counted == PHASE_RAMP ? first_turns(thread)
                                             : service_turn(service, &thread->served);
    if (turn == TURN_BROKEN)
        atomic_fetch_add(&service->answers.meeting->broken, 1);
    shutdown(thread->served.fd, SHUT_RDWR); /* the other end need not wait for the worker */
    atomic_store(&thread->done, true);
    atomic_fetch_add(thread->all_done, 1);
    return NULL;
}
