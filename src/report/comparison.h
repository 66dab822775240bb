/* Recorded runs against others: what changed. */
#ifndef IOBENCH_REPORT_COMPARISON_H
#define IOBENCH_REPORT_COMPARISON_H

#include "base/notes.h"
#include "report/compared.h"
#include "report/load.h"
#include "report/load_calibration.h"
#include "report/report.h"
#include "stats/change.h"

/* How much runs of the same code are taken to differ, unless said otherwise: ratios to a control of
 * the same run, and absolute figures. Found on a shared virtual machine, where the standard
 * deviations were 0.9 % and 13 %. */
#define RUN_NOISE_RELATIVE 0.05
#define RUN_NOISE_ABSOLUTE 0.30

/* From so many runs a side the runs themselves show how much they differ. */
enum { RUNS_ENOUGH = 4, RUNS_MOST = 32 };

struct comparison_wish {
    bool absolute, force;
    const char *relative_to; /* id of the control; NULL: the baseline of the first base run */
    double run_noise;        /* NaN: by what is compared */
    const struct calibrated *calibrated; /* where run_noise is taken from instead; NULL: none */
    double max_slowdown;                 /* 0.05 for 5 % */
    unsigned judged;                     /* a bit for each enum compared that gets a verdict */
};

struct comparison_row {
    bool known, judged;
    double base, fresh;   /* medians of the runs' medians, absolute; bytes or nanoseconds */
    struct change change; /* of what is compared, so relative to the control where there is one */
    enum change_verdict verdict; /* if judged */
};

/* A figure that does not vary within a run, and so should not between runs. */
struct comparison_count {
    const char *name;
    bool known;
    double base, fresh; /* a pass */
};

enum comparison_counts { COUNT_BYTES, COUNT_CALLS, COMPARISON_COUNTS };

struct comparison_case {
    const char *id, *mode;
    bool is_control;
    struct comparison_row rows[COMPARED_METRICS];
    struct comparison_count counts[COMPARISON_COUNTS];
};

/* A case that cannot be compared. */
struct comparison_loss {
    const char *id, *path, *reason; /* path: of the document that lacks it */
    bool in_base;                   /* the base has it, measured */
};

struct comparison {
    const struct comparison_wish *wish;
    const struct record *base, *fresh; /* the runs of either side */
    size_t n_base, n_fresh;
    const char *control; /* id; NULL: absolute figures */
    bool per_byte, many; /* many: RUNS_ENOUGH a side */
    double run_noise;    /* NaN: none is assumed */
    double control_change[COMPARED_METRICS]; /* logarithm; of the control's own figure; NaN: unknown,
                                                and where figures are not relative to it */
    double confidence;   /* of each interval, so that all hold together at 95 % */
    size_t n_judged;
    struct comparison_case *cases;
    size_t n_cases;
    struct comparison_loss *losses;
    size_t n_losses;
    struct notes warnings, errors;
};

/* Compares. The records and the wish must live as long as the comparison. -1 when that is refused,
 * with the sentence; free it with comparison_free in any case. */
int comparison_make(const struct record *base, size_t n_base, const struct record *fresh,
                    size_t n_fresh, const struct comparison_wish *wish, struct comparison *c,
                    struct err *err) MUST_CHECK;
void comparison_free(struct comparison *comparison);

/* The worst of all: regressed, inconclusive, improved, same. */
enum change_verdict comparison_verdict(const struct comparison *comparison);

/* What stands around a comparison in its reports. */
struct comparison_report {
    const char *version;
    int argc;
    char *const *argv;
    const struct comparison *comparison;
};

/* As those of report.h. */
int comparison_json(const struct comparison_report *report, FILE *out, struct err *err) MUST_CHECK;
int comparison_csv(const struct comparison_report *report, FILE *out, struct err *err) MUST_CHECK;
int comparison_markdown(const struct comparison_report *report, FILE *out,
                        struct err *err) MUST_CHECK;
int comparison_openmetrics(const struct comparison_report *report, FILE *out,
                           struct err *err) MUST_CHECK;
int comparison_bmf(const struct comparison_report *report, FILE *out, struct err *err) MUST_CHECK;
int comparison_gha_smaller(const struct comparison_report *report, FILE *out,
                           struct err *err) MUST_CHECK;
int comparison_dat(const struct comparison_report *report, FILE *out, struct err *err) MUST_CHECK;
int comparison_text(const struct comparison_report *report, const struct text_style *style,
                    FILE *out, struct err *err) MUST_CHECK;

/* Keys in JSON and CSV, which hold the unit. */
const char *comparison_key(const struct comparison *comparison, enum compared metric);

#endif
