/* Results on their way out: standard output and exported files. */
#ifndef IOBENCH_CLI_OUTPUT_H
#define IOBENCH_CLI_OUTPUT_H

#include "base/err.h"
#include "report/report.h"

/* Writes data, whatever it is, to a stream in memory. */
typedef int output_writer(const void *data, FILE *out, struct err *err);

/* What follows, for any data. */
int output_print_data(output_writer *write, const void *data, struct err *err) MUST_CHECK;
int output_export_data(output_writer *write, const void *data, const char *path,
                       struct err *err) MUST_CHECK;

/* Writes the report to standard output, whole or not at all. A reader that has gone (EPIPE) is no
 * error. */
int output_print(const struct report *report,
                 int (*write_report)(const struct report *, FILE *, struct err *),
                 struct err *err) MUST_CHECK;

/* The same for the text report. */
int output_print_text(const struct report *report, const struct text_style *style,
                      struct err *err) MUST_CHECK;

/* Writes an export beside its place and renames it: path never holds half of a report. */
int output_export(const struct report *report, const char *path, struct err *err) MUST_CHECK;

/* Fails when path cannot be written, before anything is measured. */
int output_check(const char *path, struct err *err) MUST_CHECK;

/* Flushes what was printed with stdio. Returns status, or EXIT_UNMEASURED after saying why when
 * standard output could not be written. */
int output_finish(int status);

#endif
