#include "config.h"

#include "report/service_text.h"

#include "base/units.h"
#include "report/service_facts.h"

#include <inttypes.h>
#include <math.h>

enum { NAME_WIDTH = 14 };

static bool has_trials(const struct run *run)
{
    for (size_t i = 0; i < run->samples.n; i++)
        if (!run->samples.items[i].warmup && run->samples.items[i].wall_ns > 0)
            return true;
    return false;
}

bool service_text_wanted(const struct report *report)
{
    const struct settings *s = report->settings;
    return s->is_service && (s->connect != NULL || s->listen != NULL) &&
           report->run->n_cases == 1 && report->run->cases[0].status == CASE_OK &&
           has_trials(report->run);
}

static void begin_line(const char *name, FILE *out)
{
    fprintf(out, "  %-*s", NAME_WIDTH, name);
}

static void print_text(const char *name, const char *text, FILE *out)
{
    begin_line(name, out);
    fprintf(out, "%s\n", text);
}

static const char *time_or_dash(char text[UNITS_TEXT], double ns)
{
    return isnan(ns) ? "-" : units_time(text, ns);
}

/* "latency     mean 1.20 ms   stdev 310 us   max 8.11 ms   +/- stdev 83 %", as wrk has it. */
static void print_moments(const char *name, const struct histogram *h, FILE *out)
{
    struct moments m;
    char mean[UNITS_TEXT], stddev[UNITS_TEXT], most[UNITS_TEXT];
    if (h == NULL || h->count == 0)
        return;
    histogram_moments(h, &m);
    begin_line(name, out);
    fprintf(out, "mean %s, stdev %s, max %s, %.1f %% within one stdev\n",
            time_or_dash(mean, m.mean), time_or_dash(stddev, m.stddev),
            units_time(most, (double)h->max), 100 * m.within_ratio);
}

static void print_distribution(const struct histogram *h, FILE *out)
{
    static const struct {
        const char *name;
        double share;
    } rows[] = {{"  p50", 0.5},  {"  p75", 0.75},    {"  p90", 0.9},
                {"  p99", 0.99}, {"  p99.9", 0.999}, {"  p99.99", 0.9999}};
    for (size_t i = 0; h != NULL && h->count > 0 && i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = histogram_quantile(h, rows[i].share);
        char text[UNITS_TEXT];
        print_text(rows[i].name,
                   value == UNKNOWN ? "too few requests" : units_time(text, (double)value), out);
    }
}

static void print_cpu(const struct service_facts *f, uint64_t requests, FILE *out)
{
    char text[UNITS_TEXT];
    double wall = (double)f->wall_ns;
    if (f->cpu_ns == UNKNOWN || f->wall_ns == 0)
        return;
    begin_line("CPU", out);
    fprintf(out, "%.0f %%", 100 * (double)f->cpu_ns / wall);
    if (requests > 0)
        fprintf(out, ", %s a request", units_time(text, (double)f->cpu_ns / (double)requests));
    if (f->workers > 1)
        fprintf(out, ", the busiest of %u threads %.0f %%", f->workers,
                100 * service_busiest(f->thread_cpu_ns, f->workers, f->wall_ns));
    fputc('\n', out);
}

static void print_count(const char *name, uint64_t n, FILE *out)
{
    begin_line(name, out);
    fprintf(out, "%" PRIu64 "\n", n);
}

static void print_load(const struct run_case *c, const struct service_facts *f, FILE *out)
{
    char text[UNITS_TEXT], size[UNITS_TEXT], time[UNITS_TEXT];
    const uint64_t *n = f->counter;
    double seconds = (double)f->wall_ns / 1e9;
    print_text("requests/s", units_count(text, (double)n[COUNTER_REQUESTS] / seconds), out);
    print_text("transfer/s", units_rate(text, (double)f->bytes / seconds), out);
    begin_line("requests", out);
    fprintf(out, "%" PRIu64 " in %s, %s\n", n[COUNTER_REQUESTS],
            units_time(time, (double)f->wall_ns), units_size(size, f->bytes));
    print_moments("latency", c->histogram[OF_LATENCY], out);
    print_distribution(c->histogram[OF_LATENCY], out);
    print_moments("from the send", c->histogram[OF_SERVICE], out);
    print_moments("sent late", c->histogram[OF_LATENESS], out);
    print_cpu(f, n[COUNTER_REQUESTS], out);
    begin_line("connections", out);
    fprintf(out, "%" PRIu64 " asked for, %" PRIu64 " made", n[COUNTER_ASKED],
            n[COUNTER_ESTABLISHED]);
    if (n[COUNTER_RECONNECTIONS] > 0)
        fprintf(out, ", %" PRIu64 " made again", n[COUNTER_RECONNECTIONS]);
    fputc('\n', out);
}

static void print_server(const struct service_facts *f, FILE *out)
{
    char text[UNITS_TEXT], size[UNITS_TEXT], time[UNITS_TEXT];
    const uint64_t *n = f->counter;
    double seconds = (double)f->wall_ns / 1e9;
    begin_line("served", out);
    fprintf(out, "for %s: %s sent back, %s\n", units_time(time, (double)f->wall_ns),
            units_size(size, f->bytes), units_rate(text, (double)f->bytes / seconds));
    begin_line("accepted", out);
    fprintf(out, "%" PRIu64 " connections, %s a second\n", n[COUNTER_ACCEPTS],
            units_count(text, (double)n[COUNTER_ACCEPTS] / seconds));
    print_count("most at once", n[COUNTER_MOST_OPEN], out);
    begin_line("refused", out);
    fprintf(out, "%" PRIu64 "%s", n[COUNTER_REFUSED], n[COUNTER_REFUSED] > 0 ? ": " : "");
    service_print_errors(&f->connect_errors, out);
    fputc('\n', out);
    print_count("broken", n[COUNTER_BROKEN], out);
    print_count("bad requests", n[COUNTER_BAD_REQUESTS], out);
    print_cpu(f, 0, out);
    begin_line("memory", out);
    fprintf(out, "%s at most", units_size(size, f->peak_rss_bytes));
    if (f->peak_rss_anon_bytes > 0)
        fprintf(out, ", %s of it anonymous", units_size(size, f->peak_rss_anon_bytes));
    fputc('\n', out);
}

void service_text(const struct report *report, FILE *out)
{
    struct service_facts f;
    service_facts(report->run, 0, &f);
    if (report->settings->listen != NULL)
        print_server(&f, out);
    else
        print_load(&report->run->cases[0], &f, out);
}
