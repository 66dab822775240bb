/* Typed looks into a parsed document, with messages that name the place. */
#ifndef IOBENCH_REPORT_LOAD_VALUE_H
#define IOBENCH_REPORT_LOAD_VALUE_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A value and where it stands; places live on the stack of who goes down. */
struct place {
    const struct place *in; /* NULL: the document itself */
    const char *key;        /* NULL: an element of an array */
    size_t index;
    const json_t *value; /* NULL: the key is missing */
    const char *path;    /* of the file, for messages */
};

/* "FILE: results[3].id: WHAT". Always -1. */
int place_refuse(const struct place *place, const char *what, struct err *err);

/* A member of an object; its value is NULL when there is none. */
struct place place_member(const struct place *object, const char *key);
struct place place_element(const struct place *array, size_t index);

/* Each fails when the place holds no such thing; a missing key is no such thing. */
int place_object(const struct place *place, struct err *err) MUST_CHECK;
int place_array(const struct place *place, size_t *n, struct err *err) MUST_CHECK;
int place_bool(const struct place *place, bool *value, struct err *err) MUST_CHECK;
/* A whole number from 0 up; null is UNKNOWN where that is allowed. */
int place_count(const struct place *place, bool or_null, uint64_t *value,
                struct err *err) MUST_CHECK;
/* A share, 0 to 1; NaN for null. */
int place_share(const struct place *place, double *value, struct err *err) MUST_CHECK;
/* A number from 0 to most; NaN for null. */
int place_amount(const struct place *place, double most, double *value, struct err *err) MUST_CHECK;
/* A copy, which the caller frees; NULL for null where that is allowed. */
int place_text(const struct place *place, bool or_null, char **value, struct err *err) MUST_CHECK;
/* The JSON of whatever stands there, compact and with sorted keys; "null" for nothing. The caller
 * frees it. */
int place_json(const struct place *place, char **value, struct err *err) MUST_CHECK;

#endif
