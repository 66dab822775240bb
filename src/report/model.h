/* What an open, a call and a byte cost each strategy, fitted over files of several sizes. */
#ifndef IOBENCH_REPORT_MODEL_H
#define IOBENCH_REPORT_MODEL_H

#include "report/report.h"
#include "stats/fit.h"

struct model {
    const char *mode;
    bool has_calls; /* false: a mapping makes none */
    size_t n;       /* points: cases that were fitted */
    struct fit fit; /* nanoseconds */
    bool good;      /* false: the form does not fit, and says nothing */
    uint64_t block; /* the largest one measured, which predictions are for; UNKNOWN: none */
};

/* Is there anything to model: several sizes? */
bool model_wanted(const struct run *run);

/* Fills models, one a mode, in the order of the cases; room for run->n_cases. Returns how many. */
size_t model_fit(const struct run *run, struct model *models, double *work);

/* The cost in nanoseconds of reading a file of that size with the largest block. */
double model_cost(const struct model *model, double size);

/* Sentences: the models, where one strategy overtakes another, and the smallest block that is
 * within 5 % of the best. */
int model_print(const struct run *run, FILE *out, struct err *err) MUST_CHECK;

#endif
