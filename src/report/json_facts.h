/* Facts that documents of several kinds hold. */
#ifndef IOBENCH_REPORT_JSON_FACTS_H
#define IOBENCH_REPORT_JSON_FACTS_H

#include "base/host.h"
#include "base/notes.h"
#include "report/json_value.h"

/* Both return a new reference. */
json_t *json_host(struct json_document *d, const struct host *host);
/* with_path: each says which file it is about, or null. */
json_t *json_notes(struct json_document *d, const struct notes *notes, bool with_path);

#endif
