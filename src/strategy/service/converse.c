#include "config.h"

#include "strategy/service/converse.h"

/* What came before the clock does not count: the turn that found it running is the first one. */
static enum turn first_turns(struct thread *thread)
{
    struct tally *tally = &thread->tally;
    uint64_t bytes = tally->bytes, calls = tally->calls, short_calls = tally->short_calls;
    enum turn turn = service_turn(&thread->service, &thread->served);
    thread->counted = (enum phase)rendezvous_phase(thread->service.answers.meeting);
    if (thread->counted != PHASE_RAMP)
        *tally = (struct tally){.bytes = tally->bytes - bytes,
                                .calls = tally->calls - calls,
                                .short_calls = tally->short_calls - short_calls};
    return turn;
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
