/* Values for the JSON report: never NaN, never left out, always valid UTF-8. */
#ifndef IOBENCH_REPORT_JSON_VALUE_H
#define IOBENCH_REPORT_JSON_VALUE_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* All return a new reference. */
json_t *json_count(uint64_t value);   /* null for UNKNOWN */
json_t *json_nonzero(uint64_t value); /* null for 0 as well */
json_t *json_number(double value);    /* null for NaN and infinities */
json_t *json_text(const char *text);  /* null for NULL; each byte that is not UTF-8 becomes the
                                         character of that number */
json_t *json_time(time_t at);         /* 2026-01-31T12:00:00Z */
json_t *json_text_or_null(const char *text); /* null for "" as well */

/* A copy of text, repaired in the same way; the caller frees it. NULL when out of memory. */
char *json_utf8(const char *text);

/* Is text well-formed UTF-8? */
bool json_is_utf8(const char *text);

/* Puts a new reference into an object or an array. A value that could not be made leaves a mark on
 * the document, which is complete or is not written at all. */
struct json_document {
    bool broken;
};
void json_put(struct json_document *d, json_t *object, const char *key, json_t *value);
void json_append(struct json_document *d, json_t *array, json_t *value);

/* Writes a document, indented and in ASCII, and gives the reference back. What the stream itself
 * cannot take is left on it, for ferror(). */
int json_finish(struct json_document *d, json_t *document, FILE *out, struct err *err) MUST_CHECK;

#endif
