#include "config.h"

#include "report/overview.h"

#include "base/text.h"
#include "base/units.h"
#include "report/metric.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_residency(const struct source *source, FILE *out)
{
    double resident = 0, total = 0;
    for (size_t i = 0; i < source->n; i++) {
        const struct source_file *file = &source->files[i];
        if (isnan(file->resident_ratio))
            return;
        resident += file->resident_ratio * (double)file->size_bytes;
        total += (double)file->size_bytes;
    }
    if (total > 0)
        fprintf(out, ", %.*f %% in the page cache", resident < total && resident / total > 0.995,
                100 * resident / total);
}

/* "tcp, a sender of our own" */
static void print_origin(const struct settings *s, FILE *out)
{
    char shown[300];
    if (s->connect != NULL || s->listen != NULL) {
        const char *address = s->connect != NULL ? s->connect : s->listen;
        fprintf(out, "%s %s", s->connect != NULL ? "connected to" : "listening on",
                text_printable(address, shown, sizeof shown));
        return;
    }
    for (size_t i = 0; i < s->n_knob_values[KNOB_TRANSPORT]; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "",
                knob_info[KNOB_TRANSPORT].choices[s->knob_values[KNOB_TRANSPORT][i]]);
    fputs(" on this machine, own sender", out);
}

/* "1000 pipe handles, 1 writer" */
static void print_handles(const struct settings *s, FILE *out)
{
    for (size_t i = 0; i < s->n_knob_values[KNOB_HANDLES]; i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", s->knob_values[KNOB_HANDLES][i]);
    fputs(" handles (", out);
    for (size_t i = 0; i < s->n_knob_values[KNOB_KIND]; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "",
                knob_info[KNOB_KIND].choices[s->knob_values[KNOB_KIND][i]]);
    fputs("), a writer of our own", out);
}

void overview_source(const struct report *report, FILE *out)
{
    const struct source *source = report->source;
    if (report->settings->is_stream) {
        print_origin(report->settings, out);
        return;
    }
    if (report->settings->is_events) {
        print_handles(report->settings, out);
        return;
    }
    char size[UNITS_TEXT], name[300];
    uint64_t total = 0;
    bool known = source->n > 0;
    for (size_t i = 0; i < source->n; i++) {
        known &= source->files[i].size_bytes != UNKNOWN;
        total += source->files[i].stated_bytes;
    }
    if (source->n == 0) {
        fputs("nothing to read", out);
        return;
    }
    if (source->made && source->n > 1)
        fprintf(out, "%zu files made for this run", source->n);
    else if (source->made)
        fputs("a file made for this run", out);
    else if (source->n == 1)
        fputs(text_printable(source->files[0].path, name, sizeof name), out);
    else
        fprintf(out, "%zu files", source->n);
    if (known)
        fprintf(out, ": %s on %s", units_size(size, total), source->files[0].filesystem);
    else
        fprintf(out, ": on %s, size not known", source->files[0].filesystem);
    print_residency(source, out);
}

void overview_effort(const struct report *report, FILE *out)
{
    const struct run *run = report->run;
    char time[UNITS_TEXT];
    if (run->rounds == 0) {
        fputs("no complete round", out);
        return;
    }
    if (run->n_cases == 1)
        fprintf(out, "%u trial%s", run->rounds, run->rounds == 1 ? "" : "s");
    else
        fprintf(out, "%u round%s of %u cases", run->rounds, run->rounds == 1 ? "" : "s",
                run->n_cases);
    fprintf(out, " in %s", units_time(time, (double)run->rounds_ns));
}

/* Does the knob differ between cases, so that it needs a column? */
static bool varies(const struct run *run, enum knob knob)
{
    uint64_t seen = 0;
    bool any = false;
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        if (!(c->knobs & KNOB_BIT(knob)) || c->params.value[knob] == PARAM_NONE)
            continue; /* has none, and says so where the others stand side by side */
        if (any && c->params.value[knob] != seen)
            return true;
        seen = c->params.value[knob];
        any = true;
    }
    return false;
}

/* A size that was asked for as one: 128 KiB, or all its digits where that would round. */
static void print_param(char *cell, const struct run_case *c, enum knob knob)
{
    uint64_t value = c->params.value[knob];
    char text[UNITS_TEXT];
    if (!(c->knobs & KNOB_BIT(knob)) || value == PARAM_NONE)
        snprintf(cell, TABLE_CELL, "-");
    else if (knob_info[knob].kind != KNOB_KIND_SIZE)
        snprintf(cell, TABLE_CELL, "%s", params_text(knob, value, text));
    else if (value >= 1024 && value % 1024 != 0)
        snprintf(cell, TABLE_CELL, "%" PRIu64 " B", value);
    else
        snprintf(cell, TABLE_CELL, "%s", units_size(text, value));
}

/* Where a strategy has no block of its own, the stream's buffer is what meets the system. */
static void print_block(char *cell, const struct run_case *c)
{
    bool block = !(c->knobs & KNOB_BIT(KNOB_STDIO_BUFFER)) || c->knobs & KNOB_BIT(KNOB_BLOCK_SIZE);
    print_param(cell, c, block ? KNOB_BLOCK_SIZE : KNOB_STDIO_BUFFER);
}

static void add_knob_columns(const struct run *run, struct table *table)
{
    size_t column = table_add_column(table, "block", false, 1);
    for (unsigned i = 0; i < run->n_cases; i++)
        print_block(table_cell(table, i, column), &run->cases[i]);
    for (int k = 0; k < KNOBS; k++) {
        if (k == KNOB_BLOCK_SIZE || !varies(run, (enum knob)k))
            continue;
        column = table_add_column(table, knob_info[k].column, false, 1);
        for (unsigned i = 0; i < run->n_cases; i++)
            print_param(table_cell(table, i, column), &run->cases[i], (enum knob)k);
    }
}

/* Summaries of one case, for its row. */
struct figures {
    struct summary of[METRICS];
};

static int make_figures(const struct run *run, struct figures *figures)
{
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    if (work == NULL)
        return -1;
    for (unsigned i = 0; i < run->n_cases; i++)
        for (int m = 0; m < METRICS; m++)
            metric_summary(run, i, (enum metric_id)m, work, &figures[i].of[m]);
    free(work);
    return 0;
}

static void print_if_known(char *cell, double value, char *(*print)(char *, double))
{
    char text[UNITS_TEXT];
    snprintf(cell, TABLE_CELL, "%s", isnan(value) ? "-" : print(text, value));
}

static char *print_size(char *text, double bytes)
{
    return units_size(text, (uint64_t)bytes);
}

static char *print_rounded_size(char *text, double bytes)
{
    /* Kilobytes of memory are noise: two significant digits of MiB do. */
    double mib = bytes / (1024 * 1024);
    if (mib < 1)
        return units_size(text, (uint64_t)bytes);
    snprintf(text, UNITS_TEXT, mib < 10 ? "%.1f MiB" : "%.0f MiB", mib);
    return text;
}

static char *print_percent(char *text, double ratio)
{
    snprintf(text, UNITS_TEXT, "%.0f %%", 100 * ratio);
    return text;
}

static void print_middle(char *cell, const struct summary *rate)
{
    char low[UNITS_TEXT], high[UNITS_TEXT];
    if (isnan(rate->median) || rate->n < 2)
        snprintf(cell, TABLE_CELL, "-");
    else
        snprintf(cell, TABLE_CELL, "%s .. %s", units_rate_like(low, rate->p10, rate->median),
                 units_rate_like(high, rate->p90, rate->median));
}

static void print_throughput(char *cell, const struct run_case *c, const struct summary *rate)
{
    if (c->status != CASE_OK)
        snprintf(cell, TABLE_CELL, "%s", case_status_name(c->status));
    else
        print_if_known(cell, rate->median, units_rate);
}

/* Rows whose figures stand for nothing keep them out of the table. */
static double known(const struct run_case *c, double value)
{
    return c->status == CASE_OK ? value : NAN;
}

static char *print_number(char *text, double value)
{
    return units_count(text, value);
}

/* What waiting on many descriptors comes to. */
static void add_event_columns(const struct run *run, const struct figures *figures,
                              struct table *table)
{
    size_t rate = table_add_column(table, "events/s", false, 0);
    size_t middle = table_add_column(table, "middle 80 %", false, 4);
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        const struct summary *s = &figures[i].of[METRIC_EVENTS_PER_S];
        char low[UNITS_TEXT], high[UNITS_TEXT], *cell = table_cell(table, i, rate);
        if (c->status != CASE_OK)
            snprintf(cell, TABLE_CELL, "%s", case_status_name(c->status));
        else
            print_if_known(cell, s->median, print_number);
        snprintf(table_cell(table, i, middle), TABLE_CELL,
                 c->status != CASE_OK || s->n < 2 ? "-" : "%s .. %s", print_number(low, s->p10),
                 print_number(high, s->p90));
    }
}

static void add_rate_columns(const struct run *run, const struct figures *figures,
                             struct table *table)
{
    size_t rate = table_add_column(table, "throughput", false, 0);
    size_t middle = table_add_column(table, "middle 80 %", false, 4);
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct summary *s = &figures[i].of[METRIC_BYTES_PER_S];
        print_throughput(table_cell(table, i, rate), &run->cases[i], s);
        struct summary shown = *s;
        shown.median = known(&run->cases[i], s->median);
        print_middle(table_cell(table, i, middle), &shown);
    }
}

static double profile_share(const struct run_case *c, uint64_t ns)
{
    return c->has_profile && c->profile.passes > 0 ? (double)ns / (double)c->profile.passes : NAN;
}

/* real, user and sys of a pass, as time(1) has them. */
static void add_time_columns(const struct run *run, const struct figures *figures,
                             struct table *table)
{
    size_t real = table_add_column(table, "real", false, 7);
    size_t user = table_add_column(table, "user", false, 5);
    size_t sys = table_add_column(table, "sys", false, 5);
    size_t cpu = table_add_column(table, "CPU", false, 3);
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        const struct summary *of = figures[i].of;
        print_if_known(table_cell(table, i, real), known(c, of[METRIC_WALL_NS_PER_PASS].median),
                       units_time);
        print_if_known(table_cell(table, i, user), known(c, profile_share(c, c->profile.user_ns)),
                       units_time);
        print_if_known(table_cell(table, i, sys), known(c, profile_share(c, c->profile.system_ns)),
                       units_time);
        print_if_known(table_cell(table, i, cpu), known(c, of[METRIC_CPU_RATIO].median),
                       print_percent);
    }
}

static void add_metric_column(const struct run *run, const struct figures *figures,
                              struct table *table, const char *heading, unsigned last_kept,
                              enum metric_id metric, char *(*print)(char *, double))
{
    size_t column = table_add_column(table, heading, false, last_kept);
    for (unsigned i = 0; i < run->n_cases; i++)
        print_if_known(table_cell(table, i, column),
                       known(&run->cases[i], figures[i].of[metric].median), print);
}

/* A column for a quantile of single calls or waits: "call p50". */
struct quantile_column {
    const char *heading;
    double share;
};
enum { QUANTILE_COLUMNS = 3 };

static void add_quantile_columns(const struct run *run, struct table *table,
                                 const struct quantile_column shown[QUANTILE_COLUMNS],
                                 unsigned last_kept, bool of_latency,
                                 char *(*print)(char *, double))
{
    for (size_t q = 0; q < QUANTILE_COLUMNS; q++) {
        size_t column = table_add_column(table, shown[q].heading, false, last_kept);
        for (unsigned i = 0; i < run->n_cases; i++) {
            const struct run_case *c = &run->cases[i];
            const struct histogram *h = of_latency ? c->histogram[OF_LATENCY] : c->histogram[OF_SIZES];
            uint64_t value = h != NULL ? histogram_quantile(h, shown[q].share) : UNKNOWN;
            print_if_known(table_cell(table, i, column), value != UNKNOWN ? (double)value : NAN,
                           print);
        }
    }
}

/* Bytes of single calls, where they were noted. */
static void add_size_columns(const struct run *run, struct table *table)
{
    static const struct quantile_column shown[] = {{"a call p50", 0.5}, {"p90 ", 0.9}, {"max ", 1}};
    add_quantile_columns(run, table, shown, 2, false, print_size);
}

/* Times of single calls, where they were asked for. */
static void add_latency_columns(const struct run *run, struct table *table)
{
    static const struct quantile_column shown[] = {{"call p50", 0.5}, {"p99", 0.99}, {"max", 1}};
    add_quantile_columns(run, table, shown, 2, true, units_time);
}

static void print_factor(char *text, size_t size, double factor)
{
    snprintf(text, size, factor >= 99.95 ? "%.0f" : factor >= 9.995 ? "%.1f" : "%.2f", factor);
}

/* "1.16x slower (1.15 .. 1.16)" */
static void print_against(char *cell, const struct ratio *ratio)
{
    bool faster = ratio->verdict == VERDICT_FASTER ||
                  (ratio->verdict == VERDICT_INCONCLUSIVE && ratio->ratio < 1);
    double middle = faster ? 1 / ratio->ratio : ratio->ratio;
    double low = faster ? 1 / ratio->high : ratio->low;
    double high = faster ? 1 / ratio->low : ratio->high;
    char m[16], l[16], h[16];
    print_factor(m, sizeof m, middle);
    print_factor(l, sizeof l, low);
    print_factor(h, sizeof h, high);
    const char *word = faster ? "faster" : "slower";
    if (isnan(low))
        snprintf(cell, TABLE_CELL, "%sx %s, too few rounds", m, word);
    else if (ratio->verdict == VERDICT_SAME)
        snprintf(cell, TABLE_CELL, "same (%s .. %s)", l, h);
    else if (ratio->verdict == VERDICT_INCONCLUSIVE)
        snprintf(cell, TABLE_CELL, "%sx %s? (%s .. %s)", m, word, l, h);
    else
        snprintf(cell, TABLE_CELL, "%sx %s (%s .. %s)", m, word, l, h);
}

/* "sysread", or with the values that tell it from other sysreads. */
static void name_baseline(const struct run *run, const struct run_case *base, char *name,
                          size_t size)
{
    char shown[48];
    int used = snprintf(name, size, "%s", text_printable(base->label, shown, sizeof shown));
    for (int k = 0; k < KNOBS; k++) {
        bool differs = false;
        for (unsigned i = 0; i < run->n_cases; i++)
            differs |= strcmp(run->cases[i].label, base->label) == 0 &&
                       run->cases[i].params.value[k] != base->params.value[k];
        char value[TABLE_CELL];
        print_param(value, base, (enum knob)k);
        if (differs && used > 0 && (size_t)used < size)
            used += snprintf(name + used, size - (size_t)used, " %s", value);
    }
}

static int add_against_column(const struct run *run, struct table *table)
{
    int baseline = run_baseline(run);
    if (baseline < 0 || run->n_cases < 2)
        return 0;
    char heading[TABLE_CELL];
    const struct run_case *base = &run->cases[baseline];
    char name[TABLE_CELL - 24];
    name_baseline(run, base, name, sizeof name);
    snprintf(heading, sizeof heading, "against %s (95 %%)", name);
    size_t column = table_add_column(table, heading, true, 0);
    table->strong_row = (size_t)baseline;
    for (unsigned i = 0; i < run->n_cases; i++) {
        char *cell = table_cell(table, i, column);
        struct ratio ratio;
        struct err err = {0};
        if ((int)i == baseline)
            snprintf(cell, TABLE_CELL, "%s", run->baseline >= 0 ? "baseline" : "fastest");
        else if (run->cases[i].status != CASE_OK)
            snprintf(cell, TABLE_CELL, "-");
        else if (run_compare(run, i, (unsigned)baseline, run_confidence(run), &ratio, &err) != 0)
            return -1;
        else if (ratio.n > 0)
            print_against(cell, &ratio);
    }
    return 0;
}

static void add_wait_columns(const struct run *run, const struct figures *figures,
                             struct table *table)
{
    static const struct quantile_column shown[] = {{"a wait p50", 0.5}, {"p90", 0.9}, {"max", 1}};
    add_quantile_columns(run, table, shown, 5, false, print_number);
    add_metric_column(run, figures, table, "CPU/event", 4, METRIC_CPU_NS_PER_EVENT, units_time);
    add_metric_column(run, figures, table, "its writer's", 6, METRIC_PEER_CPU_NS_PER_EVENT,
                      units_time);
    add_metric_column(run, figures, table, "a read", 7, METRIC_COALESCING_RATIO, print_number);
    add_metric_column(run, figures, table, "switches/s", 7, METRIC_SWITCHES_PER_S, print_number);
    add_metric_column(run, figures, table, "system's", 8, METRIC_SYSTEM_SWITCHES_PER_S,
                      print_number);
}

static bool may_lose(const struct report *report)
{
    const struct run *run = report->run;
    for (unsigned i = 0; i < run->n_cases && report->settings->is_stream; i++)
        if (run->cases[i].lossy)
            return true;
    return false;
}

int overview_table(const struct report *report, bool verbose, struct table *table)
{
    const struct run *run = report->run;
    struct figures *figures = calloc(run->n_cases + 1, sizeof *figures);
    int status = -1;
    if (table_init(table, run->n_cases) != 0 || figures == NULL)
        goto out;
    if (make_figures(run, figures) != 0)
        goto out;
    size_t mode = table_add_column(table, "mode", true, 0);
    for (unsigned i = 0; i < run->n_cases; i++)
        text_printable(run->cases[i].label, table_cell(table, i, mode), TABLE_CELL);
    add_knob_columns(run, table);
    if (report->settings->is_events) {
        add_event_columns(run, figures, table);
    } else {
        add_rate_columns(run, figures, table);
        add_time_columns(run, figures, table);
    }
    bool is_events = report->settings->is_events;
    if (is_events)
        add_metric_column(run, figures, table, "CPU", 3, METRIC_CPU_RATIO, print_percent);
    if (report->settings->is_stream || is_events)
        add_metric_column(run, figures, table, "waited", 2, METRIC_WAITED_RATIO, print_percent);
    add_metric_column(run, figures, table, is_events ? "writer" : "sender", 2,
                      METRIC_PEER_CPU_RATIO, print_percent);
    if (is_events)
        add_wait_columns(run, figures, table);
    if (may_lose(report))
        add_metric_column(run, figures, table, "lost", 0, METRIC_LOST_RATIO, print_percent);
    if (!is_events)
        add_size_columns(run, table);
    add_latency_columns(run, table);
    add_metric_column(run, figures, table, "calls", 6, METRIC_CALLS_PER_PASS, units_count);
    add_metric_column(run, figures, table, "faults", 6, METRIC_MINOR_FAULTS_PER_PASS, units_count);
    add_metric_column(run, figures, table, "switches", 8, METRIC_SWITCHES_PER_PASS, units_count);
    add_metric_column(run, figures, table, "memory", 9, METRIC_PEAK_RSS_BYTES, print_rounded_size);
    if (verbose)
        add_metric_column(run, figures, table, "a call", 9, METRIC_BYTES_PER_CALL, print_size);
    add_metric_column(run, figures, table, "storage", 9, METRIC_STORAGE_READ_BYTES_PER_PASS,
                      print_size);
    status = add_against_column(run, table);
    table_hide_silent(table);
out:
    free(figures);
    if (status != 0)
        table_free(table);
    return status;
}
