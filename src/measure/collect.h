/* From what both ends of a trial left on the stage to its sample, its intervals and histograms. */
#ifndef IOBENCH_MEASURE_COLLECT_H
#define IOBENCH_MEASURE_COLLECT_H

#include "measure/actor.h"

/* Sums the tallies; on an unfinished trial they are what was done until now. */
void collect_subject(const struct trial *trial, struct stage *stage, bool complete,
                     struct sample *sample);

/* Adds the other end, where there is one, to what collect_subject() made. */
void collect_peer(const struct trial *trial, struct stage *stage, struct sample *sample);

/* Adds the interval from the end of the last one to now. */
void collect_interval(const struct trial *trial, struct stage *stage, uint64_t started_ns);
/* The same for what was done after the last look at it. */
void collect_last_interval(const struct trial *trial, const struct sample *sample);

/* Adds the histograms of the driver's workers to those of the trial. */
void collect_histograms(const struct trial *trial, struct stage *stage);

#endif
