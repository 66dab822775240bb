/* Facts that documents of several kinds hold. */
#ifndef IOBENCH_REPORT_JSON_FACTS_H
#define IOBENCH_REPORT_JSON_FACTS_H

#include "base/host.h"
#include "report/json_value.h"

/* Returns a new reference. */
json_t *json_host(struct json_document *d, const struct host *host);

#endif
