#include "config.h"

#include "report/overview_columns.h"

#include "base/text.h"
#include "base/units.h"

#include <math.h>

static void print_residency(const struct source *source, FILE *out)
{
    double resident = 0, total = 0;
    for (size_t i = 0; i < source->n; i++) {
        const struct source_file *file = &source->files[i];
        if (isnan(file->resident_ratio))
            return;
        resident += file->resident_ratio * (double)file->size_bytes;
        total += (double)file->size_bytes;
    }
    if (total > 0)
        fprintf(out, ", %.*f %% in the page cache", resident < total && resident / total > 0.995,
                100 * resident / total);
}

static void print_source(const struct report *report, FILE *out)
{
    const struct source *source = report->source;
    char size[UNITS_TEXT], name[300];
    uint64_t total = 0;
    bool known = source->n > 0;
    for (size_t i = 0; i < source->n; i++) {
        known &= source->files[i].size_bytes != UNKNOWN;
        total += source->files[i].stated_bytes;
    }
    if (source->n == 0) {
        fputs("nothing to read", out);
        return;
    }
    if (source->made && source->n > 1)
        fprintf(out, "%zu files made for this run", source->n);
    else if (source->made)
        fputs("a file made for this run", out);
    else if (source->n == 1)
        fputs(text_printable(source->files[0].path, name, sizeof name), out);
    else
        fprintf(out, "%zu files", source->n);
    if (known)
        fprintf(out, ": %s on %s", units_size(size, total), source->files[0].filesystem);
    else
        fprintf(out, ": on %s, size not known", source->files[0].filesystem);
    print_residency(source, out);
}

static void add_columns(const struct report *report, const struct figures *figures, bool verbose,
                        struct table *table)
{
    const struct run *run = report->run;
    columns_add_rate(run, figures, table);
    columns_add_times(run, figures, table);
    columns_add_sizes(run, table);
    columns_add_latency(run, table);
    columns_add_usage(run, figures, verbose, table);
}

const struct overview_family overview_file = {print_source, add_columns, 0};
