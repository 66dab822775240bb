/* What the serving strategies on io_uring share: the ring, accepting, and being woken. */
#ifndef IOBENCH_STRATEGY_SERVICE_URING_SERVICE_H
#define IOBENCH_STRATEGY_SERVICE_URING_SERVICE_H

#include "strategy/ring.h"
#include "strategy/service/service.h"

#ifdef HAVE_LIBURING
enum { URING_SERVICE_ENTRIES = 1024 };

struct uring_service {
    struct service service;
    struct io_uring ring;
    bool made, multishot;
    bool accepts, waits, wakes; /* such a request is on its way */
    /* Their addresses are user data: a connection; who waits for one, after a failure; stop_fd. */
    char accept_tag, wait_tag, wake_tag;
    char ignored_tag; /* of requests whose completion says nothing */
};

/* multishot: one request accepts all connections. size as in service_setup(). */
int uring_service_setup(struct uring_service *state, const struct task *task, size_t size,
                        bool multishot, struct err *err) MUST_CHECK;
/* The ring goes before the connections: the kernel may still write to what belongs to them. */
void uring_service_teardown(struct uring_service *state, void (*forget)(struct served *));

/* A place for a request; its user data, a struct served of this worker or &ignored_tag, is set
 * after the preparation. NULL: failed, with the reason. */
struct io_uring_sqe *uring_service_sqe(struct uring_service *state);

/* Asks for a send; its user data is the address of the connection, and tag more. */
int uring_service_send(struct uring_service *state, struct served *served,
                       const unsigned char *bytes, size_t n, unsigned tag) MUST_CHECK;

/* The loop: hands over what was prepared, waits, and calls for each new connection (whose
 * descriptor blocks) and for each completion of the strategy's own requests. */
int uring_service_pass(struct uring_service *state, const struct task *task, struct tally *tally,
                       struct err *err,
                       int (*on_connection)(struct uring_service *, struct served *),
                       int (*on_done)(struct uring_service *, struct served *,
                                      const struct io_uring_cqe *));
#endif

#endif
