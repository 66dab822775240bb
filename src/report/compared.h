/* The figures that are compared between recorded runs: one row in compared.c makes one known to
 * --metric, to the reports and to the exports. */
#ifndef IOBENCH_REPORT_COMPARED_H
#define IOBENCH_REPORT_COMPARED_H

#include "report/load.h"

#include <stdbool.h>
#include <stddef.h>

enum compared {
    COMPARED_TIME,     /* wall time per byte, or per pass where a case moves no bytes */
    COMPARED_CPU,      /* processor time, the same */
    COMPARED_MEMORY,   /* peak of resident memory: no matter of the machine's speed */
    COMPARED_EVENTS,   /* wall time per event: 1/s of events */
    COMPARED_REQUESTS, /* wall time per request */
    COMPARED_P50,      /* of single calls, from here on */
    COMPARED_P90,
    COMPARED_P99,
    COMPARED_P999,
    COMPARED_METRICS
};

/* How a cost is shown to people. */
enum compared_unit {
    UNIT_NS,              /* a time */
    UNIT_NS_PER_BYTE,     /* the same by the byte */
    UNIT_NS_AS_BYTE_RATE, /* as bytes per second */
    UNIT_NS_AS_RATE,      /* as so many per second */
    UNIT_BYTES
};

/* What a cost is made of. */
enum compared_cost {
    COST_PER_WORK,  /* a time of the trial, per byte or pass */
    COST_PER_COUNT, /* the trial's wall time by one of its counts */
    COST_OF_TRIAL,  /* a figure of the trial */
    COST_OF_RUN     /* one figure of all trials: only several runs show how sure it is */
};

struct compared_info {
    const char *name;     /* on the command line */
    const char *heading;  /* in text, by the byte where it is */
    const char *key;      /* in JSON and CSV, with the unit */
    const char *pass_key; /* the same where it is taken by the pass; NULL: it is not */
    enum compared_unit unit;
    enum compared_cost cost;
    size_t at; /* offset of what the cost is made of: in a trial, or in a case for COST_OF_RUN */
    bool absolute; /* never relative to a control */
};

extern const struct compared_info compared_info[COMPARED_METRICS];

/* What a trial cost; NaN: not measured. */
double compared_cost(enum compared metric, const struct record_case *of,
                     const struct record_trial *trial, bool per_byte);

/* By its name, of that length; COMPARED_METRICS: there is none. */
enum compared compared_find(const char *name, size_t length);

#endif
