/* Names of cases. */
#ifndef IOBENCH_FAMILY_CASE_ID_H
#define IOBENCH_FAMILY_CASE_ID_H

#include "measure/run.h"

/* "read/sysread/block_size=8192": the family's command, the mode, and the parameters that differ
 * from their default; block_size always, where the case has one. The caller frees it; NULL when out
 * of memory. */
char *case_id(const char *command, const char *mode, knob_set knobs, const struct params *params);

/* Appends #1, #2, ... to the ids and labels of cases that would otherwise have the same id. */
int case_ids_number(struct run *run, struct err *err) MUST_CHECK;

/* The case that text names: an id, a mode, "mode/key=value", or any other part of an id that fits
 * one case only. The index, or -1 with the candidates in the message. */
int case_find(const struct run *run, const char *text, struct err *err);

#endif
