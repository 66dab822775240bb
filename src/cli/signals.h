/* INT, TERM and HUP end a run with its partial result. */
#ifndef IOBENCH_CLI_SIGNALS_H
#define IOBENCH_CLI_SIGNALS_H

#include <signal.h>

/* The number of the signal that came, or 0. */
const volatile sig_atomic_t *signals_seen(void);

/* From here on they are noted, and arrive only where the run waits for a child. */
void signals_catch(void);

/* Lets in what is still pending, then gives the signals their usual meaning back, so that a report
 * that nobody reads can be ended. */
void signals_release(void);

#endif
