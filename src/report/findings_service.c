#include "config.h"

#include "report/findings_service.h"

#include "base/units.h"
#include "report/service_facts.h"
#include "report/service_text.h"

#include <inttypes.h>
#include <math.h>

/* From this share of a processor on a thread has nothing left to give. */
#define BUSY 0.9

static void print_threads(const char *whose, const uint64_t cpu_ns[MOST_TOLD], unsigned workers,
                          uint64_t wall_ns, FILE *out)
{
    fprintf(out, "%s %.0f %%", whose, 100 * service_busiest(cpu_ns, workers, wall_ns));
    if (workers > 1)
        fprintf(out, " (the busiest of %u threads)", workers);
}

/* Both ends' processor time beside each other, of the case that is ahead. */
static void print_limit(const struct report *report, unsigned index, case_namer *name_of, FILE *out)
{
    struct service_facts f;
    char name[96];
    service_facts(report->run, index, &f);
    double server = service_busiest(f.thread_cpu_ns, f.workers, f.wall_ns);
    double load = service_busiest(f.peer_thread_cpu_ns, f.peer_workers, f.wall_ns);
    if (isnan(server) || isnan(load) || report->run->cases[index].kind == CASE_EXEC)
        return;
    fprintf(out, "%s: processor time of ", name_of(report->run, index, name));
    print_threads("the server", f.thread_cpu_ns, f.workers, f.wall_ns, out);
    print_threads(", of the load", f.peer_thread_cpu_ns, f.peer_workers, f.wall_ns, out);
    if (report->run->by_cpu)
        fputs(": the load was given", out);
    else if (server >= BUSY && load >= BUSY)
        fputs(": both were at their limit", out);
    else if (server >= BUSY)
        fputs(": the server was the limit", out);
    else if (load >= BUSY)
        fputs(": the load was the limit", out);
    fputs(".\n", out);
}

/* How well an open loop kept its moments: the worst of all cases, for a table shows the rest. */
static void print_lateness(const struct run *run, case_namer *name_of, FILE *out)
{
    uint64_t worst = 0;
    unsigned at = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct histogram *h = run->cases[i].histogram[OF_LATENESS];
        uint64_t p99 = h != NULL ? histogram_quantile(h, 0.99) : UNKNOWN;
        if (p99 == UNKNOWN || p99 < worst)
            continue;
        worst = p99;
        at = i;
    }
    char name[96], late[UNITS_TEXT], meant[UNITS_TEXT], sent[UNITS_TEXT];
    if (worst == 0)
        return;
    const struct run_case *c = &run->cases[at];
    fprintf(out, "Requests were sent up to %s late (p99, of %s)", units_time(late, (double)worst),
            name_of(run, at, name));
    uint64_t from_moment = histogram_quantile(c->histogram[OF_LATENCY], 0.99);
    uint64_t from_send = histogram_quantile(c->histogram[OF_SERVICE], 0.99);
    if (from_moment != UNKNOWN && from_send != UNKNOWN)
        fprintf(out, "; its p99 latency is %s from the intended moment, %s from the send",
                units_time(meant, (double)from_moment), units_time(sent, (double)from_send));
    fputs(".\n", out);
}

/* Threads that accept for themselves may get unequal shares. */
static void print_imbalance(const char *name, const struct service_facts *f, FILE *out)
{
    uint64_t least = UINT64_MAX, most = 0, all = 0;
    for (unsigned i = 0; i < f->workers && i < MOST_TOLD; i++) {
        uint64_t n = f->thread_bytes[i];
        least = n < least ? n : least;
        most = n > most ? n : most;
        all += n;
    }
    if (f->workers > 1 && f->workers <= MOST_TOLD && all > 0 && most > 2 * least)
        fprintf(
            out, "%s: its %u threads got unequal shares of the bytes, from %.0f %% to %.0f %%.\n",
            name, f->workers, 100 * (double)least / (double)all, 100 * (double)most / (double)all);
}

/* What --find-rate found. */
static void print_search(const struct report *report, unsigned index, const char *name, FILE *out)
{
    const struct run_case *c = &report->run->cases[index];
    char rate[UNITS_TEXT];
    if (c->n_steps == 0)
        return;
    if (c->found_rate > 0)
        fprintf(out, "%s keeps %s up to %s requests a second (%zu rates tried).\n", name,
                report->settings->find_rate, units_count(rate, c->found_rate), c->n_steps);
    else
        fprintf(out, "%s keeps %s at no rate that was tried (%zu).\n", name,
                report->settings->find_rate, c->n_steps);
}

static void print_case(const struct report *report, unsigned index, case_namer *name_of, FILE *out)
{
    const struct run *run = report->run;
    struct service_facts f;
    char name[96];
    name_of(run, index, name);
    service_facts(run, index, &f);
    print_search(report, index, name, out);
    if (service_failed(&f) > 0) {
        fprintf(out, "%s: %" PRIu64 " requests were answered; these failed: ", name,
                f.counter[COUNTER_REQUESTS]);
        service_print_failed(&f, out);
        fputs(".\n", out);
    }
    if (f.connect_errors.of[0].n > 0) {
        fprintf(out, "%s: connections asked for: %" PRIu64 ", made: %" PRIu64 "; not made: ", name,
                f.counter[COUNTER_ASKED], f.counter[COUNTER_ESTABLISHED]);
        service_print_errors(&f.connect_errors, out);
        fputs(".\n", out);
    }
    if (f.counter[COUNTER_REFUSED] > 0) {
        fprintf(out, "%s: the server refused %" PRIu64 " connections: ", name,
                f.counter[COUNTER_REFUSED]);
        service_print_errors(&f.refused, out);
        fputs(".\n", out);
    }
    double nagle = service_nagle_share(run->cases[index].histogram[OF_LATENCY]);
    if (nagle > 0)
        fprintf(out,
                "%s: %.0f %% of its answers took 38 to 46 ms: Nagle's algorithm waited for a "
                "delayed acknowledgement (see --nodelay).\n",
                name, 100 * nagle);
    print_imbalance(name, &f, out);
}

/* Of the whole system, over all cases. */
static void print_system(const struct run *run, FILE *out)
{
    uint64_t overflows = 0, retransmits = 0, in_flight = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        struct service_facts f;
        service_facts(run, i, &f);
        overflows += f.counter[COUNTER_LISTEN_OVERFLOWS];
        retransmits += f.counter[COUNTER_RETRANSMITS];
        in_flight += f.counter[COUNTER_IN_FLIGHT];
    }
    if (overflows > 0)
        fprintf(out,
                "The queue of a listening socket was full %" PRIu64
                " times meanwhile, on the whole system (ListenOverflows).\n",
                overflows);
    if (retransmits > 0)
        fprintf(out, "TCP sent %" PRIu64 " segments again meanwhile, on the whole system.\n",
                retransmits);
    if (in_flight > 0)
        fprintf(out, "Under way when trials ended, and in no figure: %" PRIu64 " requests.\n",
                in_flight);
}

void findings_service(const struct report *report, int lead, case_namer *name_of, FILE *out)
{
    const struct run *run = report->run;
    if (lead >= 0)
        print_limit(report, (unsigned)lead, name_of, out);
    if (!service_text_wanted(report))
        print_lateness(run, name_of, out);
    for (unsigned i = 0; i < run->n_cases; i++)
        print_case(report, i, name_of, out);
    print_system(run, out);
}
