/* A calibration for people: what a gate can do on this machine. */
#include "config.h"

#include "report/calibration.h"
#include "report/table.h"

#include "base/text.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>

static void put_head(const struct calibration *c, FILE *out)
{
    char size[UNITS_TEXT], time[UNITS_TEXT], shown[512];
    const struct source_file *file = c->source->n > 0 ? &c->source->files[0] : NULL;
    if (file == NULL)
        return;
    fprintf(out, "%s: %s on %s · ",
            c->source->made ? "a file made for this run"
                            : text_printable(file->path, shown, sizeof shown),
            units_size(size, file->stated_bytes), file->filesystem);
    fprintf(out, "%zu rounds of two equal cases, %zu runs of unlike ones in %s\n", c->rounds,
            c->runs, units_time(time, (double)c->elapsed_ns));
    fprintf(out, "a clock reading costs %.0f ns", c->host->clock_read_ns);
    if (!isnan(c->host->steal_ratio))
        fprintf(out, " · the hypervisor took %.1f %% of the processor time",
                100 * c->host->steal_ratio);
    fputc('\n', out);
}

static void print_percent(char *cell, const char *sign, double ratio)
{
    if (isnan(ratio))
        snprintf(cell, TABLE_CELL, "-");
    else
        snprintf(cell, TABLE_CELL, "%s%.2f %%", sign, 100 * ratio);
}

static void fill_row(const struct calibration *c, const struct effect *e, struct table *t,
                     size_t row)
{
    char time[UNITS_TEXT];
    snprintf(table_cell(t, row, 0), TABLE_CELL, "%s", units_time(time, (double)e->time_ns));
    snprintf(table_cell(t, row, 1), TABLE_CELL, "%zu", e->windows);
    snprintf(table_cell(t, row, 2), TABLE_CELL, "%zu", e->misses);
    print_percent(table_cell(t, row, 3), "±", e->half_width);
    print_percent(table_cell(t, row, 4), "", e->smallest);
    print_percent(table_cell(t, row, 5), "", gate_finds(e->smallest, c->max_slowdown));
}

static int put_effects(const struct calibration *c, unsigned width, FILE *out)
{
    struct table t;
    char allowed[TABLE_CELL];
    if (table_init(&t, CALIBRATION_EFFECTS) != 0)
        return -1;
    snprintf(allowed, sizeof allowed, "found where %g %% is allowed", 100 * c->max_slowdown);
    table_add_column(&t, "time", false, 0);
    table_add_column(&t, "times", false, 0);
    table_add_column(&t, "missed", false, 2);
    table_add_column(&t, "half-width", false, 1);
    table_add_column(&t, "told apart", false, 0);
    table_add_column(&t, allowed, false, 0);
    for (size_t i = 0; i < CALIBRATION_EFFECTS; i++)
        fill_row(c, &c->effects[i], &t, i);
    table_fit(&t, width);
    fputc('\n', out);
    table_print(&t, false, out);
    fputc('\n', out);
    table_free(&t);
    return 0;
}

static void put_gates(const struct calibration *c, FILE *out)
{
    const struct calibration_gates *g = &c->gates;
    char time[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT];
    if (g->n == 0) {
        fputs("No gate came to its end.\n", out);
        return;
    }
    fprintf(out, "A gate of %g %% takes about %s here (middle 80 %%: %s .. %s).\n",
            100 * c->max_slowdown, units_time(time, g->time_ns.median),
            units_time(low, g->time_ns.p10), units_time(high, g->time_ns.p90));
    fprintf(out,
            "Of %zu gate%s between equal cases %zu raised a false alarm: %.1f .. %.1f in 100, at "
            "95 %%.\n",
            g->n, g->n == 1 ? "" : "s", g->false_alarms, 100 * g->rate_low, 100 * g->rate_high);
    if (g->settled < g->n)
        fprintf(out, "%zu of them %s not precise in %s: what cannot be told passes.\n",
                g->n - g->settled, g->n - g->settled == 1 ? "was" : "were",
                units_time(time, (double)c->gate_limit_ns));
}

static void put_smallest(const struct calibration *c, FILE *out)
{
    char time[UNITS_TEXT];
    for (size_t i = 0; i < CALIBRATION_EFFECTS; i++) {
        const struct effect *e = &c->effects[i];
        if (!isnan(e->smallest))
            fprintf(out, "Differences under %.1f %% cannot be counted on to be seen in %s.\n",
                    100 * e->smallest, units_time(time, (double)e->time_ns));
    }
}

static void put_noise(const struct calibration *c, FILE *out)
{
    char span[UNITS_TEXT];
    const struct noise *relative = &c->relative.noise, *absolute = &c->absolute.noise;
    if (isnan(relative->bound) || isnan(absolute->bound)) {
        fputs("There were too few runs to tell how much they differ.\n", out);
        return;
    }
    fprintf(
        out,
        "%zu runs of the same code in %s differed by up to %.1f %% relative to a control, %.1f %% "
        "in absolute figures.\n",
        c->runs, units_time(span, (double)c->span_ns), 100 * relative->range,
        100 * absolute->range);
    fprintf(out,
            "Two more differ by less than %.1f %% and %.1f %%, 95 times in 100: what compare "
            "--run-noise=FILE takes.\n",
            100 * relative->bound, 100 * absolute->bound);
}

int calibration_text(const struct calibration *c, unsigned width, FILE *out, struct err *err)
{
    put_head(c, out);
    if (put_effects(c, width, out) != 0)
        return err_set(err, ENOMEM, "cannot write the table");
    put_gates(c, out);
    put_smallest(c, out);
    put_noise(c, out);
    return 0;
}
