/* CSV: one row a trial (RFC 4180, but lines end in \n). */
#include "config.h"

#include "report/escape.h"
#include "report/report.h"

#include <inttypes.h>

/* An empty field stands for what was not measured. */
static void put_count(FILE *out, uint64_t value)
{
    fputc(',', out);
    if (value != UNKNOWN)
        fprintf(out, "%" PRIu64, value);
}

static void put_params(FILE *out, const struct run_case *c, knob_set knobs)
{
    char text[PARAM_TEXT];
    for (int k = 0; k < KNOBS; k++) {
        if (!(knobs & KNOB_BIT(k)))
            continue;
        fputc(',', out);
        if (c->knobs & KNOB_BIT(k) && c->params.value[k] != PARAM_NONE)
            fputs(params_text((enum knob)k, c->params.value[k], text), out);
    }
}

/* What only services have. */
static void put_service(FILE *out, const struct sample *s)
{
    for (int k = 0; k < COUNTERS; k++)
        if (counter_info[k].by & COUNTED_BY_SERVICES)
            put_count(out, s->counter[k]);
    put_count(out, s->has_peer ? s->peer.cpu_ns : UNKNOWN);
}

static void put_trial(FILE *out, const struct run_case *c, const struct sample *s,
                      const struct settings *settings)
{
    escape_csv(c->id, out);
    fputc(',', out);
    escape_csv(c->mode, out);
    put_params(out, c, settings->knobs);
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%s,%s", s->round, s->position,
            s->warmup ? "true" : "false", s->complete ? "true" : "false");
    const uint64_t counts[] = {s->passes,
                               s->bytes,
                               s->calls,
                               s->short_calls,
                               s->wall_ns,
                               s->cpu_ns,
                               s->setup_ns,
                               s->peak_rss_bytes,
                               s->peak_rss_anon_bytes,
                               s->cpu >= 0 ? (uint64_t)s->cpu : UNKNOWN,
                               s->minor_faults,
                               s->major_faults,
                               s->voluntary_switches,
                               s->involuntary_switches,
                               s->block_inputs,
                               s->storage_read_bytes};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        put_count(out, counts[i]);
    if (settings->is_service)
        put_service(out, s);
    fputc('\n', out);
}

static void put_service_header(const struct settings *settings, FILE *out)
{
    for (int k = 0; settings->is_service && k < COUNTERS; k++)
        if (counter_info[k].by & COUNTED_BY_SERVICES)
            fprintf(out, ",%s", counter_info[k].key);
    fputs(settings->is_service ? ",peer_cpu_ns\n" : "\n", out);
}

int report_csv(const struct report *report, FILE *out, struct err *err)
{
    (void)err;
    fputs("id,mode", out);
    for (int k = 0; k < KNOBS; k++)
        if (report->settings->knobs & KNOB_BIT(k))
            fprintf(out, ",param_%s", knob_info[k].key); /* bytes is a count as well */
    fputs(",round,position,warmup,complete,passes,bytes,calls,short_calls,wall_ns,cpu_ns,setup_ns,"
          "peak_rss_bytes,peak_rss_anon_bytes,cpu,minor_faults,major_faults,voluntary_switches,"
          "involuntary_switches,block_inputs,storage_read_bytes",
          out);
    put_service_header(report->settings, out);
    for (size_t i = 0; i < report->run->samples.n; i++) {
        const struct sample *sample = &report->run->samples.items[i];
        put_trial(out, &report->run->cases[sample->case_index], sample, report->settings);
    }
    return 0;
}
