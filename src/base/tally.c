#include "config.h"

#include "base/tally.h"

enum {
    BOTH = COUNTED_BY_STREAMS | COUNTED_BY_EVENTS,
    SERVICE = COUNTED_BY_SERVICES,
    ALL = BOTH | COUNTED_BY_SERVICES
};

const struct counter_info counter_info[COUNTERS] = {
    [COUNTER_WAITS] = {"waits", ALL, true},
    [COUNTER_AGAIN] = {"eagain", ALL, false},
    [COUNTER_DATAGRAMS] = {"datagrams", COUNTED_BY_STREAMS, false},
    [COUNTER_TRUNCATED] = {"truncated", COUNTED_BY_STREAMS, false},
    [COUNTER_EMPTY] = {"empty", COUNTED_BY_STREAMS, false},
    [COUNTER_NO_BUFFER] = {"enobufs", COUNTED_BY_STREAMS, false},
    [COUNTER_EVENTS] = {"events", COUNTED_BY_EVENTS | COUNTED_BY_SERVICES, true},
    [COUNTER_EMPTY_WAITS] = {"empty_waits", COUNTED_BY_EVENTS, false},
    [COUNTER_READS] = {"reads", COUNTED_BY_EVENTS, true},
    [COUNTER_MESSAGES] = {"messages", COUNTED_BY_EVENTS, true},
    [COUNTER_SPURIOUS] = {"spurious", COUNTED_BY_EVENTS, false},
    [COUNTER_FULL] = {"full_waits", COUNTED_BY_EVENTS, false},
    [COUNTER_UNIQUE] = {"handles_served", COUNTED_BY_EVENTS, false},
    [COUNTER_SYSTEM_SWITCHES] = {"system_switches", COUNTED_BY_EVENTS, false},
    [COUNTER_CONTROLS] = {"controls", SERVICE, false},
    [COUNTER_ACCEPTS] = {"accepts", SERVICE, false},
    [COUNTER_MOST_OPEN] = {"most_open", SERVICE, false},
    [COUNTER_REFUSED] = {"refused", SERVICE, false},
    [COUNTER_BROKEN] = {"broken", SERVICE, false},
    [COUNTER_BAD_REQUESTS] = {"bad_requests", SERVICE, false},
    [COUNTER_REQUESTS] = {"requests", SERVICE, true},
    [COUNTER_ASKED] = {"connections_asked", SERVICE, false},
    [COUNTER_ESTABLISHED] = {"connections_established", SERVICE, false},
    [COUNTER_RECONNECTIONS] = {"reconnections", SERVICE, false},
    [COUNTER_LOST] = {"connections_lost", SERVICE, false},
    [COUNTER_CLOSED] = {"closed_early", SERVICE, false},
    [COUNTER_RESET] = {"resets", SERVICE, false},
    [COUNTER_TIMEOUTS] = {"timeouts", SERVICE, false},
    [COUNTER_WRONG] = {"wrong_bytes", SERVICE, false},
    [COUNTER_MALFORMED] = {"malformed", SERVICE, false},
    [COUNTER_STATUS_ERRORS] = {"status_errors", SERVICE, false},
    [COUNTER_IN_FLIGHT] = {"in_flight", SERVICE, false},
    [COUNTER_LATE] = {"late_sends", SERVICE, false},
    [COUNTER_SPIN_NS] = {"spin_ns", SERVICE, false},
    [COUNTER_LISTEN_OVERFLOWS] = {"listen_overflows", SERVICE, false},
    [COUNTER_RETRANSMITS] = {"tcp_retransmits", SERVICE, false},
};

uint64_t counters_failed(const uint64_t counter[])
{
    return counter[COUNTER_CLOSED] + counter[COUNTER_RESET] + counter[COUNTER_TIMEOUTS] +
           counter[COUNTER_WRONG] + counter[COUNTER_MALFORMED] + counter[COUNTER_STATUS_ERRORS];
}

void numbered_add(struct numbered *counts, int number, uint64_t n)
{
    unsigned i = 0;
    while (i < NUMBERS_COUNTED - 1 && counts->of[i].n > 0 && counts->of[i].number != number)
        i++;
    counts->of[i].number = number;
    counts->of[i].n += n;
}

void numbered_merge(struct numbered *counts, const struct numbered *other)
{
    for (unsigned i = 0; i < NUMBERS_COUNTED && other->of[i].n > 0; i++)
        numbered_add(counts, other->of[i].number, other->of[i].n);
}
