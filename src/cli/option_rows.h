/* The table of options: names, help, and how each value is read into struct options. The knobs of
 * base/params are options as well; they stand in front of the row that says so. */
#ifndef IOBENCH_CLI_OPTION_ROWS_H
#define IOBENCH_CLI_OPTION_ROWS_H

#include "cli/options.h"

typedef int apply_function(struct options *options, const char *value, struct err *err);

/* How an option's value is read and where in struct options it goes. */
enum option_kind { FLAG, COUNT, TIME, PERCENT, TEXT, WHEN, APPLY };

struct option_row {
    const char *letters, *name;
    const char *datatype; /* shown by --help; NULL for a FLAG */
    const char *help;
    enum option_kind kind;
    size_t at;             /* offset of the member, for all kinds but APPLY */
    uint64_t least, most;  /* of a COUNT; of a PERCENT, in percent */
    apply_function *apply; /* for APPLY */
    unsigned only;         /* of the commands with these OPTIONS_; 0: of all */
    bool before_knobs;     /* the family's knobs stand in front of this row */
};

enum { OPTION_ROWS = 48 }; /* room; the table ends with a row without a name */
extern const struct option_row option_rows[OPTION_ROWS];
extern const struct option_row compare_rows[OPTION_ROWS];
extern const struct option_row calibrate_rows[OPTION_ROWS];

/* Reads a value into its member; the last one wins. value is NULL for a FLAG. */
int option_row_apply(struct options *options, const struct option_row *row, const char *value,
                     struct err *err) MUST_CHECK;

/* The same for the list of values of a knob. */
int option_knob_apply(struct options *options, enum knob knob, const char *value,
                      struct err *err) MUST_CHECK;

#endif
