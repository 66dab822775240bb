/* What `iobench calibrate` found out about how much runs differ, read back with the same care as
 * recorded runs. */
#ifndef IOBENCH_REPORT_LOAD_CALIBRATION_H
#define IOBENCH_REPORT_LOAD_CALIBRATION_H

#include "report/load.h"

/* Beyond this much it says nothing: 10 is 1000 %. */
#define CALIBRATED_MOST_NOISE 10

struct calibrated {
    char *path; /* as given */
    char started_at[21];
    struct record_fact host[RECORD_HOST_FACTS], system[RECORD_SYSTEM_FACTS];
    double relative, absolute; /* 0.05 for 5 %; NaN: not known */
};

/* As those of load.h. */
int calibrated_load(const char *path, struct calibrated *calibrated, struct err *err) MUST_CHECK;
int calibrated_parse(const char *path, const char *text, size_t size, struct calibrated *calibrated,
                     struct err *err) MUST_CHECK;
void calibrated_free(struct calibrated *calibrated);

#endif
