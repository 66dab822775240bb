#include "config.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"k", UINT64_C(1) << 10},
    {"K", UINT64_C(1) << 10},
    {"KiB", UINT64_C(1) << 10},
    {"M", UINT64_C(1) << 20},
    {"m", UINT64_C(1) << 20},
    {"MiB", UINT64_C(1) << 20},
    {"G", UINT64_C(1) << 30},
    {"g", UINT64_C(1) << 30},
    {"GiB", UINT64_C(1) << 30},
    {"T", UINT64_C(1) << 40},
    {"t", UINT64_C(1) << 40},
    {"TiB", UINT64_C(1) << 40},
    {"P", UINT64_C(1) << 50},
    {"PiB", UINT64_C(1) << 50},
    {"E", UINT64_C(1) << 60},
    {"EiB", UINT64_C(1) << 60},
    {"kB", UINT64_C(1000)},
    {"KB", UINT64_C(1000)},
    {"MB", UINT64_C(1000000)},
    {"GB", UINT64_C(1000000000)},
    {"TB", UINT64_C(1000000000000)},
    {"PB", UINT64_C(1000000000000000)},
    {"EB", UINT64_C(1000000000000000000)},
    {NULL, 0},
};

static const struct unit time_units[] = {
    {"", UINT64_C(1000000000)},
    {"ns", 1},
    {"us", UINT64_C(1000)},
    {"ms", UINT64_C(1000000)},
    {"s", UINT64_C(1000000000)},
    {"m", UINT64_C(60000000000)},
    {"min", UINT64_C(60000000000)},
    {"h", UINT64_C(3600000000000)},
    {NULL, 0},
};

/* A decimal number is digits / 10^decimals; text moves behind it. */
struct decimal {
    uint64_t digits;
    unsigned decimals;
};

static bool add_digits(const char *text, size_t n, uint64_t *digits)
{
    for (size_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(*digits, 10, digits) ||
            __builtin_add_overflow(*digits, (uint64_t)(text[i] - '0'), digits))
            return false;
    return true;
}

static bool take_decimal(const char **text, struct decimal *number, bool *too_large)
{
    static const char digits[] = "0123456789";
    const char *p = *text;
    size_t whole = strspn(p, digits), fraction = 0;
    bool point = p[whole] == '.';
    if (point)
        fraction = strspn(p + whole + 1, digits);
    if (whole == 0 || (point && fraction == 0))
        return false;
    *text = p + whole + (point ? 1 + fraction : 0);
    while (fraction > 0 && p[whole + fraction] == '0')
        fraction--; /* zeros at the end add nothing */
    *number = (struct decimal){0, (unsigned)fraction};
    *too_large = !add_digits(p, whole, &number->digits) ||
                 !add_digits(p + whole + 1, fraction, &number->digits);
    return true;
}

/* Divides a product by a prime, in one of its factors. False when neither is a multiple. */
static bool divide_either(uint64_t *a, uint64_t *b, uint64_t prime)
{
    uint64_t *divided = *a % prime == 0 ? a : b;
    if (*divided % prime != 0)
        return false;
    *divided /= prime;
    return true;
}

static int parse(const char *text, const struct unit *units, const char *what, uint64_t *value,
                 struct err *err)
{
    const char *rest = text;
    struct decimal number;
    bool too_large;
    if (!take_decimal(&rest, &number, &too_large))
        return err_set(err, 0, "'%s' is not a %s", text, what);
    const struct unit *unit = units;
    while (unit->name != NULL && strcmp(unit->name, rest) != 0)
        unit++;
    if (unit->name == NULL)
        return err_set(err, 0, "'%s' is not a %s: unknown unit '%s'", text, what, rest);
    uint64_t factor = unit->factor;
    for (unsigned i = 0; i < number.decimals && !too_large; i++)
        if (!divide_either(&number.digits, &factor, 2) ||
            !divide_either(&number.digits, &factor, 5))
            return err_set(err, 0, "%s '%s' is not a whole number of %s", what, text,
                           units == time_units ? "nanoseconds" : "bytes");
    if (too_large || __builtin_mul_overflow(number.digits, factor, value))
        return err_set(err, 0, "%s '%s' is too large: the limit is 2^64-1", what, text);
    return 0;
}

int units_parse_size(const char *text, uint64_t *bytes, struct err *err)
{
    return parse(text, size_units, "size", bytes, err);
}

int units_parse_time(const char *text, uint64_t *ns, struct err *err)
{
    return parse(text, time_units, "time", ns, err);
}

int units_parse_count(const char *text, uint64_t *count, struct err *err)
{
    static const struct unit none[] = {{"", 1}, {NULL, 0}};
    if (strchr(text, '.') != NULL)
        return err_set(err, 0, "'%s' is not a whole number", text);
    return parse(text, none, "number", count, err);
}

int units_parse_percent(const char *text, double *ratio, struct err *err)
{
    const char *rest = text;
    struct decimal number;
    bool too_large;
    bool good = take_decimal(&rest, &number, &too_large) && !too_large;
    if (!good || (strcmp(rest, "") != 0 && strcmp(rest, "%") != 0))
        return err_set(err, 0, "'%s' is not a percentage", text);
    *ratio = (double)number.digits / pow(10, number.decimals) / 100;
    return 0;
}

/* Three significant digits, without an exponent. */
static void significant(char text[UNITS_TEXT], double value, const char *unit)
{
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(text, UNITS_TEXT, "%.*f%s%s", decimals, value, *unit != '\0' ? " " : "", unit);
}

char *units_size(char text[UNITS_TEXT], uint64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t i = 0;
    uint64_t unit = 1;
    /* 1023.5 would be shown as 1024 */
    while (i + 1 < sizeof names / sizeof names[0] && (double)bytes / (double)unit >= 1023.5 &&
           (bytes / unit >= 1024 || bytes % unit != 0)) {
        unit <<= 10;
        i++;
    }
    if (bytes % unit == 0)
        snprintf(text, UNITS_TEXT, "%" PRIu64 " %s", bytes / unit, names[i]);
    else
        significant(text, (double)bytes / (double)unit, names[i]);
    return text;
}

/* The power of 1000 that makes value at least 1, and its prefix. */
static double decimal_scale(double value, const char **prefix)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    double scale = 1;
    size_t i = 0;
    while (i + 1 < sizeof prefixes / sizeof prefixes[0] && value / scale >= 999.5) {
        scale *= 1000;
        i++;
    }
    *prefix = prefixes[i];
    return scale;
}

char *units_rate(char text[UNITS_TEXT], double bytes_per_s)
{
    const char *prefix;
    double scale = decimal_scale(bytes_per_s, &prefix);
    char unit[8];
    snprintf(unit, sizeof unit, "%sB/s", prefix);
    significant(text, bytes_per_s / scale, unit);
    return text;
}

char *units_rate_like(char text[UNITS_TEXT], double bytes_per_s, double like)
{
    const char *prefix;
    significant(text, bytes_per_s / decimal_scale(like, &prefix), "");
    return text;
}

char *units_time(char text[UNITS_TEXT], double ns)
{
    if (ns < 999.5)
        significant(text, ns, "ns");
    else if (ns < 999.5e3)
        significant(text, ns / 1e3, "us");
    else if (ns < 999.5e6)
        significant(text, ns / 1e6, "ms");
    else
        significant(text, ns / 1e9, "s");
    return text;
}

char *units_count(char text[UNITS_TEXT], double count)
{
    if (count >= 99999.5) {
        const char *prefix;
        double scale = decimal_scale(count, &prefix);
        significant(text, count / scale, prefix);
        return text;
    }
    uint64_t whole = (uint64_t)llround(count);
    if (whole >= 1000)
        snprintf(text, UNITS_TEXT, "%" PRIu64 ",%03" PRIu64, whole / 1000, whole % 1000);
    else
        snprintf(text, UNITS_TEXT, "%" PRIu64, whole);
    return text;
}
