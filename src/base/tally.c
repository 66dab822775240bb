#include "config.h"

#include "base/tally.h"

enum { BOTH = COUNTED_BY_STREAMS | COUNTED_BY_EVENTS };

const struct counter_info counter_info[COUNTERS] = {
    [COUNTER_WAITS] = {"waits", BOTH, true},
    [COUNTER_AGAIN] = {"eagain", BOTH, false},
    [COUNTER_DATAGRAMS] = {"datagrams", COUNTED_BY_STREAMS, false},
    [COUNTER_TRUNCATED] = {"truncated", COUNTED_BY_STREAMS, false},
    [COUNTER_EMPTY] = {"empty", COUNTED_BY_STREAMS, false},
    [COUNTER_NO_BUFFER] = {"enobufs", COUNTED_BY_STREAMS, false},
    [COUNTER_EVENTS] = {"events", COUNTED_BY_EVENTS, true},
    [COUNTER_EMPTY_WAITS] = {"empty_waits", COUNTED_BY_EVENTS, false},
    [COUNTER_READS] = {"reads", COUNTED_BY_EVENTS, true},
    [COUNTER_MESSAGES] = {"messages", COUNTED_BY_EVENTS, true},
    [COUNTER_SPURIOUS] = {"spurious", COUNTED_BY_EVENTS, false},
    [COUNTER_FULL] = {"full_waits", COUNTED_BY_EVENTS, false},
    [COUNTER_UNIQUE] = {"handles_served", COUNTED_BY_EVENTS, false},
    [COUNTER_SYSTEM_SWITCHES] = {"system_switches", COUNTED_BY_EVENTS, false},
};
