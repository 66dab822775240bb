/* OpenMetrics text: medians of all metrics, as gauges. Names follow the keys of the JSON, in base
 * units (seconds), as the format asks:
 * https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md */
#include "config.h"

#include "report/escape.h"
#include "report/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A name in base units from a key of the JSON, and the factor that goes with it. */
struct gauge {
    char name[96];
    const char *unit; /* "" : none */
    double factor;
};

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), n = strlen(ending);
    return length > n && strcmp(text + length - n, ending) == 0;
}

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
        snprintf(gauge->name, sizeof gauge->name, "iobench_%s%s", key,
                 ends_in(key, "_per_s") ? "econd" : "");
    gauge->unit = has_time                          ? "seconds"
                  : ends_in(gauge->name, "_ratio")  ? "ratio"
                  : ends_in(gauge->name, "_bytes")  ? "bytes"
                  : strcmp(key, "bytes_per_s") == 0 ? "bytes_per_second"
                                                    : "";
}

static void put_type(const struct gauge *gauge, const char *help, FILE *out)
{
    fprintf(out, "# TYPE %s gauge\n", gauge->name);
    if (*gauge->unit != '\0')
        fprintf(out, "# UNIT %s %s\n", gauge->name, gauge->unit);
    fprintf(out, "# HELP %s %s\n", gauge->name, help);
}

/* A family that no case has is left out. */
static void put_family(const struct report *report, unsigned which, double *work, FILE *out)
{
    bool any = false;
    for (unsigned i = 0; i < report->run->n_cases; i++) {
        const struct run_case *c = &report->run->cases[i];
        struct figure f;
        struct gauge gauge;
        if (!figure_of(report->run, i, which, work, &f))
            continue;
        name_gauge(f.key, &gauge);
        if (!any)
            put_type(&gauge, f.help, out);
        any = true;
        fprintf(out, "%s{id=\"", gauge.name);
        escape_label(c->id, out);
        fputs("\",mode=\"", out);
        escape_label(c->mode, out);
        fprintf(out, "\"} %.15g\n", f.value * gauge.factor);
    }
}

int report_openmetrics(const struct report *report, FILE *out, struct err *err)
{
    double *work = figure_room(report->run);
    if (work == NULL)
        return err_set(err, errno, "cannot write the metrics");
    for (unsigned which = 0; which < FIGURES; which++)
        put_family(report, which, work, out);
    fputs("# EOF\n", out);
    free(work);
    return 0;
}
