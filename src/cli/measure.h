/* The way of every measuring command: options, plan, trials, report. */
#ifndef IOBENCH_CLI_MEASURE_H
#define IOBENCH_CLI_MEASURE_H

#include "cli/command.h"

/* A command's run for the file family. */
int measure_files(const struct command *command, int argc, char **argv);

#endif
