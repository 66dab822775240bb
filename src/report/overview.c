#include "config.h"

#include "report/overview.h"

#include "base/text.h"
#include "base/units.h"
#include "report/overview_columns.h"

#include <stdlib.h>

static const struct overview_family *family_of(const struct report *report)
{
    const struct settings *s = report->settings;
    return s->is_service  ? &overview_service
           : s->is_events ? &overview_events
           : s->is_stream ? &overview_stream
                          : &overview_file;
}

void overview_source(const struct report *report, FILE *out)
{
    family_of(report)->source(report, out);
}

void overview_effort(const struct report *report, FILE *out)
{
    const struct run *run = report->run;
    char time[UNITS_TEXT];
    if (run->rounds == 0) {
        fputs("no complete round", out);
        return;
    }
    if (run->n_cases == 1)
        fprintf(out, "%u trial%s", run->rounds, run->rounds == 1 ? "" : "s");
    else
        fprintf(out, "%u round%s of %u cases", run->rounds, run->rounds == 1 ? "" : "s",
                run->n_cases);
    fprintf(out, " in %s", units_time(time, (double)run->rounds_ns));
}

int overview_table(const struct report *report, bool verbose, struct table *table)
{
    const struct run *run = report->run;
    struct figures *figures = calloc(run->n_cases + 1, sizeof *figures);
    int status = -1;
    if (table_init(table, run->n_cases) != 0 || figures == NULL)
        goto out;
    if (figures_make(run, figures) != 0)
        goto out;
    size_t mode = table_add_column(table, "mode", true, 0);
    for (unsigned i = 0; i < run->n_cases; i++)
        text_printable(run->cases[i].label, table_cell(table, i, mode), TABLE_CELL);
    columns_add_knobs(run, table);
    family_of(report)->add_columns(report, figures, verbose, table);
    status = columns_add_against(run, family_of(report)->against_kept, table);
    table_hide_silent(table);
out:
    free(figures);
    if (status != 0)
        table_free(table);
    return status;
}
