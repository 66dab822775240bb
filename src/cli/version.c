#include "config.h"

#include "cli/version.h"

#include <event2/event.h>
#include <jansson.h>
#include <stdio.h>
#include <xxhash.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

void version_print(void)
{
    unsigned xxhash = XXH_versionNumber();
    printf("iobench %s\n", PACKAGE_VERSION);
#ifdef __GLIBC__
    printf("  glibc     %s\n", gnu_get_libc_version());
#endif
    printf("  argtable2 built in\n");
    printf("  jansson   %s\n", JANSSON_VERSION);
    printf("  libevent  %s (", event_get_version());
    const char **methods = event_get_supported_methods();
    for (size_t i = 0; methods != NULL && methods[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", methods[i]);
    printf(")\n");
    printf("  xxHash    %u.%u.%u\n", xxhash / 10000, xxhash / 100 % 100, xxhash % 100);
#ifdef HAVE_LIBURING
    printf("  liburing  built in\n");
#else
    printf("  liburing  not built in: no io_uring strategies\n");
#endif
}
