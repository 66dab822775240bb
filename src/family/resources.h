/* What cases with two ends need of the system: descriptors and processors. */
#ifndef IOBENCH_FAMILY_RESOURCES_H
#define IOBENCH_FAMILY_RESOURCES_H

#include "base/err.h"
#include "measure/run.h"

/* Raises the soft limit of descriptors where n of the option, with so many each, need more; fails
 * with both figures where the hard limit does not allow it. */
int resources_need_descriptors(const char *option, uint64_t n, unsigned each,
                               struct err *err) MUST_CHECK;

/* Pins the two ends of a case as its KNOB_PLACE says; cpus is room that lives as long as the case.
 */
int resources_place(struct run_case *c, struct cpus cpus[2], struct err *err) MUST_CHECK;

#endif
