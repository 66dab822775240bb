/* Sentences about serving: who was the limit, how late sends were, what failed. */
#ifndef IOBENCH_REPORT_FINDINGS_SERVICE_H
#define IOBENCH_REPORT_FINDINGS_SERVICE_H

#include "report/report.h"

/* The name of a case as the other findings have it. */
typedef const char *case_namer(const struct run *run, unsigned index, char text[96]);

/* lead: index of the case that is ahead; -1: none was measured. */
void findings_service(const struct report *report, int lead, case_namer *name_of, FILE *out);

#endif
