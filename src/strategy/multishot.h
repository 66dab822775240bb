/* Receives that go on by themselves, into a ring of buffers that the kernel takes from
 * (io_uring_prep_recv_multishot(3), io_uring_register_buf_ring(3)). */
#ifndef IOBENCH_STRATEGY_MULTISHOT_H
#define IOBENCH_STRATEGY_MULTISHOT_H

#include "strategy/ring.h"

#include <stddef.h>

#if defined HAVE_LIBURING && defined IORING_RECV_MULTISHOT
#define HAVE_MULTISHOT 1

enum { BUFFER_GROUP = 0 };

struct buffer_ring {
    struct io_uring_buf_ring *ring;
    unsigned n;
    unsigned char *bytes;
    size_t size; /* of each */
};

/* Buffers of size bytes, touched, in the kernel's hands. Free them in every case, after the ring.
 */
int buffer_ring_make(struct buffer_ring *buffers, struct io_uring *ring, size_t size,
                     struct err *err) MUST_CHECK;
void buffer_ring_free(struct buffer_ring *buffers);

static inline unsigned char *buffer_ring_at(const struct buffer_ring *buffers, unsigned buffer)
{
    return buffers->bytes + buffer * buffers->size;
}

static inline void buffer_ring_give_back(struct buffer_ring *buffers, unsigned buffer)
{
    io_uring_buf_ring_add(buffers->ring, buffer_ring_at(buffers, buffer), (unsigned)buffers->size,
                          (unsigned short)buffer, io_uring_buf_ring_mask(buffers->n), 0);
    io_uring_buf_ring_advance(buffers->ring, 1);
}
#endif

/* Is there such a thing here? It came with Linux 6.0, after the opcode itself: a real receive
 * tells.
 */
int multishot_probe(struct err *err) MUST_CHECK;

#endif
