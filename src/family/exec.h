/* The user's own command as a case (--exec). */
#ifndef IOBENCH_FAMILY_EXEC_H
#define IOBENCH_FAMILY_EXEC_H

#include "base/params.h"
#include "base/source.h"
#include "measure/part.h"

#include <signal.h>
#include <sys/types.h>

/* How iobench itself was started: commands start the same way. */
struct exec_inheritance {
    sigset_t mask;
    bool sigpipe_ignored;
};

/* The part's arg; constant. */
struct exec_work {
    const char *name;
    char *command;           /* with everything filled in */
    char **argv;             /* its words when it needs no shell; NULL: it is given to /bin/sh */
    const char *input_path;  /* becomes standard input; NULL: /dev/null */
    const char *output_path; /* where standard output goes; NULL: it is inherited */
    uint64_t pass_bytes;     /* counted as delivered by a run that succeeds */
    const struct source *source; /* whose cache is prepared before each run */
    enum cache cache;
    bool keep_warm;
    const struct exec_inheritance *inheritance;
};

/* What a command is let loose on. */
struct exec_target {
    const struct source *source; /* files; NULL: none */
    const char *host;            /* where a sender waits for it; NULL: none does */
    unsigned port;
    uint64_t pass_bytes; /* what a run that succeeds has read; UNKNOWN: who knows */
    knob_set knobs;      /* of its cases, beside the block size */
};

/* "NAME=COMMAND" is split where NAME consists of letters, digits and ._-; else all is the command
 * and the name. Returns the command; the name's length is 0 when there is none. */
const char *exec_split_name(const char *text, size_t *name_length);

/* Does the command take the block size? */
bool exec_takes_block_size(const char *command);

/* Fills in {} (the files, quoted for a shell), {block_size}, {host} and {port}. Without {} the one
 * file becomes the standard input. On success exec_work_free gives the memory back. */
int exec_work_init(struct exec_work *work, const char *command, const struct exec_target *target,
                   uint64_t block_size, struct err *err) MUST_CHECK;
void exec_work_free(struct exec_work *work);

/* Starts the command and does not wait for it: for a server. */
int exec_spawn(const struct exec_work *work, pid_t *pid, struct err *err) MUST_CHECK;

/* One pass is one run of the command. A shell, where one is needed, is started before the clock and
 * waits: its start-up is in no figure. */
struct part exec_part(const struct exec_work *work);

/* The same, with the command's standard output digested instead of thrown away. */
struct part exec_verify_part(const struct exec_work *work);

#endif
