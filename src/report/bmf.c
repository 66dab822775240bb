/* Bencher Metric Format: for each case an object of measures, each with its value and, where it has
 * one, the range. The trials' median stands with their 10th and 90th percentiles.
 * https://bencher.dev/docs/reference/bencher-metric-format (its schema:
 * https://bencher.dev/bmf.json) */
#include "config.h"

#include "report/bmf.h"

#include "report/figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void bmf_put(struct json_document *d, json_t *measures, const char *key, double value, double low,
             double high)
{
    char slug[64]; /* of a measure: at most so long, and with hyphens */
    json_t *o = json_object();
    size_t n = 0;
    for (; key[n] != '\0' && n + 1 < sizeof slug; n++)
        slug[n] = key[n] == '_' ? '-' : key[n];
    slug[n] = '\0';
    json_put(d, o, "value", json_number(value));
    if (isfinite(low) && isfinite(high)) {
        json_put(d, o, "lower_value", json_number(low));
        json_put(d, o, "upper_value", json_number(high));
    }
    json_put(d, measures, slug, o);
}

void bmf_put_case(struct json_document *d, json_t *document, const char *id, json_t *measures)
{
    char *name = json_utf8(id);
    if (name == NULL || json_object_size(measures) == 0) {
        d->broken |= name == NULL;
        json_decref(measures);
    } else {
        json_put(d, document, name, measures);
    }
    free(name);
}

int report_bmf(const struct report *report, FILE *out, struct err *err)
{
    struct json_document d = {false};
    double *work = figure_room(report->run);
    if (work == NULL)
        return err_set(err, errno, "cannot write the metrics");
    json_t *document = json_object();
    for (unsigned i = 0; i < report->run->n_cases; i++) {
        json_t *measures = json_object();
        struct figure f;
        for (unsigned which = 0; which < FIGURES; which++)
            if (figure_of(report->run, i, which, work, &f) && f.better != NEITHER_IS_BETTER)
                bmf_put(&d, measures, f.key, f.value, f.low, f.high);
        bmf_put_case(&d, document, report->run->cases[i].id, measures);
    }
    free(work);
    return json_finish(&d, document, out, err);
}
