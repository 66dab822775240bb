/* OpenMetrics text: medians of all metrics, as gauges. Names follow the keys of the JSON, in base
 * units (seconds), as the format asks:
 * https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md */
#include "config.h"

#include "report/json_value.h"
#include "report/metric.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Escapes as the format asks: backslash, quote, newline; and it must be UTF-8. */
static void put_label_value(FILE *out, const char *text)
{
    char *fixed = json_utf8(text);
    for (const char *s = fixed; s != NULL && *s != '\0'; s++) {
        if (*s == '\\' || *s == '"')
            fputc('\\', out);
        if (*s == '\n')
            fputs("\\n", out);
        else
            fputc(*s, out);
    }
    free(fixed);
}

/* A name in base units from a key of the JSON, and the factor that goes with it. */
struct gauge {
    char name[96];
    const char *unit; /* "" : none */
    double factor;
};

static void name_gauge(const char *key, struct gauge *gauge)
{
    const char *ns = strstr(key, "_ns");
    bool has_time = ns != NULL && (ns[3] == '\0' || ns[3] == '_');
    gauge->factor = has_time ? 1e-9 : 1;
    if (has_time)
        snprintf(gauge->name, sizeof gauge->name, "iobench_%.*s%s_seconds", (int)(ns - key), key,
                 ns + 3);
    else if (strcmp(key, "bytes_per_s") == 0)
        snprintf(gauge->name, sizeof gauge->name, "iobench_throughput_bytes_per_second");
    else
        snprintf(gauge->name, sizeof gauge->name, "iobench_%s", key);
    size_t length = strlen(gauge->name);
    gauge->unit = has_time                                                        ? "seconds"
                  : length > 6 && strcmp(gauge->name + length - 6, "_ratio") == 0 ? "ratio"
                  : length > 6 && strcmp(gauge->name + length - 6, "_bytes") == 0 ? "bytes"
                  : strcmp(key, "bytes_per_s") == 0 ? "bytes_per_second"
                                                    : "";
}

static void put_family(const struct report *report, enum metric_id metric, double *work, FILE *out)
{
    struct gauge gauge;
    name_gauge(metrics[metric].key, &gauge);
    fprintf(out, "# TYPE %s gauge\n", gauge.name);
    if (*gauge.unit != '\0')
        fprintf(out, "# UNIT %s %s\n", gauge.name, gauge.unit);
    fprintf(out, "# HELP %s %s\n", gauge.name, metrics[metric].help);
    for (unsigned i = 0; i < report->run->n_cases; i++) {
        struct summary s;
        metric_summary(report->run, i, metric, work, &s);
        if (report->run->cases[i].status != CASE_OK || isnan(s.median))
            continue;
        fprintf(out, "%s{id=\"", gauge.name);
        put_label_value(out, report->run->cases[i].id);
        fputs("\",mode=\"", out);
        put_label_value(out, report->run->cases[i].mode);
        fprintf(out, "\"} %.15g\n", s.median * gauge.factor);
    }
}

int report_openmetrics(const struct report *report, FILE *out, struct err *err)
{
    double *work = malloc((report->run->samples.n + 1) * sizeof *work);
    if (work == NULL)
        return err_set(err, errno, "cannot write the metrics");
    for (int m = 0; m < METRICS; m++)
        put_family(report, (enum metric_id)m, work, out);
    fputs("# EOF\n", out);
    free(work);
    return 0;
}
