#include "config.h"

#include "report/compared.h"

#include <math.h>
#include <string.h>

#define OF_TRIAL(member) offsetof(struct record_trial, member)
#define OF_CASE(member) offsetof(struct record_case, member)

const struct compared_info compared_info[COMPARED_METRICS] = {
    [COMPARED_TIME] = {"time", "throughput", "wall_ns_per_byte", "wall_ns_per_pass",
                       UNIT_NS_AS_BYTE_RATE, COST_PER_WORK, OF_TRIAL(wall_ns), false},
    [COMPARED_CPU] = {"cpu", "cpu", "cpu_ns_per_byte", "cpu_ns_per_pass", UNIT_NS_PER_BYTE,
                      COST_PER_WORK, OF_TRIAL(cpu_ns), false},
    [COMPARED_MEMORY] = {"memory", "memory", "peak_rss_bytes", NULL, UNIT_BYTES, COST_OF_TRIAL,
                         OF_TRIAL(peak_rss_bytes), true},
    [COMPARED_EVENTS] = {"events", "events/s", "wall_ns_per_event", NULL, UNIT_NS_AS_RATE,
                         COST_PER_COUNT, OF_TRIAL(messages), false},
    [COMPARED_REQUESTS] = {"requests", "requests/s", "wall_ns_per_request", NULL, UNIT_NS_AS_RATE,
                           COST_PER_COUNT, OF_TRIAL(requests), false},
    [COMPARED_P50] = {"p50", "p50", "latency_p50_ns", NULL, UNIT_NS, COST_OF_RUN, OF_CASE(p50_ns),
                      false},
    [COMPARED_P90] = {"p90", "p90", "latency_p90_ns", NULL, UNIT_NS, COST_OF_RUN, OF_CASE(p90_ns),
                      false},
    [COMPARED_P99] = {"p99", "p99", "latency_p99_ns", NULL, UNIT_NS, COST_OF_RUN, OF_CASE(p99_ns),
                      false},
    [COMPARED_P999] = {"p999", "p999", "latency_p999_ns", NULL, UNIT_NS, COST_OF_RUN,
                       OF_CASE(p999_ns), false},
};

/* NaN stands for what was not measured. */
static double number(uint64_t value)
{
    return value == UNKNOWN ? NAN : (double)value;
}

static double figure(const void *of, size_t at)
{
    return number(*(const uint64_t *)((const char *)of + at));
}

double compared_cost(enum compared metric, const struct record_case *of,
                     const struct record_trial *t, bool per_byte)
{
    const struct compared_info *info = &compared_info[metric];
    switch (info->cost) {
    case COST_PER_WORK:
        return figure(t, info->at) / number(per_byte ? t->bytes : t->passes);
    case COST_PER_COUNT:
        return number(t->wall_ns) / figure(t, info->at);
    case COST_OF_TRIAL:
        return figure(t, info->at);
    case COST_OF_RUN:
        return figure(of, info->at);
    }
    return NAN;
}

enum compared compared_find(const char *name, size_t length)
{
    enum compared m = 0;
    while (m < COMPARED_METRICS && (strlen(compared_info[m].name) != length ||
                                    strncmp(compared_info[m].name, name, length) != 0))
        m++;
    return m;
}
