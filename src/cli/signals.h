/* INT, TERM and HUP end a run with its partial result. */
#ifndef IOBENCH_CLI_SIGNALS_H
#define IOBENCH_CLI_SIGNALS_H

#include "family/exec.h"

#include <signal.h>

/* The number of the signal that came, or 0. */
const volatile sig_atomic_t *signals_seen(void);

/* From here on they are noted; SIGPIPE is ignored. What was found before is kept for the commands
 * that are started. Once child_block_signals() is called they arrive only where a child is awaited.
 */
void signals_catch(struct exec_inheritance *before);

/* Lets in what is still pending, then gives the signals their usual meaning back, so that a report
 * that nobody reads can be ended. */
void signals_release(void);

#endif
