#include "config.h"

#include "cli/signals.h"

#include <stddef.h>

static volatile sig_atomic_t seen;

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { CAUGHT = sizeof caught / sizeof caught[0] };

const volatile sig_atomic_t *signals_seen(void)
{
    return &seen;
}

static void note(int number)
{
    if (seen == 0)
        seen = number;
}

static void handle_with(void (*handler)(int))
{
    for (size_t i = 0; i < CAUGHT; i++) {
        struct sigaction now, wanted = {.sa_handler = handler};
        sigemptyset(&wanted.sa_mask);
        /* nohup's wish is respected */
        if (sigaction(caught[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(caught[i], &wanted, NULL);
    }
}

void signals_catch(struct exec_inheritance *before)
{
    struct sigaction pipe_action;
    sigprocmask(SIG_SETMASK, NULL, &before->mask);
    before->sigpipe_ignored =
        sigaction(SIGPIPE, NULL, &pipe_action) == 0 && pipe_action.sa_handler == SIG_IGN;
    signal(SIGPIPE, SIG_IGN);
    handle_with(note);
}

void signals_release(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < CAUGHT; i++)
        sigaddset(&set, caught[i]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    handle_with(SIG_DFL);
}
