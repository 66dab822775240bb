/* Addresses as users write them: HOST:PORT, [IPv6]:PORT, unix:PATH. */
#ifndef IOBENCH_FAMILY_ADDRESS_H
#define IOBENCH_FAMILY_ADDRESS_H

#include "base/err.h"
#include "base/params.h"
#include "peer/load.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { ADDRESS_TEXT = 300 };

struct address {
    char text[ADDRESS_TEXT]; /* as given */
    char host[256];          /* "" for a UNIX path, and for every local address: ":PORT" */
    char port[8];
    const char *path; /* of a UNIX socket; NULL: none */
};

/* Reads it without looking anything up. Where an address may leave out its host (listening),
 * loopback is meant. The path points into text. */
int address_parse(const char *text, bool listening, struct address *address,
                  struct err *err) MUST_CHECK;

/* Loopback, any port; for a UNIX socket a name that the kernel makes up, in no file system
 * (unix(7), autobind). *size: of what of it is to be bound. */
void address_loopback(enum transport transport, struct sockaddr_storage *address, socklen_t *size);

/* All addresses that it stands for, to be tried in turn; looks a name up. */
int address_resolve(const struct address *address, struct load_target *target,
                    struct err *err) MUST_CHECK;

/* A connected stream socket. All addresses of a name are tried in turn; the last one's error is
 * told. configure, unless NULL, is called on each socket before it is connected. Waits no longer
 * than timeout_ns for each. */
int address_connect(const struct address *address, uint64_t timeout_ns,
                    int (*configure)(int fd, const void *arg, struct err *err), const void *arg,
                    struct err *err) MUST_CHECK;

/* A listening stream socket. A UNIX path that is there already is an error, unless nobody listens
 * there any more: then it is replaced. */
int address_listen(const struct address *address,
                   int (*configure)(int fd, const void *arg, struct err *err), const void *arg,
                   struct err *err) MUST_CHECK;

#endif
