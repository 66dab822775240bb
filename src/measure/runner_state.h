/* What the stages of a run share: runner.c, verify.c, profile.c. */
#ifndef IOBENCH_MEASURE_RUNNER_STATE_H
#define IOBENCH_MEASURE_RUNNER_STATE_H

#include "measure/runner.h"

struct runner_state {
    const struct runner *runner;
    struct run *run;
    struct err *err;
    uint64_t rounds_started_ns;
    unsigned precise_looks; /* in a row, until now */
    bool source_changes;    /* the same reading gave other bytes: nothing can be verified */
};

bool runner_is_interrupted(const struct runner_state *s);
void runner_report(const struct runner_state *s, const char *stage, const char *label,
                   unsigned round);
struct trial runner_trial(const struct runner_state *s, const struct part *part, unsigned workers,
                          uint64_t passes);
/* The same of a case, with its other end. */
struct trial runner_case_trial(const struct runner_state *s, const struct run_case *c,
                               const struct part *part, uint64_t passes);

/* Runs a trial of case index after the user's --prepare; a case that cannot go on is ended. True
 * when the sample is complete. */
bool runner_try(struct runner_state *s, unsigned index, const struct trial *trial,
                struct sample *sample);

/* An unfinished trial is worth keeping when it moved something: it is the partial result. */
int runner_keep_unfinished(struct runner_state *s, struct sample *sample, unsigned round,
                           unsigned position, bool warmup) MUST_CHECK;

/* How many passes of per_pass nanoseconds fill ns; at least one. */
uint64_t runner_passes_for(uint64_t ns, double per_pass);

/* Stages. */
int runner_verify(struct runner_state *s) MUST_CHECK;

/* A load that compares what it gets has verified it, or found it wrong: looks at its trial. */
void runner_check_itself(struct run_case *c, struct sample *sample);
/* Keeps the sample of a trial. */
int runner_keep(struct runner_state *s, struct sample *sample, unsigned round, unsigned position,
                bool warmup) MUST_CHECK;

/* Searches the highest rate of a case that keeps the bound. What goes wrong stands in the case. */
int runner_search(struct runner_state *s, unsigned index) MUST_CHECK;

void runner_profile(struct runner_state *s, unsigned index);

#endif
