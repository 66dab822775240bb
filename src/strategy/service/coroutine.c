/* A stackful coroutine a connection: the code reads as if it blocked, and a scheduler over epoll(7)
 * resumes whoever is ready. */
#include "config.h"

#include "strategy/coroutine.h"
#include "strategy/service/epoll_service.h"

static int probe(struct err *err)
{
#ifdef HAVE_COROUTINES
    return epoll_service_probe(err);
#else
    return err_set(err, 0, "this system has no epoll, or no makecontext");
#endif
}

#ifdef HAVE_COROUTINES
enum { STACK_BYTES = 64 * 1024, EVENTS = EPOLLIN | EPOLLOUT };

struct connection {
    struct served served;
    struct coroutine coroutine;
    struct service *service;
    unsigned turns; /* since it was resumed */
    bool broken, again;
};

/* What a blocking call would do inside the kernel. True: try again. */
static bool waits(struct connection *c, ssize_t result)
{
    if (result >= 0 || (errno != EAGAIN && errno != EINTR))
        return false;
    if (errno == EAGAIN)
        coroutine_yield(&c->coroutine);
    return true;
}

static ssize_t receive(struct connection *c, void *bytes, size_t n)
{
    ssize_t got;
    if (++c->turns == MOST_TURNS) {
        c->again = true;
        coroutine_yield(&c->coroutine);
    }
    do
        got = service_receive(c->service, c->served.fd, bytes, n);
    while (waits(c, got));
    return got;
}

static ssize_t send_some(struct connection *c, const void *bytes, size_t n)
{
    ssize_t put;
    do
        put = service_send(c->service, c->served.fd, bytes, n);
    while (waits(c, put));
    return put;
}

/* What a program on coroutines looks like: loops that seem to block, on a stack of their own. */
static void converse(void *arg)
{
    struct connection *c = arg;
    struct answers *answers = &c->service->answers;
    struct answer *answer = &c->served.answer;
    unsigned char buffer[ANSWER_BUFFER];
    const unsigned char *bytes;
    ssize_t got = 0, put = 0;
    size_t n;
    while (!service_is_said(&c->served) && (got = receive(c, buffer, sizeof buffer)) > 0) {
        answer_take(answers, answer, buffer, (size_t)got);
        while ((n = answer_next(answers, answer, &bytes)) > 0 &&
               (put = send_some(c, bytes, n)) >= 0)
            answer_sent(answers, answer, (size_t)put);
        if (put < 0)
            break;
    }
    c->broken = got < 0 || put < 0;
}

static void forget(struct served *served)
{
    coroutine_free(&((struct connection *)served)->coroutine);
}

static int resume(struct epoll_service *state, struct served *served)
{
    struct connection *c = (struct connection *)served;
    struct service *service = &state->service;
    c->turns = 0;
    if (!c->coroutine.begun) {
        c->service = service;
        if (coroutine_make(&c->coroutine, STACK_BYTES, converse, c, service->err) != 0)
            return -1;
    }
    coroutine_resume(&c->coroutine);
    if (c->coroutine.done) {
        forget(served);
        service_close(service, served, c->broken);
        return 0;
    }
    if (!c->again)
        return 0;
    c->again = false; /* to be told again, after the others */
    return epoll_service_watch(state, served, EPOLL_CTL_MOD, EVENTS | EPOLLET);
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    return epoll_service_setup(opaque, task, sizeof(struct connection), EPOLLET, err);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return epoll_service_pass(state, task, tally, err, EVENTS | EPOLLET, resume);
}

static void teardown(void *state)
{
    epoll_service_teardown(state, forget);
}
#endif

const struct strategy strategy_service_coroutine = {
    .name = "coroutine",
    .summary = "a stackful coroutine a connection, over epoll: code that reads as if it blocked",
    .caveat = "Each connection has a stack of 64 KiB, of which it holds what it has touched.",
    .family = FAMILY_SERVICE,
    .groups = GROUP_EVENTS,
    .knobs = SERVICE_CALLS_KNOBS,
    .probe = probe,
#ifdef HAVE_COROUTINES
    .state_size = sizeof(struct epoll_service),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
