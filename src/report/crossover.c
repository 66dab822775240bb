#include "config.h"

#include "report/crossover.h"

#include "report/table.h"
#include "stats/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 16, MOST_NAMED = 3 };

/* The values that a knob takes, in the order of the cases. */
struct values {
    uint64_t value[MOST_VALUES];
    size_t n;
};

static void collect(const struct run *run, enum knob knob, struct values *values)
{
    *values = (struct values){.n = 0};
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        bool known = !(c->knobs & KNOB_BIT(knob)) || values->n == MOST_VALUES;
        for (size_t j = 0; j < values->n && !known; j++)
            known = values->value[j] == c->params.value[knob];
        if (!known)
            values->value[values->n++] = c->params.value[knob];
    }
}

bool crossover_wanted(const struct run *run)
{
    struct values handles, active;
    collect(run, KNOB_HANDLES, &handles);
    collect(run, KNOB_ACTIVE, &active);
    return handles.n > 1 || active.n > 1;
}

static double cost_of(const struct run *run, unsigned index, double *work)
{
    struct summary s;
    summarize(work, run_values(run, index, run_cost(run), work), &s);
    return s.median;
}

/* The case of the cell with the least cost, or -1. */
static int find_fastest(const struct run *run, uint64_t handles, uint64_t active, double *work)
{
    int fastest = -1;
    double least = INFINITY;
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        if (c->status != CASE_OK || c->params.value[KNOB_HANDLES] != handles ||
            c->params.value[KNOB_ACTIVE] != active)
            continue;
        double cost = cost_of(run, i, work);
        if (cost < least) {
            least = cost;
            fastest = (int)i;
        }
    }
    return fastest;
}

/* "epoll", or "epoll = poll" where the two were not told apart. */
static int fill_cell(const struct run *run, uint64_t handles, uint64_t active, double *work,
                     char cell[TABLE_CELL], struct err *err)
{
    int fastest = find_fastest(run, handles, active, work);
    unsigned named = 1;
    if (fastest < 0) {
        snprintf(cell, TABLE_CELL, "-");
        return 0;
    }
    int used = snprintf(cell, TABLE_CELL, "%.30s", run->cases[fastest].label);
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        struct ratio r;
        if ((int)i == fastest || c->status != CASE_OK || c->params.value[KNOB_HANDLES] != handles ||
            c->params.value[KNOB_ACTIVE] != active)
            continue;
        if (run_compare(run, i, (unsigned)fastest, run_confidence(run), &r, err) != 0)
            return -1;
        if (r.verdict == VERDICT_SLOWER || used < 0 || used + 24 > TABLE_CELL)
            continue;
        if (++named <= MOST_NAMED)
            used += snprintf(cell + used, TABLE_CELL - (size_t)used, " = %.18s", c->label);
        else if (named == MOST_NAMED + 1)
            used += snprintf(cell + used, TABLE_CELL - (size_t)used, " = ...");
    }
    return 0;
}

int crossover_print(const struct run *run, FILE *out, struct err *err)
{
    struct values handles, active;
    struct table table;
    collect(run, KNOB_HANDLES, &handles);
    collect(run, KNOB_ACTIVE, &active);
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    if (work == NULL || table_init(&table, handles.n) != 0) {
        free(work);
        return err_set(err, ENOMEM, "cannot draw the map");
    }
    int status = 0;
    size_t first = table_add_column(&table, "fastest with", false, 0);
    for (size_t h = 0; h < handles.n; h++)
        snprintf(table_cell(&table, h, first), TABLE_CELL, "%" PRIu64 " handles", handles.value[h]);
    for (size_t a = 0; a < active.n && status == 0; a++) {
        char heading[32];
        snprintf(heading, sizeof heading, "%" PRIu64 " %% active", active.value[a]);
        size_t column = table_add_column(&table, heading, true, 0);
        for (size_t h = 0; h < handles.n && status == 0; h++)
            status = fill_cell(run, handles.value[h], active.value[a], work,
                               table_cell(&table, h, column), err);
    }
    if (status == 0) {
        table_print(&table, false, out);
        fputs("  = : not told apart from the fastest\n", out);
    }
    table_free(&table);
    free(work);
    return status;
}
