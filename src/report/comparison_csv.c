/* A comparison as CSV: one row a figure (RFC 4180, but lines end in \n). */
#include "config.h"

#include "report/comparison.h"
#include "report/escape.h"

#include <math.h>

/* An empty field stands for what is not known. */
static void put_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, ",%.15g", value);
    else
        fputc(',', out);
}

int comparison_csv(const struct comparison_report *report, FILE *out, struct err *err)
{
    const struct comparison *c = report->comparison;
    (void)err;
    fputs("id,metric,control,base,new,ratio,ci_low,ci_high,confidence,verdict\n", out);
    for (size_t i = 0; i < c->n_cases; i++) {
        for (int m = 0; m < COMPARED_METRICS; m++) {
            const struct comparison_row *row = &c->cases[i].rows[m];
            if (!row->known)
                continue;
            escape_csv(c->cases[i].id, out);
            fprintf(out, ",%s,", comparison_key(c, (enum compared)m));
            escape_csv(c->control != NULL && !compared_info[m].absolute ? c->control : "", out);
            put_number(out, row->base);
            put_number(out, row->fresh);
            put_number(out, row->change.ratio);
            put_number(out, row->change.low);
            put_number(out, row->change.high);
            put_number(out, row->judged ? c->confidence : NAN);
            fprintf(out, ",%s\n", row->judged ? change_verdict_name(row->verdict) : "");
        }
    }
    return 0;
}
