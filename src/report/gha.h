/* An entry of the custom formats of github-action-benchmark. */
#ifndef IOBENCH_REPORT_GHA_H
#define IOBENCH_REPORT_GHA_H

#include "report/json_value.h"

/* Appends the entry "id: key". Without low and high (NaN) it has no range. extra may be of several
 * lines. */
void gha_append(struct json_document *d, json_t *array, const char *id, const char *key,
                const char *unit, const char *extra, double value, double low, double high);

#endif
