/* The exports, by the ending of a file name: one row in export.c makes one known to the commands
 * that measure, and to compare. */
#ifndef IOBENCH_REPORT_EXPORT_H
#define IOBENCH_REPORT_EXPORT_H

#include "report/comparison.h"
#include "report/report.h"

struct export_kind {
    const char *ending;
    int (*write)(const struct report *report, FILE *out, struct err *err);
    /* The same of a comparison; NULL: there is none, and why. */
    int (*write_comparison)(const struct comparison_report *report, FILE *out, struct err *err);
    const char *why_none;
};

/* The kind of a path. NULL, with a sentence: its ending is unknown, or nearly one of two words, as
 * in x.gha.json. */
const struct export_kind *export_kind_of(const char *path, struct err *err);

/* The same for a comparison. */
const struct export_kind *export_kind_of_comparison(const char *path, struct err *err);

#endif
