#include "config.h"

#include "report/overview_columns.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static void print_factor(char *text, size_t size, double factor)
{
    snprintf(text, size, factor >= 99.95 ? "%.0f" : factor >= 9.995 ? "%.1f" : "%.2f", factor);
}

/* "1.16x slower (1.15 .. 1.16)" */
static void print_against(char *cell, const struct ratio *ratio)
{
    bool faster = ratio->verdict == VERDICT_FASTER ||
                  (ratio->verdict == VERDICT_INCONCLUSIVE && ratio->ratio < 1);
    double middle = faster ? 1 / ratio->ratio : ratio->ratio;
    double low = faster ? 1 / ratio->high : ratio->low;
    double high = faster ? 1 / ratio->low : ratio->high;
    char m[16], l[16], h[16];
    print_factor(m, sizeof m, middle);
    print_factor(l, sizeof l, low);
    print_factor(h, sizeof h, high);
    const char *word = faster ? "faster" : "slower";
    if (isnan(low))
        snprintf(cell, TABLE_CELL, "%sx %s, too few rounds", m, word);
    else if (ratio->verdict == VERDICT_SAME)
        snprintf(cell, TABLE_CELL, "same (%s .. %s)", l, h);
    else if (ratio->verdict == VERDICT_INCONCLUSIVE)
        snprintf(cell, TABLE_CELL, "%sx %s? (%s .. %s)", m, word, l, h);
    else
        snprintf(cell, TABLE_CELL, "%sx %s (%s .. %s)", m, word, l, h);
}

/* "sysread", or with the values that tell it from other sysreads. */
static void name_baseline(const struct run *run, const struct run_case *base, char *name,
                          size_t size)
{
    char shown[48];
    int used = snprintf(name, size, "%s", text_printable(base->label, shown, sizeof shown));
    for (int k = 0; k < KNOBS; k++) {
        bool differs = false;
        for (unsigned i = 0; i < run->n_cases; i++)
            differs |= strcmp(run->cases[i].label, base->label) == 0 &&
                       run->cases[i].params.value[k] != base->params.value[k];
        char value[TABLE_CELL];
        cell_param(value, base, (enum knob)k);
        if (differs && used > 0 && (size_t)used < size)
            used += snprintf(name + used, size - (size_t)used, " %s", value);
    }
}

int columns_add_against(const struct run *run, unsigned last_kept, struct table *table)
{
    int baseline = run_baseline(run);
    if (baseline < 0 || run->n_cases < 2)
        return 0;
    char heading[TABLE_CELL];
    const struct run_case *base = &run->cases[baseline];
    char name[TABLE_CELL - 24];
    name_baseline(run, base, name, sizeof name);
    snprintf(heading, sizeof heading, "against %s (95 %%)", name);
    size_t column = table_add_column(table, heading, true, last_kept);
    table->strong_row = (size_t)baseline;
    for (unsigned i = 0; i < run->n_cases; i++) {
        char *cell = table_cell(table, i, column);
        struct ratio ratio;
        struct err err = {0};
        if ((int)i == baseline)
            snprintf(cell, TABLE_CELL, "%s", run->baseline >= 0 ? "baseline" : "fastest");
        else if (run->cases[i].status != CASE_OK)
            snprintf(cell, TABLE_CELL, "-");
        else if (run_compare(run, i, (unsigned)baseline, run_confidence(run), &ratio, &err) != 0)
            return -1;
        else if (ratio.n > 0)
            print_against(cell, &ratio);
    }
    return 0;
}
