#include "config.h"

#include "base/tally.h"

const char *const counter_names[COUNTERS] = {
    [COUNTER_WAITS] = "waits",         [COUNTER_AGAIN] = "eagain",
    [COUNTER_DATAGRAMS] = "datagrams", [COUNTER_TRUNCATED] = "truncated",
    [COUNTER_EMPTY] = "empty",         [COUNTER_NO_BUFFER] = "enobufs",
};
