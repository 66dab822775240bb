#include "config.h"

#include "base/buffer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILLED_WITH = 0x55 };

/* What it cannot do, the first touch does. */
static void bring_in(void *pages, size_t size, size_t page)
{
#ifdef MADV_POPULATE_WRITE
    madvise(pages, size / page * page, MADV_POPULATE_WRITE);
#else
    (void)pages, (void)size, (void)page;
#endif
}

void *buffer_make(size_t n, size_t size, struct err *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all;
    void *buffer = NULL;
    int status = ENOMEM;
    if (!__builtin_mul_overflow(n, size, &all) && all <= SIZE_MAX - page)
        status = posix_memalign(&buffer, page, all);
    if (status != 0) {
        if (n == 1)
            err_set(err, status, "cannot get a buffer of %zu bytes", size);
        else
            err_set(err, status, "cannot get %zu buffers of %zu bytes", n, size);
        return NULL;
    }
    bring_in(buffer, all, page);
    memset(buffer, FILLED_WITH, all);
    return buffer;
}
