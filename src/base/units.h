/* Numbers with units: how they are read from a command line and shown to a person. Nothing here
 * follows the locale: the decimal point is a point. */
#ifndef IOBENCH_BASE_UNITS_H
#define IOBENCH_BASE_UNITS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* All parsers take the whole text or fail with a message that quotes it. They accept no sign, no
 * white space, no exponent and no hexadecimal. A fraction must come out whole in the base unit. */

/* Bytes. k M G T P E and KiB MiB ... are powers of 1024; kB MB GB ... powers of 1000. */
int units_parse_size(const char *text, uint64_t *bytes, struct err *err) MUST_CHECK;

/* Nanoseconds. ns us ms s m (or min) h; a bare number is seconds. */
int units_parse_time(const char *text, uint64_t *ns, struct err *err) MUST_CHECK;

/* A plain decimal count. */
int units_parse_count(const char *text, uint64_t *count, struct err *err) MUST_CHECK;

/* "0.5" or "0.5%" gives 0.005. */
int units_parse_percent(const char *text, double *ratio, struct err *err) MUST_CHECK;

/* Formatters fill the caller's buffer and return it. */
enum { UNITS_TEXT = 32 };

char *units_size(char text[UNITS_TEXT], uint64_t bytes);     /* 8 KiB, 1.50 GiB, 700 B */
char *units_rate(char text[UNITS_TEXT], double bytes_per_s); /* 6.51 GB/s */
char *units_time(char text[UNITS_TEXT], double ns);          /* 1.23 ms, 8.20 s */
char *units_count(char text[UNITS_TEXT], double count);      /* 8,193; 262 k; 1.07 G */
/* The value in the unit chosen for scale: "6.02" beside "6.51 GB/s". */
char *units_rate_like(char text[UNITS_TEXT], double bytes_per_s, double scale);

#endif
