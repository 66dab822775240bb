/* JSON from anywhere, within the bounds of load.h. */
#ifndef IOBENCH_REPORT_LOAD_INPUT_H
#define IOBENCH_REPORT_LOAD_INPUT_H

#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

/* Both return a new reference, or NULL with the reason. path "-" is standard input. */
json_t *input_load(const char *path, struct err *err);
json_t *input_parse(const char *path, const char *text, size_t size, struct err *err);

#endif
