/* A load or a server alone, as a block of lines: there is nothing to compare. */
#ifndef IOBENCH_REPORT_SERVICE_TEXT_H
#define IOBENCH_REPORT_SERVICE_TEXT_H

#include "report/report.h"

/* Is the whole report about one load or one server that was measured? */
bool service_text_wanted(const struct report *report);

void service_text(const struct report *report, FILE *out);

#endif
