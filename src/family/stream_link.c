#include "config.h"

#include "family/stream_link.h"

#include "family/address.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A loopback address of any family, and its length. */
struct place_of {
    struct sockaddr_storage address;
    socklen_t size;
};

static int set_number(int fd, int level, int option, const char *name, uint64_t value,
                      struct err *err)
{
    int number = (int)value;
    if (setsockopt(fd, level, option, &number, sizeof number) != 0)
        return err_set(err, errno, "cannot set %s", name);
    return 0;
}

static int set_congestion(int fd, const struct params *params, struct err *err)
{
    uint64_t value = params->value[KNOB_CONGESTION];
    const char *name = knob_info[KNOB_CONGESTION].choices[value];
    if (value == CONGESTION_SYSTEM ||
        !transport_is_tcp((enum transport)params->value[KNOB_TRANSPORT]))
        return 0;
#ifdef TCP_CONGESTION
    if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
        return 0;
#else
    errno = ENOSYS;
#endif
    return err_set(err, errno, "cannot use congestion control '%s'", name);
}

int stream_set_receiver(int fd, const struct params *params, struct err *err)
{
    uint64_t size = params->value[KNOB_RCVBUF];
    if (size != PARAM_NONE && set_number(fd, SOL_SOCKET, SO_RCVBUF, "SO_RCVBUF", size, err) != 0)
        return -1;
    return set_congestion(fd, params, err);
}

int stream_set_sender(int fd, const struct params *params, struct err *err)
{
    uint64_t size = params->value[KNOB_SNDBUF];
    if (size != PARAM_NONE && set_number(fd, SOL_SOCKET, SO_SNDBUF, "SO_SNDBUF", size, err) != 0)
        return -1;
    if (params->value[KNOB_NODELAY] != 0 &&
        transport_is_tcp((enum transport)params->value[KNOB_TRANSPORT]) &&
        set_number(fd, IPPROTO_TCP, TCP_NODELAY, "TCP_NODELAY", 1, err) != 0)
        return -1;
    return set_congestion(fd, params, err);
}

/* A socket bound to loopback; its name is in *place then. */
static int bind_somewhere(enum transport transport, int type, struct place_of *place,
                          struct err *err)
{
    address_loopback(transport, &place->address, &place->size);
    int fd = socket(place->address.ss_family, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_set(err, errno, "cannot make a socket");
    struct sockaddr *address = (struct sockaddr *)&place->address;
    if (bind(fd, address, place->size) != 0) {
        err_set(err, errno, "cannot bind a socket to loopback");
        close(fd);
        return -1;
    }
    place->size = sizeof place->address;
    getsockname(fd, address, &place->size);
    return fd;
}

/* A connected pair by way of a listener: on loopback the connection is there before accept(). */
static int connect_pair(struct stream_link *link, int listener, const struct place_of *place,
                        unsigned i, struct err *err)
{
    int fd = socket(place->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    link->ends.send[i] = fd;
    if (fd < 0)
        return err_set(err, errno, "cannot make socket %u", i + 1);
    if (stream_set_sender(fd, &link->params, err) != 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&place->address, place->size) != 0)
        return err_set(err, errno,
                       errno == EADDRNOTAVAIL ? "connection %u: the ports of loopback are used up"
                                              : "cannot connect %u on loopback",
                       i + 1);
    link->ends.receive[i] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (link->ends.receive[i] < 0)
        return err_set(err, errno, "cannot accept connection %u", i + 1);
    return 0;
}

static int connect_all(struct stream_link *link, struct err *err)
{
    struct place_of place;
    int listener = bind_somewhere(link->ends.transport, SOCK_STREAM, &place, err);
    if (listener < 0)
        return -1;
    /* what is accepted inherits the options of the listener */
    int status = stream_set_receiver(listener, &link->params, err);
    if (status == 0 && listen(listener, 16) != 0)
        status = err_set(err, errno, "cannot listen on loopback");
    for (unsigned i = 0; status == 0 && i < link->ends.n; i++)
        status = connect_pair(link, listener, &place, i, err);
    close(listener);
    return status;
}

/* Two datagram sockets, each connected to the other. */
static int join_udp(struct stream_link *link, unsigned i, struct err *err)
{
    struct place_of receiver, sender;
    int *ends[] = {&link->ends.receive[i], &link->ends.send[i]};
    *ends[0] = bind_somewhere(TRANSPORT_UDP, SOCK_DGRAM, &receiver, err);
    *ends[1] = *ends[0] >= 0 ? bind_somewhere(TRANSPORT_UDP, SOCK_DGRAM, &sender, err) : -1;
    if (*ends[1] < 0)
        return -1;
    if (connect(*ends[0], (struct sockaddr *)&sender.address, sender.size) != 0 ||
        connect(*ends[1], (struct sockaddr *)&receiver.address, receiver.size) != 0)
        return err_set(err, errno, "cannot connect datagram sockets");
    return 0;
}

static int join(struct stream_link *link, unsigned i, struct err *err)
{
    int pair[2], status;
    enum transport transport = link->ends.transport;
    if (transport == TRANSPORT_UDP) {
        if (join_udp(link, i, err) != 0)
            return -1;
    } else {
        int type = transport == TRANSPORT_UNIX_DGRAM ? SOCK_DGRAM : SOCK_STREAM;
        status = transport == TRANSPORT_PIPE ? pipe2(pair, O_CLOEXEC)
                                             : socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair);
        if (status != 0)
            return err_set(err, errno, "cannot make pair %u", i + 1);
        link->ends.receive[i] = pair[0];
        link->ends.send[i] = pair[1];
    }
    if (transport == TRANSPORT_PIPE)
        return 0;
    if (stream_set_receiver(link->ends.receive[i], &link->params, err) != 0)
        return -1;
    return stream_set_sender(link->ends.send[i], &link->params, err);
}

static int open_own(void *opaque, struct err *err)
{
    struct stream_link *link = opaque;
    enum transport transport = link->ends.transport;
    if (transport_is_tcp(transport) || transport == TRANSPORT_UNIX)
        return connect_all(link, err);
    for (unsigned i = 0; i < link->ends.n; i++)
        if (join(link, i, err) != 0)
            return -1;
    return 0;
}

static void close_own(void *opaque)
{
    struct stream_link *link = opaque;
    ends_close(link->ends.receive, link->ends.n);
    ends_close(link->ends.send, link->ends.n);
}

int stream_link_init(struct stream_link *link, const struct params *params, struct err *err)
{
    unsigned n = (unsigned)params->value[KNOB_CONNECTIONS];
    *link = (struct stream_link){
        .params = *params,
        .ends = {.n = n, .transport = (enum transport)params->value[KNOB_TRANSPORT]}};
    link->ends.receive = malloc(n * sizeof *link->ends.receive);
    link->ends.send = malloc(n * sizeof *link->ends.send);
    if (link->ends.receive == NULL || link->ends.send == NULL)
        return err_set(err, errno, "cannot plan %u connections", n);
    for (unsigned i = 0; i < n; i++)
        link->ends.receive[i] = link->ends.send[i] = -1;
    return 0;
}

void stream_link_free(struct stream_link *link)
{
    free(link->ends.receive);
    free(link->ends.send);
}

struct link stream_link_own(struct stream_link *link)
{
    return (struct link){.arg = link, .open = open_own, .close = close_own};
}
