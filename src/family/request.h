/* What the user asked for, as far as a family needs to know it: plain values, no option parser. */
#ifndef IOBENCH_FAMILY_REQUEST_H
#define IOBENCH_FAMILY_REQUEST_H

#include "base/params.h"
#include "family/address.h"
#include "family/exec.h"

#include <stdbool.h>
#include <stddef.h>

struct knob_values {
    uint64_t *values; /* in the order given; at least one */
    size_t n;
    bool given; /* on the command line: must have an effect, or is refused */
};

struct request {
    const char *const *modes; /* strategies and groups, in the order given */
    size_t n_modes;
    bool modes_given; /* false: the command's own choice */
    struct knob_values knobs[KNOBS];
    const char *const *execs; /* the user's own commands: [NAME=]COMMAND */
    size_t n_execs;
    const char *exec_output;        /* a path, or NULL: inherited */
    const char *const *exec_verify; /* names of commands whose output must equal the file */
    size_t n_exec_verify;
    uint64_t seed;
    bool latency; /* time single calls */
    bool sizes;   /* note how much single calls brought, where that varies */
    const struct address *connect, *listen; /* of a stream; NULL: not given */
    bool send;                              /* be the sending end alone */
    bool finds_rate;                        /* of a load: rates are tried */
    uint64_t timeout_ns;
    const struct exec_inheritance *inheritance;
};

#endif
