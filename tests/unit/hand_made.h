/* A run and all that a report needs, made by hand, for the tests of the reports. */
#ifndef IOBENCH_TESTS_HAND_MADE_H
#define IOBENCH_TESTS_HAND_MADE_H

#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ODD_NAME "od\"d\\|,\nname"
#define BAD_PATH \
    "bad\xff"    \
    "byte"

/* Four cases: sysread against mmap in the eight pairs of the design, one with an odd name that
 * takes twice as long, one that is skipped. */
struct hand_made {
    struct run run;
    struct host host;
    struct source source;
    struct source_file file;
    struct settings settings;
    struct report report;
};

enum { SYSREAD, MMAP, ODD, SKIPPED, CASES };
enum {
    KNOBS_OF_SYSREAD = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_BYTES) | KNOB_BIT(KNOB_CONSUME)
};

enum { PAIRS = 8 };

static const double pairs[PAIRS] = {1.05, 1.04, 1.06, 1.05, 1.07, 1.04, 1.05, 1.06};

static inline void set_up_case(struct run_case *c, const char *id, const char *mode)
{
    *c = (struct run_case){.id = strdup(id),
                           .label = strdup(mode),
                           .mode = strdup(mode),
                           .knobs = KNOB_BIT(KNOB_BYTES) | KNOB_BIT(KNOB_CONSUME),
                           .workers = 1};
    params_init(&c->params);
}

static inline int add_sample(struct run *run, uint32_t index, uint32_t round, double cost)
{
    struct err err = {0};
    struct sample sample = {.case_index = index,
                            .round = round,
                            .position = index,
                            .warmup = round == 0,
                            .complete = true,
                            .cpu = index == ODD ? -1 : 1,
                            .passes = 2,
                            .bytes = 2000,
                            .calls = index == MMAP ? UNKNOWN : 10,
                            .wall_ns = (uint64_t)(2 * cost),
                            .cpu_ns = (uint64_t)cost,
                            .peak_rss_bytes = 1 << 20,
                            .peak_rss_anon_bytes = UNKNOWN,
                            .storage_read_bytes = UNKNOWN};
    return samples_add(&run->samples, &sample, &err);
}

static inline int set_up_run(struct run *run)
{
    run->cases = calloc(CASES, sizeof *run->cases);
    if (run->cases == NULL)
        return -1;
    run->n_cases = CASES;
    run->baseline = -1;
    run->delta = 0.01;
    set_up_case(&run->cases[SYSREAD], "read/sysread/block_size=4096", "sysread");
    set_up_case(&run->cases[MMAP], "read/mmap", "mmap");
    set_up_case(&run->cases[ODD], "read/" ODD_NAME, ODD_NAME);
    set_up_case(&run->cases[SKIPPED], "read/io_uring/block_size=131072", "io_uring");
    run->cases[SYSREAD].knobs = KNOBS_OF_SYSREAD;
    run->cases[SYSREAD].params.value[KNOB_BLOCK_SIZE] = 4096;
    run->cases[SYSREAD].verified = VERIFIED_YES;
    run->cases[SYSREAD].has_digest = true;
    run->cases[SYSREAD].digest = 0xabc;
    run->cases[SYSREAD].has_profile = true;
    run->cases[SYSREAD].profile = (struct sample){.passes = 1, .wall_ns = 5, .user_ns = 2};
    run->cases[ODD].kind = CASE_EXEC;
    run_case_end(&run->cases[SKIPPED], CASE_SKIPPED, "unavailable", "built without it");
    int status = 0;
    for (uint32_t round = 0; round <= PAIRS; round++) {
        double cost = 1e6 * (round + 1);
        double ratio = round > 0 ? pairs[round - 1] : 9;
        status |= add_sample(run, SYSREAD, round, ratio * cost);
        status |= add_sample(run, MMAP, round, cost);
        status |= add_sample(run, ODD, round, 2 * cost);
    }
    run->rounds = PAIRS;
    run->rounds_ns = 1000000000;
    notes_add(&run->warnings, "ratio_drifts", NULL, "it wanders");
    notes_add(&run->errors, "ENOENT", BAD_PATH, "cannot open it");
    return status;
}

static inline int make_by_hand(void **state)
{
    static char path[] = BAD_PATH;
    static char command[] = "read", argument[] = "a b";
    static char *const argv[] = {command, argument, NULL};
    static const char *const modes[] = {"sysread", "mmap"};
    static const uint64_t block_sizes[] = {4096, 131072}, consume[] = {CONSUME_TOUCH},
                          bytes[] = {PARAM_NONE};
    static const struct label labels[] = {{"note", "say \"x\""}};
    struct hand_made *b = calloc(1, sizeof *b);
    *state = b;
    if (b == NULL || set_up_run(&b->run) != 0)
        return -1;
    b->host = (struct host){.kernel = "6.1",
                            .machine = "x86_64",
                            .usable_cpus = 2,
                            .memory_bytes = UNKNOWN,
                            .page_size_bytes = 4096,
                            .load_1m = NAN,
                            .clock_read_ns = 25.5,
                            .steal_ratio = NAN};
    b->file = (struct source_file){.path = path,
                                   .open_path = path,
                                   .fd = -1,
                                   .size_bytes = 1000,
                                   .stated_bytes = 1000,
                                   .filesystem = "ext4",
                                   .resident_ratio = 1,
                                   .resident_ratio_after = NAN,
                                   .regular = true};
    b->source = (struct source){&b->file, 1, false};
    b->settings = (struct settings){.modes = modes,
                                    .n_modes = 2,
                                    .knobs = KNOBS_OF_SYSREAD,
                                    .seed = 7,
                                    .precision = 0.005,
                                    .max_slowdown = NAN,
                                    .labels = labels,
                                    .n_labels = 1};
    b->settings.knob_values[KNOB_BLOCK_SIZE] = block_sizes;
    b->settings.n_knob_values[KNOB_BLOCK_SIZE] = 2;
    b->settings.knob_values[KNOB_CONSUME] = consume;
    b->settings.n_knob_values[KNOB_CONSUME] = 1;
    b->settings.knob_values[KNOB_BYTES] = bytes;
    b->settings.n_knob_values[KNOB_BYTES] = 1;
    b->report = (struct report){.version = "1.0",
                                .command = "read",
                                .argc = 2,
                                .argv = argv,
                                .started_at = 1769860800,
                                .elapsed_ns = 2000000000,
                                .settings = &b->settings,
                                .host = &b->host,
                                .source = &b->source,
                                .run = &b->run};
    return 0;
}

static inline int free_hand_made(void **state)
{
    struct hand_made *b = *state;
    run_free(&b->run);
    free(b);
    return 0;
}

#endif
