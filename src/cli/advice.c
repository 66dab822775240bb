#include "config.h"

#include "cli/advice.h"

#include "base/units.h"
#include "report/json_value.h"
#include "report/metric.h"
#include "report/service_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative standard deviation from which a figure is marked as wide. */
#define WIDE_SPREAD 0.10
#define HIGH_STEAL 0.01
/* Two ends that use more of the processors than this take them from each other. */
#define CROWDED 0.9

static void advise_on_cases(struct run *run)
{
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        bool wrong = c->status == CASE_FAILED || c->status == CASE_INVALID;
        if (wrong || (c->status == CASE_SKIPPED && c->named))
            notes_add(&run->errors, c->code, NULL, "%s: %s: %s", c->label,
                      case_status_name(c->status), c->reason != NULL ? c->reason : "out of memory");
    }
}

static void advise_on_ratios(struct run *run, bool by_rounds)
{
    int baseline = run_baseline(run);
    bool unsettled = false;
    for (unsigned i = 0; baseline >= 0 && i < run->n_cases; i++) {
        struct ratio ratio;
        struct err err = {0};
        if ((int)i == baseline || run->cases[i].status != CASE_OK ||
            run_compare(run, i, (unsigned)baseline, run_confidence(run), &ratio, &err) != 0)
            continue;
        unsettled |= ratio.verdict == VERDICT_INCONCLUSIVE;
        if (ratio.drifts)
            notes_add(&run->warnings, "ratio_drifts", NULL,
                      "the ratio of %s to %s wandered while this ran: its interval was widened",
                      run->cases[i].id, run->cases[baseline].id);
    }
    if (run->cut_short && unsettled)
        notes_add(&run->warnings, "cut_short", NULL,
                  "a comparison is open after %u round%s: more of them (%s) may settle it",
                  run->rounds, run->rounds == 1 ? "" : "s",
                  by_rounds ? "--rounds" : "--time-limit=1m");
}

/* One warning for all: on a restless machine it is many cases at once. */
static void advise_on_spread(struct run *run, double *work)
{
    char list[400];
    size_t used = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        struct summary s;
        metric_summary(run, i, METRIC_WALL_NS_PER_PASS, work, &s);
        if (run->cases[i].status != CASE_OK || s.n < 6 || s.stddev / s.mean <= WIDE_SPREAD ||
            used + 100 > sizeof list)
            continue;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%.60s %.0f %%",
                             used > 0 ? ", " : "", run->cases[i].label, 100 * s.stddev / s.mean);
    }
    if (used > 0)
        notes_add(&run->warnings, "wide_spread", NULL,
                  "trials spread by more than %.0f %% (standard deviation: %s): throughputs are "
                  "rough; ratios are paired by round and hold better",
                  100 * WIDE_SPREAD, list);
}

/* A warm case that fetches from storage was not warm; cold and direct ones are meant to. */
static void advise_on_storage(struct run *run, double *work)
{
    char list[300];
    size_t used = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        struct summary s;
        metric_summary(run, i, METRIC_STORAGE_READ_BYTES_PER_PASS, work, &s);
        bool meant = c->params.value[KNOB_CACHE] == CACHE_COLD || strcmp(c->mode, "direct") == 0;
        if (c->status == CASE_OK && s.median > 0 && !meant && used + 80 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s",
                                     used > 0 ? ", " : "", c->label);
    }
    if (used > 0)
        notes_add(&run->warnings, "storage_read", NULL,
                  "the page cache did not hold what was read: %s measured the storage as well",
                  list);
}

static void advise_on_source(const struct report *report, struct run *run)
{
    const struct settings *settings = report->settings;
    uint64_t limit = settings->knob_values[KNOB_BYTES][0];
    uint64_t offset = settings->knob_values[KNOB_OFFSET][0];
    for (size_t i = 0; i < report->source->n; i++) {
        const struct source_file *file = &report->source->files[i];
        uint64_t begin = offset + file->skip_bytes;
        uint64_t left = file->size_bytes > begin ? file->size_bytes - begin : 0;
        if (file->size_bytes != UNKNOWN && limit != PARAM_NONE && left < limit)
            notes_add(&run->warnings, "short_source", file->path,
                      "'%s' holds only %" PRIu64 " bytes from there on, not %" PRIu64, file->path,
                      left, limit);
        else if (file->size_bytes != UNKNOWN && offset > 0 && left == 0)
            notes_add(&run->warnings, "short_source", file->path,
                      "'%s' ends before the offset: nothing of it is read", file->path);
        if (file->once)
            notes_add(&run->warnings, "read_once", file->path,
                      "'%s' can be read only once: one trial, nothing to verify it with",
                      file->path);
        if (!json_is_utf8(file->path))
            notes_add(&run->warnings, "not_utf8", file->path,
                      "a file name is not UTF-8: JSON shows its bytes as characters");
    }
}

/* On loopback it changes the figure by half whether two ends share a processor. */
static void advise_on_placement(struct run *run)
{
    for (unsigned i = 0; i < run->n_cases; i++) {
        unsigned together = 0, apart = 0;
        for (size_t j = 0; j < run->samples.n; j++) {
            const struct sample *s = &run->samples.items[j];
            if (s->case_index != i || !sample_counts(s) || !s->has_peer || s->cpu < 0 ||
                s->peer.cpu < 0)
                continue;
            together += s->cpu == s->peer.cpu;
            apart += s->cpu != s->peer.cpu;
        }
        if (together > 0 && apart > 0) {
            notes_add(&run->warnings, "placement_changed", NULL,
                      "the two ends shared a processor in some trials and not in others (%s: %u "
                      "of %u): --place=same or --place=apart keeps them where they are",
                      run->cases[i].label, together, together + apart);
            return;
        }
    }
}

/* What print says of the facts; the caller frees the text. NULL when out of memory. */
static char *tell(const struct service_facts *facts,
                  void (*print)(const struct service_facts *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    print(facts, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void print_unconnected(const struct service_facts *facts, FILE *out)
{
    service_print_errors(&facts->connect_errors, out);
}

/* A figure of a load that was not served as it asked is not the figure that was asked for. */
static void advise_on_requests(struct run *run)
{
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        struct service_facts f;
        service_facts(run, i, &f);
        if (c->status != CASE_OK)
            continue; /* it says why */
        uint64_t failed = service_failed(&f);
        uint64_t asked = f.counter[COUNTER_ASKED], made = f.counter[COUNTER_ESTABLISHED];
        char *kinds = failed > 0 ? tell(&f, service_print_failed) : NULL;
        char *reasons = asked > made ? tell(&f, print_unconnected) : NULL;
        if (kinds != NULL)
            notes_add(&run->errors, "requests_failed", NULL, "%s: %" PRIu64 " requests failed: %s",
                      c->label, failed, kinds);
        if (reasons != NULL)
            notes_add(&run->errors, "connections_failed", NULL,
                      "%s: %" PRIu64 " connections were not made: %s", c->label, asked - made,
                      reasons);
        free(kinds);
        free(reasons);
    }
}

static void advise_on_crowding(const struct report *report, struct run *run)
{
    for (unsigned i = 0; i < run->n_cases && report->host->usable_cpus > 0; i++) {
        struct service_facts f;
        service_facts(run, i, &f);
        if (f.cpu_ns == UNKNOWN || f.peer_cpu_ns == UNKNOWN || f.peer_workers == 0)
            continue;
        double room = (double)f.wall_ns * (double)report->host->usable_cpus;
        double used = (double)f.cpu_ns + (double)f.peer_cpu_ns;
        if (used <= CROWDED * room)
            continue;
        notes_add(&run->warnings, "shared_cpus", NULL,
                  "server and load share the processors that both need (%s: %.0f %% of %" PRIu64
                  " processors were in use): a load from another host (--connect) has its own",
                  run->cases[i].label, 100 * used / room, (uint64_t)report->host->usable_cpus);
        return;
    }
}

static void advise_on_host(const struct report *report, struct run *run)
{
    if (report->host->steal_ratio > HIGH_STEAL)
        notes_add(&run->warnings, "steal", NULL,
                  "the hypervisor took %.0f %% of the processor time away meanwhile",
                  100 * report->host->steal_ratio);
}

void advice_add(const struct report *report, struct run *run)
{
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    advise_on_cases(run);
    advise_on_source(report, run);
    advise_on_ratios(run, report->settings->rounds > 0);
    if (work != NULL) {
        advise_on_spread(run, work);
        advise_on_storage(run, work);
    }
    advise_on_placement(run);
    if (report->settings->is_service) {
        advise_on_requests(run);
        advise_on_crowding(report, run);
    }
    advise_on_host(report, run);
    free(work);
}
