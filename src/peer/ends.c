#include "config.h"

#include "peer/ends.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/sock_diag.h>
#include <linux/tcp.h> /* knows more of TCP_INFO than netinet/tcp.h */
#endif

void ends_close(int *fds, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

static uint64_t ask_number(int fd, int level, int option)
{
    int value;
    socklen_t size = sizeof value;
    return getsockopt(fd, level, option, &value, &size) == 0 ? (uint64_t)value : UNKNOWN;
}

static void describe_tcp(int fd, struct socket_facts *facts)
{
#ifdef __linux__
    struct tcp_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    facts->nodelay = ask_number(fd, IPPROTO_TCP, TCP_NODELAY);
    if (facts->nodelay == UNKNOWN)
        return;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
        facts->rtt_ns = (uint64_t)info.tcpi_rtt * 1000;
        facts->retransmits = info.tcpi_total_retrans;
        facts->delivered = info.tcpi_delivered;
    }
    size = sizeof facts->congestion;
    if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, facts->congestion, &size) != 0)
        facts->congestion[0] = '\0';
    facts->congestion[sizeof facts->congestion - 1] = '\0';
#else
    (void)fd, (void)facts;
#endif
}

void ends_describe(int fd, struct socket_facts *facts)
{
    *facts = (struct socket_facts){.rcvbuf_bytes = ask_number(fd, SOL_SOCKET, SO_RCVBUF),
                                   .sndbuf_bytes = ask_number(fd, SOL_SOCKET, SO_SNDBUF),
                                   .nodelay = UNKNOWN,
                                   .rtt_ns = UNKNOWN,
                                   .retransmits = UNKNOWN,
                                   .delivered = UNKNOWN,
                                   .drops = UNKNOWN};
    facts->known = facts->rcvbuf_bytes != UNKNOWN;
#ifdef SO_MEMINFO
    uint32_t memory[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof memory;
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &size) == 0 &&
        size > SK_MEMINFO_DROPS * sizeof memory[0])
        facts->drops = memory[SK_MEMINFO_DROPS];
#endif
    describe_tcp(fd, facts);
}
