/* Google Benchmark's JSON, so that its tools/compare.py can read two runs: each trial is a
 * repetition of an iteration, which is a pass, and mean, median and stddev stand beside them as
 * aggregates. https://github.com/google/benchmark/blob/main/docs/user_guide.md (Output Formats),
 * https://github.com/google/benchmark/blob/main/tools/gbench/report.py (what is read of it).
 *
 * A case that was not measured is left out: the format has a place for its error, but compare.py
 * takes the missing time for one. So is a trial whose processor time is not known. */
#include "config.h"

#include "report/json_value.h"
#include "report/metric.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *make_context(struct json_document *d, const struct report *r)
{
    const struct host *h = r->host;
    json_t *o = json_object();
    json_put(d, o, "date", json_time(r->started_at));
    json_put(d, o, "executable", json_string("iobench"));
    if (h->usable_cpus > 0)
        json_put(d, o, "num_cpus", json_count(h->usable_cpus));
    if (h->governor[0] != '\0')
        json_put(d, o, "cpu_scaling_enabled",
                 json_boolean(strcmp(h->governor, "performance") != 0));
    json_put(d, o, "caches", json_array());
    json_t *load = json_array();
    if (isfinite(h->load_1m))
        json_append(d, load, json_number(h->load_1m));
    json_put(d, o, "load_avg", load);
    /* what users add by --benchmark_context is text */
    json_put(d, o, "iobench_version", json_text(r->version));
    json_put(d, o, "iobench_command", json_text(r->command));
    json_put(d, o, "kernel", json_text(h->kernel));
    json_put(d, o, "cpu_model", json_text(h->cpu_model));
    return o;
}

/* A run of a case: what all entries have. */
struct entry {
    const struct run_case *of;
    size_t index, repetitions;
};

static json_t *make_entry(struct json_document *d, const struct entry *e, const char *name,
                          const char *type)
{
    json_t *o = json_object();
    bool has_threads = e->of->knobs & KNOB_BIT(KNOB_THREADS);
    json_put(d, o, "name", json_text(name));
    json_put(d, o, "family_index", json_count(e->index));
    json_put(d, o, "per_family_instance_index", json_integer(0));
    json_put(d, o, "run_name", json_text(e->of->id));
    json_put(d, o, "run_type", json_string(type));
    json_put(d, o, "repetitions", json_count(e->repetitions));
    json_put(d, o, "threads",
             has_threads ? json_count(e->of->params.value[KNOB_THREADS]) : json_integer(1));
    return o;
}

static void put_times(struct json_document *d, json_t *o, uint64_t iterations, double real,
                      double cpu)
{
    json_put(d, o, "iterations", json_count(iterations));
    json_put(d, o, "real_time", json_number(real));
    json_put(d, o, "cpu_time", json_number(cpu));
    json_put(d, o, "time_unit", json_string("ns"));
}

static double cpu_of(const struct sample *s)
{
    return metrics[METRIC_CPU_NS_PER_PASS].value(s);
}

static bool is_told(const struct sample *s, unsigned index)
{
    return s->case_index == index && sample_counts(s) && isfinite(cpu_of(s)) &&
           isfinite(sample_wall_ns_per_pass(s));
}

static json_t *make_trial(struct json_document *d, const struct entry *e, const struct sample *s,
                          size_t repetition)
{
    json_t *o = make_entry(d, e, e->of->id, "iteration");
    json_put(d, o, "repetition_index", json_count(repetition));
    put_times(d, o, s->passes, sample_wall_ns_per_pass(s), cpu_of(s));
    static const struct {
        const char *key;
        enum metric_id metric;
    } counters[] = {{"bytes_per_second", METRIC_BYTES_PER_S},
                    {"items_per_second", METRIC_EVENTS_PER_S}};
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        double value = metrics[counters[i].metric].value(s);
        if (isfinite(value))
            json_put(d, o, counters[i].key, json_number(value));
    }
    return o;
}

static void append_aggregates(struct json_document *d, json_t *array, const struct entry *e,
                              const struct summary *wall, const struct summary *cpu)
{
    const struct {
        const char *name;
        double wall, cpu;
    } aggregates[] = {{"mean", wall->mean, cpu->mean},
                      {"median", wall->median, cpu->median},
                      {"stddev", wall->stddev, cpu->stddev}};
    for (size_t i = 0; i < sizeof aggregates / sizeof aggregates[0]; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s_%s", e->of->id, aggregates[i].name) < 0) {
            d->broken = true;
            return;
        }
        json_t *o = make_entry(d, e, name, "aggregate");
        json_put(d, o, "aggregate_name", json_string(aggregates[i].name));
        json_put(d, o, "aggregate_unit", json_string("time"));
        put_times(d, o, e->repetitions, aggregates[i].wall, aggregates[i].cpu);
        json_append(d, array, o);
        free(name);
    }
}

static void append_case(struct json_document *d, json_t *array, const struct run *run,
                        unsigned index, double *walls, double *cpus)
{
    struct entry e = {&run->cases[index], index, 0};
    struct summary wall, cpu;
    if (e.of->status != CASE_OK)
        return;
    for (size_t i = 0; i < run->samples.n; i++)
        if (is_told(&run->samples.items[i], index)) {
            walls[e.repetitions] = sample_wall_ns_per_pass(&run->samples.items[i]);
            cpus[e.repetitions++] = cpu_of(&run->samples.items[i]);
        }
    for (size_t i = 0, n = 0; i < run->samples.n; i++)
        if (is_told(&run->samples.items[i], index))
            json_append(d, array, make_trial(d, &e, &run->samples.items[i], n++));
    summarize(walls, e.repetitions, &wall);
    summarize(cpus, e.repetitions, &cpu);
    if (e.repetitions > 1)
        append_aggregates(d, array, &e, &wall, &cpu);
}

int report_gbench(const struct report *report, FILE *out, struct err *err)
{
    const struct run *run = report->run;
    struct json_document d = {false};
    double *work = malloc(2 * (run->samples.n + 1) * sizeof *work);
    if (work == NULL)
        return err_set(err, errno, "cannot write the benchmarks");
    json_t *document = json_object(), *benchmarks = json_array();
    for (unsigned i = 0; i < run->n_cases; i++)
        append_case(&d, benchmarks, run, i, work, work + run->samples.n + 1);
    json_put(&d, document, "context", make_context(&d, report));
    json_put(&d, document, "benchmarks", benchmarks);
    free(work);
    return json_finish(&d, document, out, err);
}
