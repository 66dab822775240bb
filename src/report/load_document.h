/* From parsed JSON to a record. */
#ifndef IOBENCH_REPORT_LOAD_DOCUMENT_H
#define IOBENCH_REPORT_LOAD_DOCUMENT_H

#include "report/load.h"

#include <jansson.h>

/* Fills the record, whose path and nothing else is set. What was filled until an error is there for
 * record_free. */
int load_document(const json_t *root, struct record *record, struct err *err) MUST_CHECK;

#endif
