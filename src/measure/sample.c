#include "config.h"

#include "measure/sample.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static struct sample *map_room(size_t room)
{
    void *map = mmap(NULL, room * sizeof(struct sample), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return map != MAP_FAILED ? map : NULL;
}

static int grow(struct samples *samples, struct err *err)
{
    size_t room = samples->room > 0 ? samples->room * 2 : 256;
    struct sample *items = map_room(room);
    if (items == NULL)
        return err_set(err, errno, "cannot keep %zu samples", room);
    if (samples->n > 0)
        memcpy(items, samples->items, samples->n * sizeof *items);
    samples_free(samples);
    samples->items = items;
    samples->room = room;
    return 0;
}

int samples_add(struct samples *samples, const struct sample *sample, struct err *err)
{
    size_t n = samples->n;
    if (n == samples->room && grow(samples, err) != 0)
        return -1;
    samples->items[n] = *sample;
    samples->n = n + 1;
    return 0;
}

void samples_free(struct samples *samples)
{
    if (samples->items != NULL)
        munmap(samples->items, samples->room * sizeof *samples->items);
    *samples = (struct samples){0};
}
