#include "config.h"

#include "report/model.h"

#include "base/units.h"
#include "report/metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A form that misses the points by more says nothing about them. */
#define POOR_FIT 0.15
#define NEAR_BEST 0.95

static bool is_usable(const struct run_case *c)
{
    return c->status == CASE_OK && c->kind == CASE_STRATEGY &&
           c->params.value[KNOB_SIZE] != PARAM_NONE;
}

bool model_wanted(const struct run *run)
{
    uint64_t first = PARAM_NONE;
    for (unsigned i = 0; i < run->n_cases; i++) {
        if (!is_usable(&run->cases[i]))
            continue;
        uint64_t size = run->cases[i].params.value[KNOB_SIZE];
        if (first != PARAM_NONE && size != first)
            return true;
        first = size;
    }
    return false;
}

static double median_of(const struct run *run, unsigned index, enum metric_id metric, double *work)
{
    struct summary s;
    metric_summary(run, index, metric, work, &s);
    return s.median;
}

/* The points of all cases of a mode. */
static size_t gather(const struct run *run, const char *mode, struct fit_point *points,
                     struct model *model, double *work)
{
    size_t n = 0;
    model->block = UNKNOWN;
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        if (!is_usable(c) || strcmp(c->mode, mode) != 0)
            continue;
        double calls = median_of(run, i, METRIC_CALLS_PER_PASS, work);
        double wall = median_of(run, i, METRIC_WALL_NS_PER_PASS, work);
        if (!(wall > 0))
            continue;
        model->has_calls |= !isnan(calls);
        points[n++] = (struct fit_point){
            {1, isnan(calls) ? 0 : calls, (double)c->params.value[KNOB_SIZE]}, wall};
        uint64_t block = c->params.value[KNOB_BLOCK_SIZE];
        if (c->knobs & KNOB_BIT(KNOB_BLOCK_SIZE) &&
            (model->block == UNKNOWN || block > model->block))
            model->block = block;
    }
    return n;
}

size_t model_fit(const struct run *run, struct model *models, double *work)
{
    struct fit_point *points = calloc(run->n_cases + 1, sizeof *points);
    size_t n = 0;
    for (unsigned i = 0; points != NULL && i < run->n_cases; i++) {
        const char *mode = run->cases[i].mode;
        bool known = !is_usable(&run->cases[i]);
        for (size_t m = 0; m < n && !known; m++)
            known = strcmp(models[m].mode, mode) == 0;
        if (known)
            continue;
        struct model *model = &models[n++];
        *model = (struct model){.mode = mode};
        model->n = gather(run, mode, points, model, work);
        /* calls that are all bytes (getc) cannot be told from them */
        bool use[FIT_TERMS] = {true, model->has_calls && model->block != UNKNOWN, true};
        fit_costs(points, model->n, use, &model->fit);
        model->good = model->fit.solved && model->fit.relative_error <= POOR_FIT;
    }
    free(points);
    return n;
}

double model_cost(const struct model *model, double size)
{
    double calls = model->block != UNKNOWN ? ceil(size / (double)model->block) + 1 : 0;
    const double x[FIT_TERMS] = {1, calls, size};
    return fit_predict(&model->fit, x);
}

static void print_term(FILE *out, const char *what, double cost, double error)
{
    char text[UNITS_TEXT], uncertain[UNITS_TEXT];
    if (isnan(cost))
        return;
    fprintf(out, "%s%s", units_time(text, cost), what);
    if (!isnan(error))
        fprintf(out, " (±%s)", units_time(uncertain, error));
}

static void print_model(const struct model *m, FILE *out)
{
    if (!m->good) {
        fprintf(out, "%s: no cost per open, call and byte fits its %zu points.\n", m->mode, m->n);
        return;
    }
    fprintf(out, "%s costs ", m->mode);
    print_term(out, " for a file", m->fit.coefficient[0], m->fit.error[0]);
    if (!isnan(m->fit.coefficient[1])) {
        fputs(", ", out);
        print_term(out, " for a call", m->fit.coefficient[1], m->fit.error[1]);
    }
    fputs(" and ", out);
    print_term(out, " for a KiB", 1024 * m->fit.coefficient[2], 1024 * m->fit.error[2]);
    fprintf(out, "; off by %.0f %% on average.\n", 100 * m->fit.relative_error);
}

/* Sizes that were measured: crossovers beyond them would be guesses. */
static void size_range(const struct run *run, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        if (!is_usable(&run->cases[i]))
            continue;
        double size = (double)run->cases[i].params.value[KNOB_SIZE];
        *least = fmin(*least, size);
        *most = fmax(*most, size);
    }
}

/* Where b, dearer at the least size, becomes the cheaper one: by halving in logs. NaN: nowhere. */
static double crossover(const struct model *a, const struct model *b, double least, double most)
{
    /* What the models miss by is no difference. */
    double sure = 1 + hypot(a->fit.relative_error, b->fit.relative_error);
    if (model_cost(b, least) <= sure * model_cost(a, least) ||
        model_cost(a, most) <= sure * model_cost(b, most))
        return NAN;
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(least * most);
        if (model_cost(b, middle) < model_cost(a, middle))
            most = middle;
        else
            least = middle;
    }
    return most;
}

static void print_crossovers(const struct run *run, const struct model *models, size_t n, FILE *out)
{
    double least, most;
    size_range(run, &least, &most);
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            char size[UNITS_TEXT];
            if (a == b || !models[a].good || !models[b].good)
                continue;
            double from = crossover(&models[a], &models[b], least, most);
            if (!isnan(from))
                fprintf(out, "%s beats %s from %s up.\n", models[b].mode, models[a].mode,
                        units_size(size, (uint64_t)from));
        }
    }
}

/* For a mode that was measured with several block sizes: the smallest one that is good enough, on
 * the largest file. */
static void print_smallest_block(const struct run *run, const char *mode, double *work, FILE *out)
{
    uint64_t largest = 0, smallest = UNKNOWN;
    size_t blocks = 0;
    double best = 0;
    for (int look = 0; look < 3; look++) {
        for (unsigned i = 0; i < run->n_cases; i++) {
            const struct run_case *c = &run->cases[i];
            uint64_t size = c->params.value[KNOB_SIZE];
            if (c->status != CASE_OK || strcmp(c->mode, mode) != 0 ||
                !(c->knobs & KNOB_BIT(KNOB_BLOCK_SIZE)))
                continue;
            size = size == PARAM_NONE ? 0 : size;
            if (look == 0 && size > largest)
                largest = size;
            if (look == 0 || size != largest)
                continue;
            double rate = median_of(run, i, METRIC_BYTES_PER_S, work);
            if (look == 1) {
                blocks++;
                best = fmax(best, isnan(rate) ? 0 : rate);
            } else if (rate >= NEAR_BEST * best && c->params.value[KNOB_BLOCK_SIZE] < smallest) {
                smallest = c->params.value[KNOB_BLOCK_SIZE];
            }
        }
    }
    char text[UNITS_TEXT];
    if (blocks > 2 && smallest != UNKNOWN)
        fprintf(out, "%s: the smallest block within 5 %% of its best is %s.\n", mode,
                units_size(text, smallest));
}

int model_print(const struct run *run, FILE *out, struct err *err)
{
    struct model *models = calloc(run->n_cases + 1, sizeof *models);
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    int status = 0;
    if (models == NULL || work == NULL) {
        status = err_set(err, errno, "cannot fit a model");
        goto out;
    }
    if (model_wanted(run)) {
        size_t n = model_fit(run, models, work);
        for (size_t i = 0; i < n; i++)
            print_model(&models[i], out);
        print_crossovers(run, models, n, out);
    }
    for (unsigned i = 0; i < run->n_cases; i++) {
        bool seen = false;
        for (unsigned j = 0; j < i && !seen; j++)
            seen = strcmp(run->cases[j].mode, run->cases[i].mode) == 0;
        if (!seen)
            print_smallest_block(run, run->cases[i].mode, work, out);
    }
out:
    free(models);
    free(work);
    return status;
}
