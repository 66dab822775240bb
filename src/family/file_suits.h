/* Can a case be measured here, on this source? */
#ifndef IOBENCH_FAMILY_FILE_SUITS_H
#define IOBENCH_FAMILY_FILE_SUITS_H

#include "family/file_part.h"
#include "family/request.h"
#include "measure/run.h"

/* Marks the case as skipped, with the reason, when it cannot. */
void file_check_suits(struct run_case *c, const struct file_work *work,
                      const struct request *request);

#endif
