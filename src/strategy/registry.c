#include "config.h"

#include "strategy/registry.h"

#include <string.h>

/* One line a strategy. */
#define STRATEGIES(X)                 \
    X(sysread)                        \
    X(pread)                          \
    X(preadv2)                        \
    X(readv)                          \
    X(direct)                         \
    X(fread)                          \
    X(fread_unlocked)                 \
    X(getc)                           \
    X(getc_unlocked)                  \
    X(fgets)                          \
    X(getline)                        \
    X(mmap)                           \
    X(mmap_populate)                  \
    X(mmap_sequential)                \
    X(io_uring)                       \
    X(io_uring_fixed)                 \
    X(io_uring_sqpoll)                \
    X(posix_aio)                      \
    X(splice)                         \
    X(sendfile)                       \
    X(evbuffer)                       \
    X(evbuffer_file)                  \
    X(stream_recv)                    \
    X(stream_read)                    \
    X(stream_readv)                   \
    X(stream_recvmsg)                 \
    X(stream_recv_waitall)            \
    X(stream_recvmmsg)                \
    X(stream_recv_trunc)              \
    X(stream_splice)                  \
    X(stream_spin)                    \
    X(stream_poll)                    \
    X(stream_select)                  \
    X(stream_epoll)                   \
    X(stream_epoll_et)                \
    X(stream_libevent)                \
    X(stream_bufferevent)             \
    X(stream_coroutine)               \
    X(stream_io_uring)                \
    X(stream_io_uring_multishot)      \
    X(events_epoll)                   \
    X(events_epoll_et)                \
    X(events_epoll_oneshot)           \
    X(events_epoll_exclusive)         \
    X(events_poll)                    \
    X(events_select)                  \
    X(events_libevent)                \
    X(events_libevent_poll)           \
    X(events_libevent_select)         \
    X(events_io_uring_poll)           \
    X(events_io_uring_poll_multishot) \
    X(events_none_blocking)           \
    X(events_none_scan)               \
    X(events_none_oracle)             \
    X(events_ctl_epoll_add)           \
    X(events_ctl_epoll_mod)           \
    X(events_ctl_libevent_add)        \
    X(service_thread)                 \
    X(service_epoll)                  \
    X(service_epoll_et)               \
    X(service_poll)                   \
    X(service_libevent)               \
    X(service_bufferevent)            \
    X(service_evhttp)                 \
    X(service_coroutine)              \
    X(service_io_uring)               \
    X(service_io_uring_multishot)

#define DECLARE(name) extern const struct strategy strategy_##name;
STRATEGIES(DECLARE)

#define ROW(name) &strategy_##name,
static const struct strategy *const strategies[] = {STRATEGIES(ROW)};

const struct strategy *strategy_at(size_t index)
{
    return strategies[index];
}

size_t strategy_count(void)
{
    return sizeof strategies / sizeof strategies[0];
}

const struct strategy *strategy_find(enum family family, const char *name)
{
    for (size_t i = 0; i < strategy_count(); i++)
        if (strategies[i]->family == family && strcmp(strategies[i]->name, name) == 0)
            return strategies[i];
    return NULL;
}

static const struct {
    const char *name;
    unsigned bits;
} groups[] = {
    {"all", ~0u},
    {"syscall", GROUP_SYSCALL},
    {"stdio", GROUP_STDIO},
    {"mapped", GROUP_MAPPED},
    {"async", GROUP_ASYNC},
    {"kernel", GROUP_KERNEL},
    {"libevent", GROUP_LIBEVENT},
    {"blocking", GROUP_BLOCKING},
    {"events", GROUP_EVENTS},
    {"ctl", GROUP_CONTROL},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

const char *strategy_group_name(size_t index)
{
    return index < GROUPS ? groups[index].name : NULL;
}

unsigned strategy_group(const char *name)
{
    for (size_t i = 0; i < GROUPS; i++)
        if (strcmp(groups[i].name, name) == 0)
            return groups[i].bits;
    return 0;
}
