/* Recorded documents, read back. A document may come from anywhere and is treated as hostile: what
 * does not fit is an error that names the place in it, as in "results[3].trials[0].wall_ns: a whole
 * number was expected". What a later version may add is passed over. */
#ifndef IOBENCH_REPORT_LOAD_H
#define IOBENCH_REPORT_LOAD_H

#include "base/err.h"
#include "base/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beyond these a document is refused: in bytes, and in values (a few bytes of a document can cost a
 * hundred of memory). */
#define LOAD_MOST_BYTES (UINT64_C(256) << 20)
#define LOAD_MOST_VALUES (UINT64_C(8) << 20)

/* A trial that counts: no warm-up, complete, with passes. UNKNOWN where there is null. */
struct record_trial {
    uint64_t round, passes, bytes, calls, wall_ns, cpu_ns, peak_rss_bytes;
    uint64_t messages, requests; /* UNKNOWN as well where the command counts none */
};

/* What was measured of one case. */
struct record_case {
    char *id, *mode;
    char *params; /* its JSON, compact, with sorted keys: equal texts are equal parameters */
    char *status, *reason; /* reason NULL: none */
    struct record_trial *trials;
    size_t n_trials;
    uint64_t p50_ns, p90_ns, p99_ns, p999_ns; /* of single calls; UNKNOWN: not asked for */
};

/* A fact by which two documents may differ, as the JSON of its value. */
struct record_fact {
    const char *key; /* static */
    char *value;     /* "null" where the document has none */
};

enum { RECORD_HOST_FACTS = 4, RECORD_SYSTEM_FACTS = 4, RECORD_OPTIONS = 11 };

struct record {
    char *path; /* as given */
    char *version, *command;
    char started_at[21]; /* 2026-01-31T12:00:00Z: later ones sort behind earlier ones */
    uint64_t seed;
    bool interrupted;
    struct record_fact host[RECORD_HOST_FACTS];     /* the machine */
    struct record_fact system[RECORD_SYSTEM_FACTS]; /* what runs on it */
    struct record_fact options[RECORD_OPTIONS];     /* those that change what a trial is */
    char *files;                                    /* paths, sizes and file systems, as JSON */
    double resident; /* share of the files in the page cache, the least of all; NaN: not known */
    char *baseline;  /* id of the case that the others were compared with; NULL: none */
    struct record_case *cases;
    size_t n_cases;
    const struct record_case **by_id; /* the same, sorted */
};

/* Reads the document at path, "-" for standard input. Free it with record_free, whatever comes
 * back. */
int record_load(const char *path, struct record *record, struct err *err) MUST_CHECK;

/* The same from memory; path stands in messages. */
int record_parse(const char *path, const char *text, size_t size, struct record *record,
                 struct err *err) MUST_CHECK;

void record_free(struct record *record);

/* Frees their values. */
void record_facts_free(struct record_fact *facts, size_t n);

/* A case by its id, or NULL. */
const struct record_case *record_find(const struct record *record, const char *id);

#endif
