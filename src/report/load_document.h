/* From parsed JSON to a record. */
#ifndef IOBENCH_REPORT_LOAD_DOCUMENT_H
#define IOBENCH_REPORT_LOAD_DOCUMENT_H

#include "report/load.h"

#include "report/load_value.h"

/* Fills the record, whose path and nothing else is set. What was filled until an error is there for
 * record_free. */
int load_document(const json_t *root, struct record *record, struct err *err) MUST_CHECK;

/* What documents of other kinds hold as well. The kind is that of schema_version 1; the facts of
 * host and system and the text of command are there to be freed, whatever comes back. */
int load_version(const struct place *document, struct err *err) MUST_CHECK;
int load_host(const struct place *document, struct record_fact host[RECORD_HOST_FACTS],
              struct record_fact system[RECORD_SYSTEM_FACTS], struct err *err) MUST_CHECK;
int load_started_at(const struct place *document, char started_at[21], struct err *err) MUST_CHECK;

#endif
