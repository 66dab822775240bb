/* What all reports are made of, and the reports. Nothing here prints by itself: a report goes to
 * the stream that it is given. */
#ifndef IOBENCH_REPORT_REPORT_H
#define IOBENCH_REPORT_REPORT_H

#include "base/err.h"
#include "base/host.h"
#include "base/source.h"
#include "measure/run.h"
#include "measure/trial.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

struct label {
    const char *key, *value;
};

/* Every effective option, defaults included. Times in nanoseconds, 0 where there is none. */
struct settings {
    const char *const *modes;
    size_t n_modes;
    const uint64_t *knob_values[KNOBS];
    size_t n_knob_values[KNOBS];
    knob_set knobs; /* those of the command's family */
    uint64_t rounds, warmup, seed;
    double precision, max_slowdown; /* ratios; max_slowdown NaN: no gate */
    uint64_t time_limit_ns, duration_ns, trial_time_ns, timeout_ns;
    bool quick, strict;
    const char *prepare, *baseline, *profile; /* or NULL */
    const struct cpus *cpus, *peer_cpus;      /* or NULL */
    bool is_stream;                           /* connections instead of files */
    bool is_events;                           /* handles that are waited on */
    bool is_service;                          /* connections that are served */
    const char *connect, *listen;             /* addresses; NULL: a sender of our own */
    bool sends;                               /* we are the sending end alone */
    uint64_t ramp_ns, interval_ns;            /* interval 0: not given */
    const char *const *execs;
    size_t n_execs;
    const char *exec_output; /* a path, or NULL: inherited */
    const char *const *exec_verify;
    size_t n_exec_verify;
    bool latency;
    const char *find_rate; /* as given; or NULL */
    const struct label *labels;
    size_t n_labels;
};

struct report {
    const char *version, *command;
    int argc;
    char *const *argv;
    time_t started_at;
    uint64_t elapsed_ns;
    const struct settings *settings;
    const struct host *host;
    const struct source *source;
    const struct run *run;
};

/* Each writes the whole report to out. An error of the stream itself is left on it, for the caller
 * to find with ferror(); -1 means that memory ran out. */
int report_json(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_csv(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_markdown(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_openmetrics(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_bmf(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_gha_smaller(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_gha_bigger(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_gbench(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_dat(const struct report *report, FILE *out, struct err *err) MUST_CHECK;
int report_hgrm(const struct report *report, FILE *out, struct err *err) MUST_CHECK;

struct text_style {
    unsigned width; /* columns; 0: as wide as it gets */
    bool color, verbose;
};
int report_text(const struct report *report, const struct text_style *style, FILE *out,
                struct err *err) MUST_CHECK;

#endif
