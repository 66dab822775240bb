#include "config.h"

#include "report/json_value.h"

#include "base/tally.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_count(uint64_t value)
{
    /* jansson's integers are signed; nothing we count comes near. */
    return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

json_t *json_nonzero(uint64_t value)
{
    return value == 0 ? json_null() : json_count(value);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Length of the well-formed UTF-8 sequence at s, 0 when there is none (RFC 3629, section 4). */
static size_t sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                    : s[0] >= 0xe0 && s[0] <= 0xef ? 3
                    : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                   : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] > 0x9f;
    bool beyond = s[0] == 0xf4 && s[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

bool json_is_utf8(const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        size_t length = sequence_length(s);
        if (length == 0)
            return false;
        s += length;
    }
    return true;
}

char *json_utf8(const char *text)
{
    char *fixed = malloc(2 * strlen(text) + 1);
    if (fixed == NULL)
        return NULL;
    char *to = fixed;
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        size_t length = sequence_length(s);
        if (length == 0) { /* a byte of 0x80 or more: two bytes as UTF-8 */
            *to++ = (char)(0xc0 | *s >> 6);
            *to++ = (char)(0x80 | (*s & 0x3f));
            s++;
        }
        for (; length > 0; length--)
            *to++ = (char)*s++;
    }
    *to = '\0';
    return fixed;
}

json_t *json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    char *fixed = json_utf8(text);
    json_t *value = fixed != NULL ? json_string(fixed) : NULL;
    free(fixed);
    return value;
}

json_t *json_text_or_null(const char *text)
{
    return text == NULL || *text == '\0' ? json_null() : json_text(text);
}

json_t *json_time(time_t at)
{
    char text[32];
    struct tm parts;
    gmtime_r(&at, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(text);
}

void json_put(struct json_document *d, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        d->broken = true;
}

void json_append(struct json_document *d, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        d->broken = true;
}

static int write_to_stream(const char *text, size_t size, void *out)
{
    return fwrite(text, 1, size, out) == size ? 0 : -1;
}

int json_finish(struct json_document *d, json_t *document, FILE *out, struct err *err)
{
    int status = 0;
    if (document == NULL || d->broken)
        status = err_set(err, ENOMEM, "cannot build the JSON document");
    else if (json_dump_callback(document, write_to_stream, out,
                                JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15)) == 0)
        fputc('\n', out);
    else if (!ferror(out))
        status = err_set(err, ENOMEM, "cannot write the JSON document");
    json_decref(document);
    return status;
}
