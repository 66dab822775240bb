/* The family of file reading: from a request and a source to cases. */
#ifndef IOBENCH_FAMILY_FILE_H
#define IOBENCH_FAMILY_FILE_H

#include "base/source.h"
#include "family/request.h"
#include "measure/run.h"

#include <signal.h>

/* The knobs that every file strategy has. */
#define FILE_KNOBS                                                          \
    (KNOB_BIT(KNOB_BYTES) | KNOB_BIT(KNOB_CACHE) | KNOB_BIT(KNOB_CONSUME) | \
     KNOB_BIT(KNOB_OFFSET) | KNOB_BIT(KNOB_SIZE) | KNOB_BIT(KNOB_THREADS))

struct file_plan;

/* Checks the request as far as that needs no file: names, and knobs that no chosen strategy has. */
int file_check_request(const struct request *request, struct err *err) MUST_CHECK;

/* Adds the cases to the run. Those that cannot be measured on this source or this machine are there
 * as skipped, with the reason. The plan must outlive the run, request and source must outlive the
 * plan; free it with file_plan_free. NULL on failure. */
struct file_plan *file_plan_cases(const struct request *request, const struct source *source,
                                  struct run *run, struct err *err);

void file_plan_free(struct file_plan *plan);

/* Bytes of one pass, UNKNOWN where a file does not tell its size. */
uint64_t file_pass_bytes(const struct request *request, const struct source *source);

/* A file of size bytes of text-like data (lines of some 64 printable bytes) without a name, in
 * $TMPDIR or /tmp; it is gone when the process is, however that ends.
 * Fails with EINTR once *interrupted is set. */
int file_make(struct source *source, uint64_t size, uint64_t seed,
              const volatile sig_atomic_t *interrupted, struct err *err) MUST_CHECK;

#endif
