/* A run: its cases, what their trials measured, and what was noticed on the way. */
#ifndef IOBENCH_MEASURE_RUN_H
#define IOBENCH_MEASURE_RUN_H

#include "base/histogram.h"
#include "base/notes.h"
#include "base/params.h"
#include "measure/part.h"
#include "measure/perf.h"
#include "measure/sample.h"
#include "measure/trial.h"
#include "stats/ratio.h"

#include <stdbool.h>

enum case_kind { CASE_STRATEGY, CASE_EXEC };
enum case_status { CASE_OK, CASE_SKIPPED, CASE_FAILED, CASE_INVALID };
enum verified { VERIFIED_UNKNOWN, VERIFIED_NO, VERIFIED_YES };

/* A latency that is to be kept: this quantile must not be above ns. */
struct latency_bound {
    double quantile; /* 0.99 */
    uint64_t ns;
};

/* One step of the search for the highest rate that keeps it. */
struct rate_step {
    double rate; /* offered, requests per second; 0: as many as were answered */
    double requests_per_s;
    uint64_t value_ns; /* of the quantile; UNKNOWN: too few requests */
    bool kept;
};

/* A case: a strategy with its parameters, one row of the result. */
struct run_case {
    char *id;    /* read/sysread/block_size=8192, with #1, #2 when the same case stands twice */
    char *label; /* short, for text: sysread, or sysread#1 */
    char *mode;  /* the strategy's name, or that of the user's command */
    const char *caveat; /* what to mind before choosing it; or NULL */
    enum case_kind kind;
    struct params params;
    knob_set knobs; /* the knobs that this case has: KNOB_BIT()s */
    bool named;     /* asked for by name: not to measure it is an error */
    unsigned workers;
    struct part timed;     /* the work as it is measured */
    struct part verify;    /* the same with every byte digested; run == NULL: cannot be verified */
    struct part reference; /* reads the same bytes in another way, for verification */
    struct part peer;      /* the other end; run == NULL: there is none */
    unsigned peer_workers; /* its threads; 0 stands for one */
    struct link link;      /* what joins the two */
    bool lossy;            /* what the other end sends may get lost (UDP) */
    bool peer_drives;      /* as in struct trial */
    bool serves;           /* the same */
    uint64_t grace_ns;     /* the same */
    bool judges_itself;    /* who moves the bytes compares them: no error is the verification */
    const struct cpus *cpus, *peer_cpus; /* instead of the run's; or NULL */
    unsigned reference_workers;          /* 0 stands for one */
    uint64_t reference_key;              /* cases with the same key have the same reference */
    uint64_t least_trial_ns;             /* its trials must be this long at least */
    bool keeps_bytes; /* none reaches user space: a limit to look at, no way of reading */
    bool single_pass; /* a trial is one pass: a cold read, a run of the user's command */
    struct histogram *histogram[HISTOGRAMS]; /* all measured trials together; NULL: not asked */

    /* --find-rate */
    uint64_t *rate; /* of its load; may be set between trials. NULL: it has none */
    struct rate_step *steps;
    size_t n_steps;
    double found_rate; /* requests per second; 0: none was found */

    enum case_status status;
    char *reason;     /* why it is not CASE_OK */
    const char *code; /* the same as a word for scripts; static */
    enum verified verified;
    uint64_t digest;
    bool has_digest;
    uint64_t passes;            /* of a trial; fixed by the warm-up */
    uint64_t shared_passes;     /* the same, with those of cases that are nearly as fast */
    double pass_ns;             /* the fastest pass of the warm-up; 0: there was none */
    double ramp;                /* passes' worth of work before the clock; fixed by the warm-up */
    uint64_t pass_bytes;        /* of one pass; UNKNOWN until one was done */
    struct intervals intervals; /* of the last measured trial, where they were asked for */
    struct sample profile;      /* one long trial */
    bool has_profile;
    struct perf_symbol symbols[PERF_SYMBOLS]; /* where its time goes, by perf */
    size_t n_symbols;
};

struct run {
    struct run_case *cases;
    unsigned n_cases;
    struct samples samples;
    struct notes warnings, errors;
    unsigned rounds;    /* complete ones, warm-up not counted */
    uint64_t rounds_ns; /* that they took */
    int baseline;       /* index of the named one; -1: the fastest, picked from the data */
    bool by_cpu;        /* compare processor time: wall time is given (--rate) */
    bool by_requests;   /* what is done is requests, not bytes */
    bool served;        /* a server came to its regular end, by a signal */
    double delta;       /* what counts as the same: 0.01 is 1 % */
    int signal_number;  /* that ended the run early, or 0 */
    bool cut_short;     /* stopped by --rounds or --time-limit before it was precise */
};

/* The cost that cases are compared by: wall time per byte, or per pass where a case delivered none
 * (an empty file, a command that reads what it likes). The same for all cases of a run. */
double (*run_cost(const struct run *run))(const struct sample *);
const char *run_cost_name(const struct run *run);

/* The paired comparison of two cases over the rounds in which both were measured. */
int run_compare(const struct run *run, unsigned index, unsigned baseline, double confidence,
                struct ratio *ratio, struct err *err) MUST_CHECK;

/* Fills logs with ln(cost of a / cost of b), one for each round that has both, in the order of the
 * rounds; returns how many. logs holds run->samples.n numbers. */
size_t run_pair_logs(const struct run *run, unsigned a, unsigned b, double *logs);

/* The named baseline, or the case with the smallest median cost: of those that deliver their bytes,
 * if there are any. -1 when nothing was measured. */
int run_baseline(const struct run *run);

/* Confidence of each comparison, so that all hold together at 95 %: as many as there are other
 * cases for a named baseline, and all pairs when the fastest was picked from the data. */
double run_confidence(const struct run *run);

/* Measured trials (no warm-up, complete) of a case. */
unsigned run_count_trials(const struct run *run, unsigned index);

/* True for the samples that figures are made of. */
static inline bool sample_counts(const struct sample *sample)
{
    return !sample->warmup && sample->complete && sample->passes > 0;
}

/* Fills values, one per counting trial of the case, with value(sample), leaving NaN out; returns
 * how many. values holds run->samples.n numbers. */
size_t run_values(const struct run *run, unsigned index, double (*value)(const struct sample *),
                  double *values);

double sample_wall_ns_per_pass(const struct sample *sample);
double sample_wall_ns_per_byte(const struct sample *sample);    /* NaN without bytes */
double sample_cpu_ns_per_byte(const struct sample *sample);     /* the same */
double sample_wall_ns_per_request(const struct sample *sample); /* NaN without requests */
double sample_cpu_ns_per_request(const struct sample *sample);  /* the same */

/* Requests that were answered. */
uint64_t sample_requests(const struct sample *sample);
/* Requests that got no answer, or a wrong one. */
uint64_t sample_failures(const struct sample *sample);

/* Makes room for a histogram of a case's calls, in shared memory as the samples are. */
int run_add_histogram(struct histogram **histogram, struct err *err) MUST_CHECK;

/* What the other end sent and nobody received; UNKNOWN without another end. */
uint64_t sample_lost_bytes(const struct sample *sample);

/* Was the other end the limit of this trial? 1, 0, or -1: not known. The subject waited, or polled
 * in vain, for more than a tenth of the time, while the other end ran or wanted to run for at least
 * 95 % of it. */
int sample_peer_limited(const struct sample *sample);
/* The same of most trials of a case. */
int run_peer_limited(const struct run *run, unsigned index);

/* Marks a case as not measured, with the reason; the first reason stays. */
void run_case_end(struct run_case *c, enum case_status status, const char *code, const char *format,
                  ...) PRINTF_LIKE(4, 5);

const char *case_status_name(enum case_status status);

/* Frees ids, labels, modes, reasons, samples and notes; parts belong to their family. */
void run_free(struct run *run);

#endif
