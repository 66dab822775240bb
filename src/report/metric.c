#include "config.h"

#include "report/metric.h"

#include <math.h>

static double number(uint64_t value)
{
    return value == UNKNOWN ? NAN : (double)value;
}

static double per_pass(uint64_t value, const struct sample *s)
{
    return number(value) / (double)s->passes;
}

static double bytes_per_s(const struct sample *s)
{
    return s->bytes == 0 || s->wall_ns == 0 ? NAN : (double)s->bytes / ((double)s->wall_ns / 1e9);
}

static double cpu_ns_per_pass(const struct sample *s)
{
    return per_pass(s->cpu_ns, s);
}

static double cpu_ns_per_byte(const struct sample *s)
{
    return s->bytes == 0 ? NAN : number(s->cpu_ns) / (double)s->bytes;
}

static double cpu_ratio(const struct sample *s)
{
    return s->wall_ns == 0 ? NAN : number(s->cpu_ns) / (double)s->wall_ns;
}

static double calls_per_pass(const struct sample *s)
{
    return per_pass(s->calls, s);
}

static double bytes_per_call(const struct sample *s)
{
    return s->calls == 0 ? NAN : (double)s->bytes / number(s->calls);
}

static double minor_faults_per_pass(const struct sample *s)
{
    return per_pass(s->minor_faults, s);
}

static double major_faults_per_pass(const struct sample *s)
{
    return per_pass(s->major_faults, s);
}

static double switches_per_pass(const struct sample *s)
{
    return per_pass(s->voluntary_switches, s) + per_pass(s->involuntary_switches, s);
}

static double peak_rss_bytes(const struct sample *s)
{
    return number(s->peak_rss_bytes);
}

static double peak_rss_anon_bytes(const struct sample *s)
{
    return number(s->peak_rss_anon_bytes);
}

static double storage_read_bytes_per_pass(const struct sample *s)
{
    return per_pass(s->storage_read_bytes, s);
}

/* The share of the time in which a process neither ran nor wanted to. */
static double idle_ratio(uint64_t running_ns, uint64_t runnable_ns, uint64_t wall_ns)
{
    if (running_ns == UNKNOWN || runnable_ns == UNKNOWN || wall_ns == 0)
        return NAN;
    double busy = (double)(running_ns + runnable_ns) / (double)wall_ns;
    return busy < 1 ? 1 - busy : 0;
}

static double waited_ratio(const struct sample *s)
{
    return idle_ratio(s->running_ns, s->runnable_ns, s->wall_ns);
}

static double peer_cpu_ratio(const struct sample *s)
{
    return s->has_peer && s->peer.wall_ns > 0 ? number(s->peer.cpu_ns) / (double)s->peer.wall_ns
                                              : NAN;
}

static double peer_cpu_ns_per_byte(const struct sample *s)
{
    return s->has_peer && s->peer.bytes > 0 ? number(s->peer.cpu_ns) / (double)s->peer.bytes : NAN;
}

static double peer_blocked_ratio(const struct sample *s)
{
    return s->has_peer ? idle_ratio(s->peer.running_ns, s->peer.runnable_ns, s->peer.wall_ns) : NAN;
}

static double lost_ratio(const struct sample *s)
{
    return s->has_peer && s->peer.bytes > 0 ? (double)sample_lost_bytes(s) / (double)s->peer.bytes
                                            : NAN;
}

/* NaN where no messages are counted. */
static double per_message(double value, const struct sample *s)
{
    double n = (double)s->counter[COUNTER_MESSAGES];
    return n > 0 ? value / n : NAN;
}

static double per_second(double value, const struct sample *s)
{
    return s->wall_ns > 0 ? value / ((double)s->wall_ns / 1e9) : NAN;
}

static double events_per_s(const struct sample *s)
{
    return s->counter[COUNTER_MESSAGES] > 0 ? per_second((double)s->counter[COUNTER_MESSAGES], s)
                                            : NAN;
}

static double events_per_wait(const struct sample *s)
{
    double waits = (double)s->counter[COUNTER_WAITS];
    return s->counter[COUNTER_EVENTS] > 0 && waits > 0 ? (double)s->counter[COUNTER_EVENTS] / waits
                                                       : NAN;
}

static double cpu_ns_per_event(const struct sample *s)
{
    return per_message(number(s->cpu_ns), s);
}

/* The writer's, by what it wrote itself. */
static double peer_cpu_ns_per_event(const struct sample *s)
{
    double n = (double)s->peer.counter[COUNTER_MESSAGES];
    return s->has_peer && n > 0 ? number(s->peer.cpu_ns) / n : NAN;
}

static double switches_per_s(const struct sample *s)
{
    return per_second(number(s->voluntary_switches) + number(s->involuntary_switches), s);
}

static double system_switches_per_s(const struct sample *s)
{
    double n = (double)s->counter[COUNTER_SYSTEM_SWITCHES];
    return n > 0 ? per_second(n, s) : NAN;
}

static double coalescing_ratio(const struct sample *s)
{
    double reads = (double)s->counter[COUNTER_READS];
    return reads > 0 ? (double)s->counter[COUNTER_MESSAGES] / reads : NAN;
}

static double requests_per_s(const struct sample *s)
{
    double n = (double)sample_requests(s);
    return n > 0 ? per_second(n, s) : NAN;
}

/* The load's, by the requests that it was answered. */
static double peer_cpu_ns_per_request(const struct sample *s)
{
    double n = (double)sample_requests(s);
    return s->has_peer && n > 0 ? number(s->peer.cpu_ns) / n : NAN;
}

/* Of a server at its fullest. */
static double anon_bytes_per_connection(const struct sample *s)
{
    double most = (double)s->counter[COUNTER_MOST_OPEN];
    return most > 0 ? number(s->peak_rss_anon_bytes) / most : NAN;
}

const struct metric metrics[METRICS] = {
    [METRIC_BYTES_PER_S] = {"bytes_per_s", "Bytes delivered per second.", bytes_per_s, "B/s",
                            BIGGER_IS_BETTER},
    [METRIC_WALL_NS_PER_PASS] = {"wall_ns_per_pass", "Wall time of one pass.",
                                 sample_wall_ns_per_pass, "ns", SMALLER_IS_BETTER},
    [METRIC_CPU_NS_PER_PASS] = {"cpu_ns_per_pass", "Processor time of one pass, all threads.",
                                cpu_ns_per_pass, "ns", SMALLER_IS_BETTER},
    [METRIC_CPU_NS_PER_BYTE] = {"cpu_ns_per_byte", "Processor time per byte delivered.",
                                cpu_ns_per_byte, "ns/B", SMALLER_IS_BETTER},
    [METRIC_CPU_RATIO] = {"cpu_ratio", "Processor time over wall time.", cpu_ratio, "ratio",
                          NEITHER_IS_BETTER},
    [METRIC_CALLS_PER_PASS] = {"calls_per_pass", "Calls that the strategy made in one pass.",
                               calls_per_pass, "calls", SMALLER_IS_BETTER},
    [METRIC_BYTES_PER_CALL] = {"bytes_per_call", "Bytes delivered by one call, on average.",
                               bytes_per_call, "B", NEITHER_IS_BETTER},
    [METRIC_MINOR_FAULTS_PER_PASS] = {"minor_faults_per_pass",
                                      "Page faults without input or output in one pass.",
                                      minor_faults_per_pass, "faults", NEITHER_IS_BETTER},
    [METRIC_MAJOR_FAULTS_PER_PASS] = {"major_faults_per_pass",
                                      "Page faults that read from storage in one pass.",
                                      major_faults_per_pass, "faults", NEITHER_IS_BETTER},
    [METRIC_SWITCHES_PER_PASS] = {"switches_per_pass",
                                  "Context switches in one pass, voluntary and not.",
                                  switches_per_pass, "switches", NEITHER_IS_BETTER},
    [METRIC_PEAK_RSS_BYTES] = {"peak_rss_bytes", "Peak resident memory of a trial's process.",
                               peak_rss_bytes, "B", SMALLER_IS_BETTER},
    [METRIC_PEAK_RSS_ANON_BYTES] = {"peak_rss_anon_bytes",
                                    "The same without files that are mapped.", peak_rss_anon_bytes,
                                    "B", SMALLER_IS_BETTER},
    [METRIC_STORAGE_READ_BYTES_PER_PASS] = {"storage_read_bytes_per_pass",
                                            "Bytes fetched from storage in one pass.",
                                            storage_read_bytes_per_pass, "B", NEITHER_IS_BETTER},
    [METRIC_WAITED_RATIO] = {"waited_ratio",
                             "Share of the time in which the process neither ran nor wanted to.",
                             waited_ratio, "ratio", NEITHER_IS_BETTER},
    [METRIC_PEER_CPU_RATIO] = {"peer_cpu_ratio", "Processor time over wall time of the other end.",
                               peer_cpu_ratio, "ratio", NEITHER_IS_BETTER},
    [METRIC_PEER_CPU_NS_PER_BYTE] = {"peer_cpu_ns_per_byte",
                                     "Processor time of the other end per byte sent.",
                                     peer_cpu_ns_per_byte, "ns/B", NEITHER_IS_BETTER},
    [METRIC_PEER_BLOCKED_RATIO] = {"peer_blocked_ratio",
                                   "Share of the time that the other end spent blocked.",
                                   peer_blocked_ratio, "ratio", NEITHER_IS_BETTER},
    [METRIC_LOST_RATIO] = {"lost_ratio", "Share of the bytes sent that were not received.",
                           lost_ratio, "ratio", SMALLER_IS_BETTER},
    [METRIC_EVENTS_PER_S] = {"events_per_s", "Messages read per second.", events_per_s, "events/s",
                             BIGGER_IS_BETTER},
    [METRIC_EVENTS_PER_WAIT] = {"events_per_wait", "Events that a wait returned, on average.",
                                events_per_wait, "events", NEITHER_IS_BETTER},
    [METRIC_CPU_NS_PER_EVENT] = {"cpu_ns_per_event", "Processor time per message read.",
                                 cpu_ns_per_event, "ns/event", SMALLER_IS_BETTER},
    [METRIC_PEER_CPU_NS_PER_EVENT] = {"peer_cpu_ns_per_event",
                                      "Processor time of the writer per message written.",
                                      peer_cpu_ns_per_event, "ns/event", NEITHER_IS_BETTER},
    [METRIC_SWITCHES_PER_S] = {"switches_per_s", "Context switches of the process per second.",
                               switches_per_s, "switches/s", NEITHER_IS_BETTER},
    [METRIC_SYSTEM_SWITCHES_PER_S] = {"system_switches_per_s",
                                      "Context switches of the whole system per second.",
                                      system_switches_per_s, "switches/s", NEITHER_IS_BETTER},
    [METRIC_COALESCING_RATIO] = {"coalescing_ratio", "Messages that one read brought, on average.",
                                 coalescing_ratio, "messages", NEITHER_IS_BETTER},
    [METRIC_REQUESTS_PER_S] = {"requests_per_s", "Requests answered per second.", requests_per_s,
                               "requests/s", BIGGER_IS_BETTER},
    [METRIC_CPU_NS_PER_REQUEST] = {"cpu_ns_per_request", "Processor time per request answered.",
                                   sample_cpu_ns_per_request, "ns/request", SMALLER_IS_BETTER},
    [METRIC_PEER_CPU_NS_PER_REQUEST] = {"peer_cpu_ns_per_request",
                                        "Processor time of the load per request answered.",
                                        peer_cpu_ns_per_request, "ns/request", NEITHER_IS_BETTER},
    [METRIC_ANON_BYTES_PER_CONNECTION] = {"anon_bytes_per_connection",
                                          "Anonymous memory of a server over the most connections "
                                          "that were open at once.",
                                          anon_bytes_per_connection, "B", SMALLER_IS_BETTER},
};

void metric_summary(const struct run *run, unsigned index, enum metric_id metric, double *work,
                    struct summary *summary)
{
    size_t n = run_values(run, index, metrics[metric].value, work);
    summarize(work, n, summary);
}