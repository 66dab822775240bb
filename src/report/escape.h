/* Text from outside inside the formats that are written by hand: as each of them escapes it, and
 * always well-formed UTF-8. */
#ifndef IOBENCH_REPORT_ESCAPE_H
#define IOBENCH_REPORT_ESCAPE_H

#include <stdio.h>

/* A field of CSV, in quotes where it needs them (RFC 4180). */
void escape_csv(const char *text, FILE *out);

/* The inside of a label's value in OpenMetrics: backslash, quote and newline are escaped. */
void escape_label(const char *text, FILE *out);

/* A string in double quotes for gnuplot, which has no escape for a quote inside: that becomes an
 * apostrophe. A control character becomes '?'. */
void escape_gnuplot(const char *text, FILE *out);

/* A blank and a number; "?" for NaN, which stands for what was not measured. */
void escape_gnuplot_number(double value, FILE *out);

#endif
