#include "config.h"

#include "base/text.h"
#include "base/units.h"
#include "report/findings_service.h"
#include "report/metric.h"
#include "report/model.h"
#include "report/overview.h"
#include "report/service_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A few sentences are read; more are not. */
enum { MOST_PAIRS = 3 };

struct ranked {
    unsigned index;
    double cost;
};

static int by_cost(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* The measured cases that deliver bytes, fastest first. */
static size_t rank(const struct run *run, struct ranked *ranked, double *work)
{
    size_t n = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        struct summary s;
        summarize(work, run_values(run, i, run_cost(run), work), &s);
        if (run->cases[i].status == CASE_OK && s.n > 0 && !run->cases[i].keeps_bytes)
            ranked[n++] = (struct ranked){i, s.median};
    }
    qsort(ranked, n, sizeof *ranked, by_cost);
    return n;
}

/* "sysread", or with its block size where there are several sysreads. */
static const char *name_of(const struct run *run, unsigned index, char text[96])
{
    const struct run_case *c = &run->cases[index];
    bool alone = true;
    for (unsigned i = 0; i < run->n_cases; i++)
        alone &= i == index || strcmp(run->cases[i].label, c->label) != 0;
    const char *last = strrchr(c->id, '/');
    bool has_params = last != NULL && strchr(last, '=') != NULL;
    char name[192];
    snprintf(name, sizeof name, "%.90s%s%.90s", c->label, alone || !has_params ? "" : " with ",
             alone || !has_params ? "" : last + 1);
    return text_printable(name, text, 96);
}

static void print_percent_range(FILE *out, const struct ratio *r)
{
    double middle = 100 * (r->ratio - 1), low = 100 * (r->low - 1), high = 100 * (r->high - 1);
    if (middle < 100)
        fprintf(out, "%.1f %% (%.1f .. %.1f)", middle, low, high);
    else
        fprintf(out, "%.3g times (%.3g .. %.3g)", r->ratio, r->low, r->high);
}

static void print_same(FILE *out, const char *a, const char *b, const struct run *run)
{
    fprintf(out, "%s and %s are the same within %g %%.\n", a, b, 100 * run->delta);
}

static void print_unsettled(FILE *out, const char *a, const char *b, const struct ratio *r)
{
    if (isnan(r->low))
        fprintf(out, "%zu round%s %s too few for an interval.\n", r->n, r->n == 1 ? "" : "s",
                r->n == 1 ? "is" : "are");
    else
        fprintf(out, "%s and %s were not told apart (ratio %.3f .. %.3f).\n", a, b, r->low,
                r->high);
}

/* What the fastest has over the next, and which neighbours are the same. */
static int print_ranking(const struct run *run, const struct ranked *ranked, size_t n, FILE *out,
                         struct err *err)
{
    for (size_t i = 0; i + 1 < n && i < MOST_PAIRS; i++) {
        struct ratio r;
        char a[96], b[96];
        if (run_compare(run, ranked[i + 1].index, ranked[i].index, run_confidence(run), &r, err) !=
            0)
            return -1;
        name_of(run, ranked[i].index, a);
        name_of(run, ranked[i + 1].index, b);
        if (r.verdict == VERDICT_SAME) {
            print_same(out, a, b, run);
        } else if (r.verdict != VERDICT_SLOWER) {
            print_unsettled(out, a, b, &r);
            if (isnan(r.low))
                return 0;
        } else if (i == 0) {
            fprintf(out,
                    run->by_cpu ? "%s takes the least processor time here, "
                                : "%s is the fastest here, ",
                    a);
            print_percent_range(out, &r);
            fprintf(out, " ahead of %s.\n", b);
        }
    }
    return 0;
}

static int print_against_baseline(const struct run *run, unsigned baseline,
                                  const struct ranked *ranked, size_t n, FILE *out, struct err *err)
{
    char base[96], name[96];
    name_of(run, baseline, base);
    for (size_t i = 0; i < n; i++) {
        struct ratio r;
        if (ranked[i].index == baseline)
            continue;
        if (run_compare(run, ranked[i].index, baseline, run_confidence(run), &r, err) != 0)
            return -1;
        name_of(run, ranked[i].index, name);
        if (r.verdict == VERDICT_SAME) {
            print_same(out, name, base, run);
        } else if (r.verdict == VERDICT_INCONCLUSIVE) {
            print_unsettled(out, name, base, &r);
            if (isnan(r.low))
                return 0;
        } else {
            bool faster = r.verdict == VERDICT_FASTER;
            struct ratio turned = r;
            if (faster)
                turned = (struct ratio){.ratio = 1 / r.ratio, .low = 1 / r.high, .high = 1 / r.low};
            fprintf(out, "%s is ", name);
            print_percent_range(out, &turned);
            fprintf(out, " %s than %s.\n", faster ? "faster" : "slower", base);
        }
    }
    return 0;
}

/* The fastest strategy that delivers its bytes with the cache in that state. */
static const struct ranked *best_strategy(const struct run *run, const struct ranked *ranked,
                                          size_t n, uint64_t cache)
{
    for (size_t i = 0; i < n; i++) {
        const struct run_case *c = &run->cases[ranked[i].index];
        if (c->kind == CASE_STRATEGY && !c->keeps_bytes && c->params.value[KNOB_CACHE] == cache)
            return &ranked[i];
    }
    return NULL;
}

/* "cat reaches 4 % of what sysread reaches; 76 % of its time is user time": for the user's own
 * commands, beside the fastest strategy. */
static void print_commands(const struct run *run, const struct ranked *ranked, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct run_case *c = &run->cases[ranked[i].index];
        const struct ranked *best = best_strategy(run, ranked, n, c->params.value[KNOB_CACHE]);
        char name[96], best_name[96];
        if (c->kind != CASE_EXEC || best == NULL)
            continue;
        fprintf(out, "%s reaches %.0f %% of what %s reaches", name_of(run, ranked[i].index, name),
                100 * best->cost / ranked[i].cost, name_of(run, best->index, best_name));
        if (c->has_profile && c->profile.wall_ns > 0)
            fprintf(out, "; %.0f %% of its time is user time, %.0f %% system time",
                    100 * (double)c->profile.user_ns / (double)c->profile.wall_ns,
                    100 * (double)c->profile.system_ns / (double)c->profile.wall_ns);
        fputs(".\n", out);
    }
}

/* Those that move bytes past user space are a limit, and no competitors. */
static void print_limits(const struct run *run, FILE *out)
{
    const char *separator = "";
    for (unsigned i = 0; i < run->n_cases; i++) {
        bool again = false;
        for (unsigned j = 0; j < i; j++)
            again |= strcmp(run->cases[j].mode, run->cases[i].mode) == 0;
        if (run->cases[i].status != CASE_OK || !run->cases[i].keeps_bytes || again)
            continue;
        fprintf(out, "%s%s", separator, run->cases[i].mode);
        separator = ", ";
    }
    if (*separator != '\0')
        fputs(": no byte reached user space; a limit to compare with, no way of reading.\n", out);
}

/* A case that waited for its other end says more about that than about itself. */
static void print_peer_limited(const struct report *report, FILE *out)
{
    const struct run *run = report->run;
    const struct settings *set = report->settings;
    const char *peer = set->is_events ? "writer" : set->is_service ? "load" : "sender";
    unsigned limited = 0, measured = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        if (run->cases[i].status != CASE_OK)
            continue;
        measured++;
        limited += run_peer_limited(run, i) > 0;
    }
    if (limited == 0 || run->by_cpu) /* the load was given */
        return;
    if (limited == measured) {
        fprintf(out, "The %s was the limit: these figures are its speed.\n", peer);
        return;
    }
    fprintf(out, "The %s was the limit of ", peer);
    const char *separator = "";
    for (unsigned i = 0; i < run->n_cases; i++) {
        char name[96];
        if (run->cases[i].status != CASE_OK || run_peer_limited(run, i) <= 0)
            continue;
        fprintf(out, "%s%s", separator, name_of(run, i, name));
        separator = ", ";
    }
    fprintf(out, ": %s the %s's speed.\n", limited == 1 ? "its figure is" : "their figures are",
            peer);
}

static void print_symbols(const struct run *run, FILE *out)
{
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        char name[96];
        for (size_t j = 0; j < c->n_symbols; j++)
            fprintf(out, "%s%s%.0f %% %s%s", j == 0 ? name_of(run, i, name) : "",
                    j == 0 ? " spends " : ", ", 100 * c->symbols[j].share, c->symbols[j].name,
                    j + 1 == c->n_symbols ? ".\n" : "");
    }
}

static const char *verb(const struct report *report, const char *file, const char *stream,
                        const char *sender)
{
    if (report->settings->sends)
        return sender;
    return report->settings->is_stream ? stream : file;
}

/* Of a sender elsewhere we know only how long we waited for it. */
static void print_waiting(const struct report *report, unsigned index, double *work, FILE *out)
{
    struct summary s;
    char name[96];
    const struct settings *set = report->settings;
    metric_summary(report->run, index, METRIC_WAITED_RATIO, work, &s);
    if (set->sends || (set->connect == NULL && set->listen == NULL) || !(s.median > 0.1))
        return;
    fprintf(out,
            "%s waited %.0f %% of the time: the sender was the limit, and these figures are "
            "its speed.\n",
            name_of(report->run, index, name), 100 * s.median);
}

static void print_lone(const struct report *report, unsigned index, double *work, FILE *out)
{
    const struct run *run = report->run;
    struct summary s;
    char name[96], rate[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], time[UNITS_TEXT];
    name_of(run, index, name);
    if (report->settings->is_events) {
        metric_summary(run, index, METRIC_EVENTS_PER_S, work, &s);
        fprintf(out, "%s serves %s events a second here.\n", name, units_count(rate, s.median));
        return;
    }
    if (report->settings->is_service) {
        metric_summary(run, index, METRIC_REQUESTS_PER_S, work, &s);
        if (s.n > 0 && !service_text_wanted(report)) /* that says it all */
            fprintf(out, "%s serves %s requests a second here.\n", name,
                    units_count(rate, s.median));
        return;
    }
    metric_summary(run, index, METRIC_BYTES_PER_S, work, &s);
    if (s.n == 0) {
        metric_summary(run, index, METRIC_WALL_NS_PER_PASS, work, &s);
        fprintf(out, "%s takes %s for nothing: there is nothing to read.\n", name,
                units_time(time, s.median));
        return;
    }
    fprintf(out, "%s %s %s here", name, verb(report, "reads", "receives", "sends"),
            units_rate(rate, s.median));
    if (s.n > 1)
        fprintf(out, " (middle 80 %% of %zu trials: %s .. %s)", s.n,
                units_rate_like(low, s.p10, s.median), units_rate_like(high, s.p90, s.median));
    fputs(".\n", out);
    print_waiting(report, index, work, out);
}

static void print_absentees(const struct run *run, FILE *out)
{
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        char name[96], reason[500];
        if (c->status != CASE_OK)
            fprintf(out, "%s: %s: %s.\n", name_of(run, i, name), case_status_name(c->status),
                    text_printable(c->reason != NULL ? c->reason : "out of memory", reason,
                                   sizeof reason));
    }
}

/* What was moved by trials that a signal or the clock cut off, when nothing else was. */
static void print_unfinished(const struct report *report, FILE *out)
{
    const struct run *run = report->run;
    for (size_t i = 0; i < run->samples.n; i++) {
        const struct sample *s = &run->samples.items[i];
        char name[96], size[UNITS_TEXT], time[UNITS_TEXT];
        if (!s->complete && run->cases[s->case_index].kind == CASE_STRATEGY)
            fprintf(out, "%s had %s %s in %s when its trial was cut off.\n",
                    name_of(run, s->case_index, name), verb(report, "read", "received", "sent"),
                    units_size(size, s->bytes), units_time(time, (double)s->wall_ns));
    }
}

int overview_findings(const struct report *report, FILE *out, struct err *err)
{
    const struct run *run = report->run;
    struct ranked *ranked = calloc(run->n_cases + 1, sizeof *ranked);
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    int status = 0;
    if (ranked == NULL || work == NULL) {
        status = err_set(err, errno, "cannot rank %u cases", run->n_cases);
        goto out;
    }
    size_t n = rank(run, ranked, work);
    int baseline = run_baseline(run);
    if (model_wanted(run))
        status = 0; /* files of different sizes are no match */
    else if (n == 1)
        print_lone(report, ranked[0].index, work, out);
    else if (run->baseline >= 0 && baseline >= 0)
        status = print_against_baseline(run, (unsigned)baseline, ranked, n, out, err);
    else
        status = print_ranking(run, ranked, n, out, err);
    if (n > 1 && run->cases[ranked[0].index].caveat != NULL)
        fprintf(out, "%s\n", run->cases[ranked[0].index].caveat);
    print_commands(run, ranked, n, out);
    print_peer_limited(report, out);
    if (report->settings->is_service)
        findings_service(report, n > 0 ? (int)ranked[0].index : -1, name_of, out);
    print_symbols(run, out);
    if (status == 0)
        status = model_print(run, out, err);
    print_limits(run, out);
    print_unfinished(report, out);
    print_absentees(run, out);
out:
    free(ranked);
    free(work);
    return status;
}
