/* Programs beside the bench: servers that it starts and stops, commands whose CPU it counts. */
#ifndef IOBENCH_BENCH_OUTSIDE_H
#define IOBENCH_BENCH_OUTSIDE_H

#include <stddef.h>
#include <sys/types.h>

/* A port of 127.0.0.1 that nobody listens at. 0, after saying so, when there is none. */
unsigned outside_port(void);

/* A shell command in the background, once it accepts at the port. -1 after saying so. */
pid_t outside_start(const char *command, unsigned port);
/* TERM, and waits for its end. */
void outside_stop(pid_t pid);
/* A signal to a process and all that descend from it. */
void outside_signal(pid_t pid, int signal);

/* What a shell command wrote, and the processor time of it and its children in seconds; NaN after
 * saying so when it failed. */
double outside_cpu_s(const char *command, char *text, size_t size);

#endif
