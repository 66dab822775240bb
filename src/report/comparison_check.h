/* Which documents may be compared at all, and with what doubts. */
#ifndef IOBENCH_REPORT_COMPARISON_CHECK_H
#define IOBENCH_REPORT_COMPARISON_CHECK_H

#include "report/comparison.h"

/* Refuses what is unlike: command, files, options, and a run that stands twice on one side. */
int comparison_check_kind(const struct comparison *comparison, struct err *err) MUST_CHECK;

/* Differences of machine, system and cache: refused for absolute figures without --force, and a
 * warning otherwise. */
int comparison_check_place(struct comparison *comparison, struct err *err) MUST_CHECK;

/* Adds the doubts that need no refusal. */
void comparison_doubt(struct comparison *comparison);

/* The same once all is compared: verdicts that there are too few rounds or runs for. */
void comparison_doubt_intervals(struct comparison *comparison);

#endif
