/* A command: one file that ends in a `const struct command`, and one row in main.c. */
#ifndef IOBENCH_CLI_COMMAND_H
#define IOBENCH_CLI_COMMAND_H

#include "base/params.h"

#include <stdbool.h>
#include <stddef.h>

/* Sets of options that only some commands have. */
enum {
    OPTIONS_FILE = 1u << 0,
    OPTIONS_STREAM = 1u << 1,
    OPTIONS_EVENTS = 1u << 2,
    OPTIONS_COMPARE = 1u << 3,
    OPTIONS_SERVICE = 1u << 4,
    OPTIONS_CALIBRATE = 1u << 5
};

struct command {
    const char *name;
    const char *usage;                /* behind "iobench" */
    const char *summary;              /* one line, for the list of commands */
    const char *help;                 /* a paragraph, for --help; or NULL */
    unsigned options;                 /* OPTIONS_ */
    knob_set knobs;                   /* of its family; 0: it has no measuring options */
    const char *const *default_modes; /* NULL-terminated; NULL: none */

    /* argv[0] is the command's name. Returns the exit status. */
    int (*run)(const struct command *command, int argc, char **argv);
};

/* All commands, in the order in which help lists them. NULL-terminated. */
extern const struct command *const commands[];

const struct command *command_find(const char *name);

/* Usage, help and options of one command on standard output. */
void command_print_help(const struct command *command);

struct options;

/* Reads the arguments behind the command's name, and does what ends with that: a wrong one, --help
 * and --version. False: *status is the exit status. */
bool command_begin(const struct command *command, knob_set knobs, int argc, char **argv,
                   struct options *options, int *status);

/* Usage error: says the message and where help is; returns EXIT_USAGE. */
int command_usage_error(const char *name, const char *message);

#endif
