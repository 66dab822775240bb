/* What gates and comparisons can see on one machine: measured by `iobench calibrate`. */
#ifndef IOBENCH_REPORT_CALIBRATION_H
#define IOBENCH_REPORT_CALIBRATION_H

#include "base/host.h"
#include "base/notes.h"
#include "base/source.h"
#include "report/report.h"
#include "stats/gate.h"
#include "stats/noise.h"
#include "stats/summary.h"

enum { CALIBRATION_EFFECTS = 3 };

/* Gates of two equal cases, one behind the other. */
struct calibration_gates {
    size_t n, settled, false_alarms;
    double rate_low, rate_high; /* of false alarms, at 95 % */
    struct summary time_ns;
};

/* How much runs of one case differ: of the case that differs most. */
struct calibration_noise {
    const char *id; /* NULL: not known */
    struct noise noise;
};

struct calibration {
    const char *version;
    int argc;
    char *const *argv;
    time_t started_at;
    uint64_t elapsed_ns, seed;
    int signal_number; /* that ended it early, or 0 */
    double max_slowdown;
    uint64_t time_limit_ns, trial_time_ns, gate_limit_ns;
    bool quick;
    const struct host *host;
    const struct source *source;
    const char *equal_id; /* of the case that is compared with itself */
    size_t rounds;        /* of equal cases */
    uint64_t rounds_ns;
    struct calibration_gates gates;
    struct effect effects[CALIBRATION_EFFECTS];
    size_t runs;         /* of unlike cases */
    uint64_t span_ns;    /* from the first of them to the last */
    const char *control; /* id of their control */
    struct calibration_noise relative, absolute;
    struct notes warnings, errors;
};

/* Figures the gates and the effects from the tape. -1 when out of memory. */
int calibration_of_tape(const struct tape *tape, struct calibration *calibration,
                        struct err *err) MUST_CHECK;

/* Adds what should be minded about the figures. */
void calibration_doubt(struct calibration *calibration);

void calibration_free(struct calibration *calibration);

/* As those of report.h. */
int calibration_json(const struct calibration *calibration, FILE *out, struct err *err) MUST_CHECK;
int calibration_text(const struct calibration *calibration, unsigned width, FILE *out,
                     struct err *err) MUST_CHECK;

#endif
