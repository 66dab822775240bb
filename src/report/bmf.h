/* The parts of a document in Bencher Metric Format. */
#ifndef IOBENCH_REPORT_BMF_H
#define IOBENCH_REPORT_BMF_H

#include "report/json_value.h"

/* Adds a measure, named by a key of the JSON. low and high may be NaN. */
void bmf_put(struct json_document *d, json_t *measures, const char *key, double value, double low,
             double high);

/* Adds a benchmark with its measures, whose reference it takes, unless there are none. */
void bmf_put_case(struct json_document *d, json_t *document, const char *id, json_t *measures);

#endif
