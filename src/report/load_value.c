#include "config.h"

#include "report/load_value.h"

#include "base/tally.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes "results[3].id"; what does not fit is cut. Returns the length. */
static size_t describe(const struct place *place, char *text, size_t size)
{
    if (place->in == NULL) {
        text[0] = '\0';
        return 0;
    }
    size_t length = describe(place->in, text, size);
    int more = place->key != NULL ? snprintf(text + length, size - length, "%s%s",
                                             length > 0 ? "." : "", place->key)
                                  : snprintf(text + length, size - length, "[%zu]", place->index);
    length += more > 0 ? (size_t)more : 0;
    return length < size ? length : size - 1;
}

int place_refuse(const struct place *place, const char *what, struct err *err)
{
    char where[200];
    if (describe(place, where, sizeof where) == 0)
        return err_set(err, 0, "%s: %s", place->path, what);
    return err_set(err, 0, "%s: %s: %s", place->path, where, what);
}

/* What should stand there, and does not. */
static int expected(const struct place *place, const char *what, struct err *err)
{
    char message[120];
    snprintf(message, sizeof message, "%s was expected%s", what,
             place->value == NULL ? ", and nothing is there" : "");
    return place_refuse(place, message, err);
}

struct place place_member(const struct place *object, const char *key)
{
    return (struct place){object, key, 0, json_object_get(object->value, key), object->path};
}

struct place place_element(const struct place *array, size_t index)
{
    return (struct place){array, NULL, index, json_array_get(array->value, index), array->path};
}

int place_object(const struct place *place, struct err *err)
{
    return json_is_object(place->value) ? 0 : expected(place, "an object", err);
}

int place_array(const struct place *place, size_t *n, struct err *err)
{
    if (!json_is_array(place->value))
        return expected(place, "an array", err);
    *n = json_array_size(place->value);
    return 0;
}

int place_bool(const struct place *place, bool *value, struct err *err)
{
    if (!json_is_boolean(place->value))
        return expected(place, "true or false", err);
    *value = json_is_true(place->value);
    return 0;
}

int place_count(const struct place *place, bool or_null, uint64_t *value, struct err *err)
{
    *value = UNKNOWN;
    if (or_null && json_is_null(place->value))
        return 0;
    if (!json_is_integer(place->value))
        return expected(place, or_null ? "a whole number or null" : "a whole number", err);
    json_int_t number = json_integer_value(place->value);
    if (number < 0)
        return place_refuse(place, "it is negative", err);
    *value = (uint64_t)number;
    return 0;
}

int place_amount(const struct place *place, double most, double *value, struct err *err)
{
    char what[40];
    *value = NAN;
    if (json_is_null(place->value))
        return 0;
    if (!json_is_number(place->value))
        return expected(place, "a number or null", err);
    *value = json_number_value(place->value);
    snprintf(what, sizeof what, "it is not from 0 to %g", most);
    return *value >= 0 && *value <= most ? 0 : place_refuse(place, what, err);
}

int place_share(const struct place *place, double *value, struct err *err)
{
    return place_amount(place, 1, value, err);
}

int place_text(const struct place *place, bool or_null, char **value, struct err *err)
{
    *value = NULL;
    if (or_null && json_is_null(place->value))
        return 0;
    if (!json_is_string(place->value))
        return expected(place, or_null ? "a text or null" : "a text", err);
    *value = strdup(json_string_value(place->value));
    return *value != NULL ? 0 : err_set(err, errno, "cannot load '%s'", place->path);
}

int place_json(const struct place *place, char **value, struct err *err)
{
    *value = place->value == NULL
                 ? strdup("null")
                 : json_dumps(place->value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    return *value != NULL ? 0 : err_set(err, ENOMEM, "cannot load '%s'", place->path);
}
