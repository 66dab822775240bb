#include "config.h"

#include "base/tally.h"

const char *const counter_names[COUNTERS] = {
    [COUNTER_WAITS] = "waits",         [COUNTER_AGAIN] = "eagain",
    [COUNTER_DATAGRAMS] = "datagrams", [COUNTER_TRUNCATED] = "truncated",
    [COUNTER_EMPTY] = "empty",         [COUNTER_NO_BUFFER] = "enobufs",
    [COUNTER_EVENTS] = "events",       [COUNTER_EMPTY_WAITS] = "empty_waits",
    [COUNTER_READS] = "reads",         [COUNTER_MESSAGES] = "messages",
    [COUNTER_SPURIOUS] = "spurious",   [COUNTER_FULL] = "full_waits",
};
