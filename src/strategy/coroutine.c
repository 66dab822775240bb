#include "config.h"

/* The checks of longjmp refuse to change stacks, which is what it is for here. */
#undef _FORTIFY_SOURCE

#include "strategy/coroutine.h"

#ifdef HAVE_COROUTINES

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#ifdef __has_feature
#define SEES(feature) __has_feature(feature)
#else
#define SEES(feature) 0
#endif
#if defined __SANITIZE_ADDRESS__ || SEES(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define TELLS_ADDRESSES 1
#endif
#if defined __SANITIZE_THREAD__ || SEES(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define TELLS_THREADS 1
#endif

/* Before a switch, by the side that is left; after it, by the side that is entered. */
static inline void leave(struct coroutine *c, bool inwards)
{
#ifdef TELLS_ADDRESSES
    if (inwards)
        __sanitizer_start_switch_fiber(&c->outer_fake, c->stack, c->stack_size);
    else
        __sanitizer_start_switch_fiber(c->done ? NULL : &c->fake, c->outer_stack, c->outer_size);
#endif
#ifdef TELLS_THREADS
    if (inwards) {
        c->outer_fiber = __tsan_get_current_fiber();
        if (c->fiber == NULL)
            c->fiber = __tsan_create_fiber(0);
    }
    __tsan_switch_to_fiber(inwards ? c->fiber : c->outer_fiber, 0);
#endif
    (void)c, (void)inwards;
}

static inline void enter(struct coroutine *c, bool inwards)
{
#ifdef TELLS_ADDRESSES
    if (inwards)
        __sanitizer_finish_switch_fiber(c->fake, &c->outer_stack, &c->outer_size);
    else
        __sanitizer_finish_switch_fiber(c->outer_fake, NULL, NULL);
#endif
    (void)c, (void)inwards;
}

int coroutine_make(struct coroutine *c, size_t stack_size, void (*body)(void *arg), void *arg,
                   struct err *err)
{
    *c = (struct coroutine){.stack_size = stack_size, .body = body, .arg = arg};
    c->stack = malloc(stack_size);
    if (c->stack == NULL)
        return err_set(err, errno, "cannot get a stack of %zu bytes for a coroutine", stack_size);
    return 0;
}

void coroutine_free(struct coroutine *c)
{
#ifdef TELLS_THREADS
    if (c->fiber != NULL)
        __tsan_destroy_fiber(c->fiber);
#endif
    free(c->stack);
    *c = (struct coroutine){0};
}

/* makecontext passes ints: a pointer travels as two of them. */
static void begin(unsigned high, unsigned low)
{
    struct coroutine *c = (struct coroutine *)(uintptr_t)((uint64_t)high << 32 | low);
    enter(c, true);
    c->body(c->arg);
    c->done = true;
    leave(c, false);
    _longjmp(c->outside, 1);
}

/* The context is needed once: it lies at the far end of the stack, and not on ours, whose frame is
 * never returned from. */
static void start(struct coroutine *c)
{
    ucontext_t *context = (ucontext_t *)(void *)c->stack;
    uint64_t address = (uintptr_t)c;
    c->begun = true;
    getcontext(context);
    context->uc_stack.ss_sp = c->stack;
    context->uc_stack.ss_size = c->stack_size;
    context->uc_link = NULL;
    makecontext(context, (void (*)(void))begin, 2, (unsigned)(address >> 32), (unsigned)address);
    leave(c, true);
    setcontext(context);
}

void coroutine_resume(struct coroutine *c)
{
    if (_setjmp(c->outside) == 0) {
        if (!c->begun)
            start(c);
        leave(c, true);
        _longjmp(c->inside, 1);
    }
    enter(c, false);
}

void coroutine_yield(struct coroutine *c)
{
    if (_setjmp(c->inside) == 0) {
        leave(c, false);
        _longjmp(c->outside, 1);
    }
    enter(c, true);
}
#endif
