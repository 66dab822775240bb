#include "config.h"

#include "strategy/ring.h"

#include <errno.h>
#include <stddef.h>

#ifdef HAVE_LIBURING

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the polling thread, before it sleeps: longer than a pause between passes. */
enum { IDLE_MS = 10 };

/* From the fastest to what every kernel takes. A ring for one thread alone is made disabled. */
static const unsigned plain_flags[] = {
#if defined(IORING_SETUP_SINGLE_ISSUER) && defined(IORING_SETUP_DEFER_TASKRUN)
    IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
#endif
#ifdef IORING_SETUP_COOP_TASKRUN
    IORING_SETUP_COOP_TASKRUN,
#endif
    0};

/* The polling thread inherits the processors of who makes it only from Linux 6.12 on; before, it
 * has to be told, and can be told one alone. */
static void bind_poller(struct io_uring_params *params)
{
#ifdef HAVE_SCHED_GETAFFINITY
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != 1)
        return;
    while (!CPU_ISSET(params->sq_thread_cpu, &set))
        params->sq_thread_cpu++;
    params->flags |= IORING_SETUP_SQ_AFF;
#else
    (void)params;
#endif
}

/* Returns 0 or minus an errno value. */
static int try_to_make(struct io_uring *ring, bool polled, unsigned entries)
{
    struct io_uring_params params = {.flags = IORING_SETUP_SQPOLL, .sq_thread_idle = IDLE_MS};
    if (polled) {
        bind_poller(&params);
        return io_uring_queue_init_params(entries, ring, &params);
    }
    int status = -EINVAL;
    for (size_t i = 0; status == -EINVAL && i < sizeof plain_flags / sizeof plain_flags[0]; i++)
        status = io_uring_queue_init(entries, ring, plain_flags[i]);
    return status;
}

static int explain(int number, struct err *err)
{
    if (number == ENOSYS)
        return err_set(err, number, "no io_uring: the kernel is too old or was built without");
    if (number == EPERM)
        return err_set(err, number,
                       "io_uring is forbidden here, likely by the seccomp filter of a container or "
                       "by the sysctl kernel.io_uring_disabled");
    if (number == ENOMEM)
        return err_set(err, number,
                       "cannot make an io_uring: more memory would be locked than 'ulimit -l' "
                       "says, or there is none");
    return err_set(err, number, "cannot make an io_uring");
}

int ring_make(struct io_uring *ring, bool polled, unsigned entries, struct err *err)
{
    int status = try_to_make(ring, polled, entries);
    return status < 0 ? explain(-status, err) : 0;
}

int ring_wake(struct io_uring *ring, struct err *err)
{
    if ((ring->flags & IORING_SETUP_R_DISABLED) == 0)
        return 0;
    /* liburing has a function for it, but exports it from 2.4 on only. */
    if (syscall(SYS_io_uring_register, ring->ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) < 0)
        return err_set(err, errno, "cannot enable an io_uring");
    ring->flags &= ~IORING_SETUP_R_DISABLED;
    return 0;
}

int ring_probe(bool polled, int opcode, const char *verb, struct err *err)
{
    struct io_uring ring;
    if (ring_make(&ring, polled, 2, err) != 0)
        return -1;
    struct io_uring_probe *probe = io_uring_get_probe_ring(&ring);
    bool can = probe != NULL && io_uring_opcode_supported(probe, opcode);
    io_uring_free_probe(probe);
    io_uring_queue_exit(&ring);
    if (can)
        return 0;
    return err_set(err, 0, "the io_uring of this kernel is too old: it cannot %s", verb);
}

#else

int ring_probe(bool polled, int opcode, const char *verb, struct err *err)
{
    (void)polled, (void)opcode, (void)verb;
    return err_set(err, 0, "built without liburing");
}

#endif
