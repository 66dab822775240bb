/* The results of the JSON report: a case each, with its trials. */
#ifndef IOBENCH_REPORT_JSON_RESULT_H
#define IOBENCH_REPORT_JSON_RESULT_H

#include "measure/run.h"
#include "report/json_value.h"

/* Each returns a new reference. counted is who counts, COUNTED_BY_...: streams and events have keys
 * that files, 0, have not. */
/* What a search for a rate tried; null where none was made. */
json_t *json_rate_search(struct json_document *d, const struct run_case *c);

json_t *json_results(struct json_document *d, const struct run *run, unsigned counted);
json_t *json_trial(struct json_document *d, const struct run_case *c, const struct sample *sample,
                   unsigned counted);
json_t *json_knob(enum knob knob, uint64_t value);

#endif
