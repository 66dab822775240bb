/* The cost model of open, calls and bytes, against answers worked out by hand. */
#include "config.h"

#include "check.h"

#include "base/rng.h"
#include "stats/fit.h"

static const bool all[FIT_TERMS] = {true, true, true};
static const bool without_calls[FIT_TERMS] = {true, false, true};
static const bool only_fixed[FIT_TERMS] = {true, false, false};

enum { POINTS = 12 };

/* Sizes from 1 KiB up by powers of two, read in blocks of 4 KiB or 64 KiB in turn; cost is exact.
 */
static void make_points(struct fit_point points[POINTS], double fixed, double call, double byte)
{
    for (int i = 0; i < POINTS; i++) {
        double bytes = 1024 * (double)(1 << i), block = i % 2 == 0 ? 4096 : 65536;
        double calls = ceil(bytes / block) + 1;
        points[i] = (struct fit_point){{1, calls, bytes}, fixed + call * calls + byte * bytes};
    }
}

static void exact_costs_are_found_again(void **state)
{
    (void)state;
    struct fit_point points[POINTS];
    struct fit fit;
    make_points(points, 2000, 150, 0.05);
    fit_costs(points, POINTS, all, &fit);
    CHECK_TRUE("fit", fit.solved);
    CHECK_NEAR("fixed", fit.coefficient[0], 2000, 1e-3);
    CHECK_NEAR("call", fit.coefficient[1], 150, 1e-5);
    CHECK_NEAR("byte", fit.coefficient[2], 0.05, 1e-8);
    CHECK_NEAR("error", fit.relative_error, 0, 1e-9);
    for (int i = 0; i < POINTS; i++)
        CHECK_NEAR("prediction", fit_predict(&fit, points[i].x) / points[i].y, 1, 1e-9);
}

static void a_term_that_is_left_out_is_unknown_and_costs_nothing(void **state)
{
    (void)state;
    struct fit_point points[POINTS];
    struct fit fit;
    make_points(points, 500, 0, 0.25);
    fit_costs(points, POINTS, without_calls, &fit);
    CHECK_TRUE("fit", fit.solved);
    CHECK_NAN("call", fit.coefficient[1]);
    CHECK_NAN("error of a call", fit.error[1]);
    CHECK_NEAR("fixed", fit.coefficient[0], 500, 1e-6);
    const double x[FIT_TERMS] = {1, 1000, 400};
    CHECK_NEAR("prediction", fit_predict(&fit, x), 600, 1e-6);
}

static void a_cost_that_would_be_negative_is_zero(void **state)
{
    (void)state;
    struct fit_point points[POINTS];
    struct fit fit, without;
    make_points(points, 2000, -30, 0.05);
    fit_costs(points, POINTS, all, &fit);
    fit_costs(points, POINTS, without_calls, &without);
    CHECK_TRUE("fit", fit.solved);
    CHECK_REAL("call", fit.coefficient[1], ==, 0);
    CHECK_REAL("fixed, as without that term", fit.coefficient[0], ==, without.coefficient[0]);
    CHECK_REAL("byte, as without that term", fit.coefficient[2], ==, without.coefficient[2]);
}

static void one_term_has_the_error_worked_out_by_hand(void **state)
{
    (void)state;
    /* 1/y is 1 and 1/2: the cost is 1.5 / 1.25, the relative residuals 0.2 and -0.4 */
    static const struct fit_point points[] = {{{1, 0, 0}, 1}, {{1, 0, 0}, 2}};
    struct fit fit;
    fit_costs(points, 2, only_fixed, &fit);
    CHECK_TRUE("fit", fit.solved);
    CHECK_NEAR("cost", fit.coefficient[0], 1.2, 1e-12);
    CHECK_NEAR("relative error", fit.relative_error, sqrt(0.1), 1e-12);
    CHECK_NEAR("standard error", fit.error[0], 0.4, 1e-12);
    fit_costs(points, 1, only_fixed, &fit);
    CHECK_TRUE("fit of one point", fit.solved);
    CHECK_NEAR("cost", fit.coefficient[0], 1, 1e-12);
    CHECK_NAN("standard error without a point to spare", fit.error[0]);
}

static void what_cannot_be_told_apart_is_not_solved(void **state)
{
    (void)state;
    struct fit_point points[POINTS];
    struct fit fit;
    make_points(points, 2000, 150, 0.05);
    fit_costs(points, 2, all, &fit);
    CHECK_TRUE("two points", !fit.solved);
    fit_costs(points, 0, all, &fit);
    CHECK_TRUE("no points", !fit.solved);
    for (int i = 0; i < POINTS; i++)
        points[i].x[1] = points[i].x[2] / 4096;
    fit_costs(points, POINTS, all, &fit);
    CHECK_TRUE("calls in proportion to bytes", !fit.solved);
}

static void relative_residuals_are_orthogonal_to_each_term(void **state)
{
    (void)state;
    struct fit_point points[POINTS];
    struct fit fit;
    struct rng rng;
    rng_init(&rng, 3);
    make_points(points, 2000, 150, 0.05);
    for (int i = 0; i < POINTS; i++)
        points[i].y *= 0.9 + 0.0001 * (double)rng_below(&rng, 2001);
    fit_costs(points, POINTS, all, &fit);
    CHECK_TRUE("fit", fit.solved);
    for (int term = 0; term < FIT_TERMS; term++) {
        double sum = 0, size = 0;
        for (int i = 0; i < POINTS; i++) {
            double weighted = points[i].x[term] / points[i].y;
            sum += weighted * (fit_predict(&fit, points[i].x) / points[i].y - 1);
            size += fabs(weighted);
        }
        CHECK_NEAR("sum", sum / size, 0, 1e-9);
        CHECK_REAL("standard error", fit.error[term], >, 0);
    }
    CHECK_REAL("relative error", fit.relative_error, >, 0);
    CHECK_REAL("relative error", fit.relative_error, <, 0.1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_costs_are_found_again),
        cmocka_unit_test(a_term_that_is_left_out_is_unknown_and_costs_nothing),
        cmocka_unit_test(a_cost_that_would_be_negative_is_zero),
        cmocka_unit_test(one_term_has_the_error_worked_out_by_hand),
        cmocka_unit_test(what_cannot_be_told_apart_is_not_solved),
        cmocka_unit_test(relative_residuals_are_orthogonal_to_each_term),
    };
    return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
