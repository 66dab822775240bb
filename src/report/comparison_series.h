/* One figure of one case, trial by trial and run by run. */
#ifndef IOBENCH_REPORT_COMPARISON_SERIES_H
#define IOBENCH_REPORT_COMPARISON_SERIES_H

#include "report/comparison.h"

/* Fills logs with one value for each trial that has it, in the order of the rounds: the logarithm
 * of the cost, relative to that of the control in the same round where there is a control. Returns
 * how many. logs holds n_trials of the case, or one. */
size_t series_logs(const struct record_case *of, const struct record_case *control,
                   enum compared metric, bool per_byte, double *logs);

/* Is there any trial that has the figure? */
bool series_has(const struct record_case *of, enum compared metric, bool per_byte);

/* The median of a run as a logarithm, NaN when nothing has it. Sorts logs. */
double series_median(double *logs, size_t n);

/* The figure of a pass if it is the same in all trials; NaN otherwise. */
double series_constant(const struct record_case *of, enum comparison_counts which);

/* Do all trials of all measured cases move bytes? */
bool series_has_bytes(const struct record *record);

#endif
