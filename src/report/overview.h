/* What the text and the Markdown report share: the line about the source, the table of cases, and
 * the sentences about what was found. */
#ifndef IOBENCH_REPORT_OVERVIEW_H
#define IOBENCH_REPORT_OVERVIEW_H

#include "report/report.h"
#include "report/table.h"

/* "one_gig: 1 GiB on ext4, 100 % in the page cache" */
void overview_source(const struct report *report, FILE *out);

/* "84 rounds of 4 cases in 8.20 s" */
void overview_effort(const struct report *report, FILE *out);

/* The table of all cases; verbose adds columns. 0, or -1 when out of memory. */
int overview_table(const struct report *report, bool verbose, struct table *table);

/* One finding a line, and why cases are missing. */
int overview_findings(const struct report *report, FILE *out, struct err *err) MUST_CHECK;

#endif
