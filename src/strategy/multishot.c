#include "config.h"

#include "strategy/multishot.h"

#ifdef HAVE_MULTISHOT

#include "base/buffer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFERS = 64 };                        /* a power of two */
#define MOST_BUFFER_BYTES (UINT64_C(1) << 20) /* it receives as far ahead as this */

/* Large blocks come in smaller numbers. */
static unsigned count_buffers(size_t size)
{
    unsigned n = BUFFERS;
    while (n > 4 && n * size > MOST_BUFFER_BYTES)
        n /= 2;
    return n;
}

int buffer_ring_make(struct buffer_ring *buffers, struct io_uring *ring, size_t size,
                     struct err *err)
{
    *buffers = (struct buffer_ring){.n = count_buffers(size), .size = size};
    size_t ring_bytes = buffers->n * sizeof(struct io_uring_buf);
    buffers->bytes = buffer_make(buffers->n, size, err);
    buffers->ring = buffer_make(1, ring_bytes, err);
    if (buffers->bytes == NULL || buffers->ring == NULL)
        return -1;
    memset(buffers->ring, 0, ring_bytes);
    struct io_uring_buf_reg reg = {
        .ring_addr = (uintptr_t)buffers->ring, .ring_entries = buffers->n, .bgid = BUFFER_GROUP};
    int status = io_uring_register_buf_ring(ring, &reg, 0);
    if (status < 0)
        return err_set(err, -status, "cannot provide buffers to the io_uring");
    io_uring_buf_ring_init(buffers->ring);
    for (unsigned i = 0; i < buffers->n; i++)
        buffer_ring_give_back(buffers, i);
    return 0;
}

void buffer_ring_free(struct buffer_ring *buffers)
{
    free(buffers->ring);
    free(buffers->bytes);
}

/* Receives a byte from the socket. */
static int try_receive(struct io_uring *ring, int fd, struct err *err)
{
    struct buffer_ring buffers;
    struct io_uring_cqe *cqe = NULL;
    int status = buffer_ring_make(&buffers, ring, 64, err);
    struct io_uring_sqe *sqe = status == 0 ? io_uring_get_sqe(ring) : NULL;
    if (sqe != NULL) {
        io_uring_prep_recv_multishot(sqe, fd, NULL, 0, 0);
        sqe->flags |= IOSQE_BUFFER_SELECT;
        sqe->buf_group = BUFFER_GROUP;
        status = io_uring_submit_and_wait(ring, 1) < 0 ? -1 : io_uring_peek_cqe(ring, &cqe);
    }
    if (status == 0 && (cqe == NULL || cqe->res != 1))
        status = err_set(err, cqe != NULL && cqe->res < 0 ? -cqe->res : 0, "no multishot receive");
    io_uring_queue_exit(ring);
    buffer_ring_free(&buffers);
    return status == 0 ? 0 : err_set(err, 0, "no multishot receive");
}

int multishot_probe(struct err *err)
{
    struct io_uring ring;
    int pair[2], status = -1;
    if (ring_probe(false, IORING_OP_RECV, "receive", err) != 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set(err, errno, "cannot make a pair of sockets");
    if (write(pair[1], "x", 1) != 1)
        err_set(err, errno, "cannot write to a socket");
    else if (ring_make(&ring, false, 4, err) == 0 && ring_wake(&ring, err) == 0)
        status = try_receive(&ring, pair[0], err);
    close(pair[0]);
    close(pair[1]);
    return status;
}

#else

int multishot_probe(struct err *err)
{
#ifdef HAVE_LIBURING
    return err_set(err, 0, "built with a liburing that is too old for it");
#else
    return ring_probe(false, 0, "receive", err);
#endif
}

#endif
