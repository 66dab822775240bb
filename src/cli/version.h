/* The version, and what is built in. */
#ifndef IOBENCH_CLI_VERSION_H
#define IOBENCH_CLI_VERSION_H

void version_print(void);

#endif
