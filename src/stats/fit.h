/* A cost model: fixed cost + cost per call + cost per byte. */
#ifndef IOBENCH_STATS_FIT_H
#define IOBENCH_STATS_FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { FIT_TERMS = 3 };

struct fit_point {
    double x[FIT_TERMS]; /* 1, calls, bytes */
    double y;            /* measured, > 0 */
};

struct fit {
    bool solved;
    double coefficient[FIT_TERMS]; /* NaN for a term left out; none is negative */
    double error[FIT_TERMS];       /* standard errors; NaN where not defined */
    double relative_error;         /* root of the mean squared relative residual */
};

/* Weighted least squares with weights 1/y^2: a small file's microsecond counts as much as a large
 * one's millisecond. use[i] leaves terms out. A term that would come out negative costs nothing,
 * and the others are fitted without it (as in Lawson and Hanson, "Solving Least Squares Problems",
 * ch. 23, for so few terms). Not solved when there are fewer points than terms, or the terms cannot
 * be told apart. */
void fit_costs(const struct fit_point *points, size_t n, const bool use[FIT_TERMS],
               struct fit *fit);

double fit_predict(const struct fit *fit, const double x[FIT_TERMS]);

#endif
