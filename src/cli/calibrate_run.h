/* The measurements of a calibration: equal cases against each other, and unlike ones again and
 * again, by the runner that measures everything else. */
#ifndef IOBENCH_CLI_CALIBRATE_RUN_H
#define IOBENCH_CLI_CALIBRATE_RUN_H

#include "cli/progress.h"
#include "family/request.h"
#include "measure/run.h"
#include "report/calibration.h"

#include <signal.h>

enum { CALIBRATE_UNLIKE = 3, CALIBRATE_MOST_RUNS = 25 };

struct calibrate_run {
    /* Set by the caller; what is pointed to must outlive the figures. */
    struct request request; /* but for its modes */
    const struct source *source;
    struct calibration *calibration; /* its limits and seed are obeyed, its figures filled in */
    const volatile sig_atomic_t *interrupted;
    bool shows_progress;

    /* Its own. */
    uint64_t began_ns, overhead_ns;
    unsigned left; /* shares of the time that are left */
    const char *stage;
    struct progress_line line;
    double *logs; /* of the rounds of equal cases, all together */
    uint64_t *round_ns;
    size_t n_rounds;
    char ids[CALIBRATE_UNLIKE][96];                         /* the control's first */
    double relative[CALIBRATE_UNLIKE][CALIBRATE_MOST_RUNS]; /* logarithms of medians, or NaN */
    double absolute[CALIBRATE_UNLIKE][CALIBRATE_MOST_RUNS];
    size_t n_runs;
    uint64_t first_run_ns, last_run_ns;
};

/* Measures until the time is over or a signal comes, and fills in the figures by what there is
 * then. -1 when a case cannot be measured, or memory ran out. */
int calibrate_run(struct calibrate_run *run, struct err *err) MUST_CHECK;

void calibrate_run_free(struct calibrate_run *run);

#endif
