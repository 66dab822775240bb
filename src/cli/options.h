/* The options of the commands: a table for those that measure, one for compare and one for
 * calibrate, and the only use of argtable2. */
#ifndef IOBENCH_CLI_OPTIONS_H
#define IOBENCH_CLI_OPTIONS_H

#include "base/err.h"
#include "family/request.h"
#include "measure/trial.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdio.h>

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct text_list {
    const char **items;
    size_t n;
};

struct options {
    struct text_list modes, files, exports, execs;
    const char *exec_output; /* a path, or NULL: inherited */
    struct text_list exec_verify;
    bool latency;
    struct knob_values knobs[KNOBS];
    uint64_t rounds, warmup;                                        /* rounds 0: not given */
    uint64_t seed;                                                  /* UNKNOWN: not given */
    double precision, max_slowdown;                                 /* NaN: not given */
    uint64_t time_limit_ns, duration_ns, trial_time_ns, timeout_ns; /* UNKNOWN: not given */
    uint64_t ramp_ns, interval_ns;                                  /* UNKNOWN: not given */
    bool send, ctl, quick, dry_run, json, quiet, verbose, strict, help, version;
    const char *prepare, *baseline, *profile; /* NULL: not given */
    struct cpus *cpus, *peer_cpus;            /* NULL: not given */
    struct address *connect, *listen;         /* NULL: not given */
    const char *find_rate;                    /* as given; NULL: not */
    struct latency_bound bound;               /* the same, read */
    enum when color, progress;
    struct text_list base, fresh; /* documents of either side; from here on for compare alone */
    const char *relative_to;      /* NULL: not given */
    double run_noise;             /* NaN: not given */
    const char *calibration;      /* where it is taken from instead; NULL: not given */
    unsigned judged;              /* a bit for each enum compared; 0: not given */
    bool absolute, force;
    struct label *labels;
    size_t n_labels;
};

/* Appends an item, which the list does not own. */
int text_list_add(struct text_list *list, const char *item, struct err *err) MUST_CHECK;

/* Parses the arguments behind the command's name; argv[0] is that name. set and knobs are the
 * command's. Nothing is opened. The strings are those of argv, or live until options_free.
 */
int options_parse(int argc, char **argv, unsigned set, knob_set knobs, struct options *options,
                  struct err *err) MUST_CHECK;

void options_free(struct options *options);

/* One line an option, as --help shows them. */
void options_print(unsigned set, knob_set knobs, FILE *out);

#endif
