/* Stackful coroutines: a stack each, entered by makecontext(3) and switched by _setjmp(3), which
 * makes no system call (swapcontext(3) makes two a pair; CONTRIBUTING.md has the figures). */
#ifndef IOBENCH_STRATEGY_COROUTINE_H
#define IOBENCH_STRATEGY_COROUTINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* ucontext.h stands for a system where they work. */
#if defined HAVE_UCONTEXT_H && defined HAVE_SYS_EPOLL_H
#define HAVE_COROUTINES 1

#include <setjmp.h>

struct coroutine {
    jmp_buf inside, outside; /* where it goes on, and where who resumed it does */
    unsigned char *stack;
    size_t stack_size;
    void (*body)(void *arg);
    void *arg;
    bool begun, done;
    /* What the sanitizers are told: they keep books of stacks. */
    void *fiber, *outer_fiber, *fake, *outer_fake;
    const void *outer_stack;
    size_t outer_size;
};

/* It begins with the first resume; free in every case (zeroed: nothing to free). One that has not
 * come to its end is forgotten where it stands. */
int coroutine_make(struct coroutine *coroutine, size_t stack_size, void (*body)(void *arg),
                   void *arg, struct err *err) MUST_CHECK;
void coroutine_free(struct coroutine *coroutine);

/* Until it yields, or its body returns: then done is set, and it is not to be resumed again. All
 * resumes are made by one thread. */
void coroutine_resume(struct coroutine *coroutine);

/* Called by the body alone. */
void coroutine_yield(struct coroutine *coroutine);
#endif

#endif
