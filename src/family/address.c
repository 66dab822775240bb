#include "config.h"

#include "family/address.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int parse_port(const char *text, const char *port, struct address *address, struct err *err)
{
    size_t digits = strspn(port, "0123456789");
    unsigned long number = strtoul(port, NULL, 10);
    if (digits == 0 || port[digits] != '\0' || digits > 5 || number > 65535 || number == 0)
        return err_set(err, 0, "'%s' is no address: a port is a number from 1 to 65535", text);
    strcpy(address->port, port);
    return 0;
}

static int parse_path(const char *path, struct address *address, struct err *err)
{
    struct sockaddr_un un;
    if (*path == '\0')
        return err_set(err, 0, "'%s' is no address: the path is missing", address->text);
    if (strlen(path) >= sizeof un.sun_path)
        return err_set(err, 0, "'%s' is too long for a UNIX socket: %zu bytes at most", path,
                       sizeof un.sun_path - 1);
    address->path = path;
    return 0;
}

int address_parse(const char *text, bool listening, struct address *address, struct err *err)
{
    *address = (struct address){0};
    if (strlen(text) >= sizeof address->text)
        return err_set(err, 0, "'%.40s...' is too long for an address", text);
    strcpy(address->text, text);
    if (strncmp(text, "unix:", 5) == 0)
        return parse_path(address->text + 5, address, err);
    const char *host = text, *colon = strrchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - host) : 0;
    if (colon == NULL)
        return err_set(err, 0, "'%s' is no address: HOST:PORT, [IPv6]:PORT or unix:PATH", text);
    if (*host == '[' && length >= 2 && host[length - 1] == ']') {
        host++;
        length -= 2;
    } else if (memchr(host, ':', length) != NULL) {
        return err_set(err, 0, "'%s' is no address: an IPv6 address stands in brackets", text);
    }
    if ((length == 0 && !listening) || length >= sizeof address->host)
        return err_set(err, 0, "'%s' is no address: the host is missing or too long", text);
    memcpy(address->host, host, length);
    return parse_port(text, colon + 1, address, err);
}

static int look_up(const struct address *address, bool listening, struct addrinfo **found,
                   struct err *err)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const char *host = address->host[0] != '\0' ? address->host : "127.0.0.1";
    hints.ai_flags = listening ? AI_PASSIVE | AI_NUMERICSERV : AI_NUMERICSERV;
    int status = getaddrinfo(host, address->port, &hints, found);
    if (status == EAI_SYSTEM)
        return err_set(err, errno, "cannot look up '%s'", host);
    return status == 0 ? 0 : err_set(err, 0, "cannot look up '%s': %s", host, gai_strerror(status));
}

void address_loopback(enum transport transport, struct sockaddr_storage *address, socklen_t *size)
{
    *address = (struct sockaddr_storage){0};
    *size = sizeof address->ss_family;
    if (transport == TRANSPORT_TCP6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
        *in6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
        *size = sizeof *in6;
    } else if (transport == TRANSPORT_UNIX) {
        address->ss_family = AF_UNIX;
    } else {
        struct sockaddr_in *in = (struct sockaddr_in *)address;
        *in =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        *size = sizeof *in;
    }
}

/* connect(2) that gives up in time. Returns 0 or an errno value. */
static int connect_in_time(int fd, const struct sockaddr *to, socklen_t size, uint64_t timeout_ns)
{
    int flags = fcntl(fd, F_GETFL);
    if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return errno;
    if (connect(fd, to, size) != 0 && errno != EINPROGRESS)
        return errno;
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    uint64_t deadline = clock_now_ns() + timeout_ns;
    int ready = 0;
    while (ready <= 0) {
        uint64_t now = clock_now_ns();
        if (now >= deadline)
            return ETIMEDOUT;
        ready = poll(&wait, 1, (int)((deadline - now) / NS_PER_MS) + 1);
        if (ready < 0 && errno != EINTR)
            return errno;
    }
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error == 0 && fcntl(fd, F_SETFL, flags) != 0)
        error = errno;
    return error;
}

typedef int configure_function(int fd, const void *arg, struct err *err);

static int try_to_connect(const struct address *address, int family, const struct sockaddr *to,
                          socklen_t size, uint64_t timeout_ns, configure_function *configure,
                          const void *arg, struct err *err)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_set(err, errno, "cannot make a socket");
    int error = 0;
    if (configure == NULL || configure(fd, arg, err) == 0) {
        error = connect_in_time(fd, to, size, timeout_ns);
        if (error == 0)
            return fd;
        err_set(err, error, "cannot connect to '%s'", address->text);
    }
    close(fd);
    return -1;
}

static struct sockaddr_un unix_name(const struct address *address)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    strncpy(un.sun_path, address->path, sizeof un.sun_path - 1);
    return un;
}

int address_resolve(const struct address *address, struct load_target *target, struct err *err)
{
    strcpy(target->name, address->text);
    if (address->path != NULL) {
        struct sockaddr_un un = unix_name(address);
        memcpy(&target->at[0].address, &un, sizeof un);
        target->at[0].size = sizeof un;
        target->n = 1;
        return 0;
    }
    struct addrinfo *found;
    if (look_up(address, false, &found, err) != 0)
        return -1;
    for (const struct addrinfo *a = found; a != NULL && target->n < MOST_ADDRESSES;
         a = a->ai_next) {
        memcpy(&target->at[target->n].address, a->ai_addr, a->ai_addrlen);
        target->at[target->n++].size = a->ai_addrlen;
    }
    freeaddrinfo(found);
    return 0;
}

int address_connect(const struct address *address, uint64_t timeout_ns,
                    configure_function *configure, const void *arg, struct err *err)
{
    if (address->path != NULL) {
        struct sockaddr_un un = unix_name(address);
        return try_to_connect(address, AF_UNIX, (const struct sockaddr *)&un, sizeof un, timeout_ns,
                              configure, arg, err);
    }
    struct addrinfo *found;
    if (look_up(address, false, &found, err) != 0)
        return -1;
    int fd = -1;
    struct err why = {0};
    for (const struct addrinfo *a = found; fd < 0 && a != NULL; a = a->ai_next) {
        why = (struct err){0};
        fd = try_to_connect(address, a->ai_family, a->ai_addr, a->ai_addrlen, timeout_ns, configure,
                            arg, &why);
    }
    freeaddrinfo(found);
    if (fd < 0)
        *err = why;
    return fd;
}

/* Takes the place of a socket that nobody listens on any more; everything else stays. */
static int clear_path(const struct address *address, struct err *err)
{
    struct stat st;
    if (lstat(address->path, &st) != 0)
        return 0;
    struct sockaddr_un un = unix_name(address);
    int fd = S_ISSOCK(st.st_mode) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    bool dead = fd >= 0 && connect(fd, (const struct sockaddr *)&un, sizeof un) != 0 &&
                errno == ECONNREFUSED && st.st_uid == geteuid();
    if (fd >= 0)
        close(fd);
    if (!dead)
        return err_set(err, EADDRINUSE, "cannot listen on '%s'", address->text);
    return unlink(address->path) == 0 ? 0
                                      : err_set(err, errno, "cannot replace '%s'", address->path);
}

static int try_to_listen(const struct address *address, int family, const struct sockaddr *at,
                         socklen_t size, configure_function *configure, const void *arg,
                         struct err *err)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (fd < 0)
        return err_set(err, errno, "cannot make a socket");
    /* an address in TIME_WAIT is no reason to wait */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (configure == NULL || configure(fd, arg, err) == 0) {
        if (bind(fd, at, size) == 0 && listen(fd, 128) == 0)
            return fd;
        err_set(err, errno, "cannot listen on '%s'", address->text);
    }
    close(fd);
    return -1;
}

int address_listen(const struct address *address, configure_function *configure, const void *arg,
                   struct err *err)
{
    if (address->path != NULL) {
        struct sockaddr_un un = unix_name(address);
        if (clear_path(address, err) != 0)
            return -1;
        return try_to_listen(address, AF_UNIX, (const struct sockaddr *)&un, sizeof un, configure,
                             arg, err);
    }
    struct addrinfo *found;
    if (look_up(address, true, &found, err) != 0)
        return -1;
    int fd = try_to_listen(address, found->ai_family, found->ai_addr, found->ai_addrlen, configure,
                           arg, err);
    freeaddrinfo(found);
    return fd;
}
