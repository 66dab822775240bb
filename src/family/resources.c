#include "config.h"

#include "family/resources.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <sys/resource.h>

/* Of our own, and of the libraries. */
enum { SPARE_DESCRIPTORS = 96 };

int resources_need_descriptors(const char *option, uint64_t n, unsigned each, struct err *err)
{
    struct rlimit limit;
    uint64_t need = each * n + SPARE_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need)
        return 0;
    rlim_t hard = limit.rlim_max;
    limit.rlim_cur = need < hard ? need : hard;
    if (need <= hard && setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return 0;
    if (n <= 16) /* it was told to make do with few, and may */
        return 0;
    uint64_t possible = hard > SPARE_DESCRIPTORS ? (hard - SPARE_DESCRIPTORS) / each : 0;
    return err_set(err, 0,
                   "--%s: %" PRIu64 " need %" PRIu64 " descriptors, and the limit is %" PRIu64
                   " (ulimit -Hn): %" PRIu64 " are possible",
                   option, n, need, (uint64_t)hard, possible);
}

/* The first two processors that we may use. */
static int find_cpus(struct cpus cpus[2], struct err *err)
{
    unsigned n = 0;
#ifdef HAVE_SCHED_SETAFFINITY
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return err_set(err, errno, "cannot tell which processors may be used");
    for (unsigned id = 0; id < CPU_SETSIZE && n < 2; id++)
        if (CPU_ISSET(id, &set))
            cpus[n++] = (struct cpus){1, {id}};
#endif
    return n == 2 ? 0 : err_set(err, 0, "--place=apart needs two processors");
}

int resources_place(struct run_case *c, struct cpus cpus[2], struct err *err)
{
    uint64_t value = c->params.value[KNOB_PLACE];
    struct err why = {0};
    if (value == PLACE_ANY)
        return 0;
    if (find_cpus(cpus, &why) != 0 && value == PLACE_APART)
        return err_set(err, 0, "%s", why.text);
    c->cpus = &cpus[0];
    c->peer_cpus = &cpus[value == PLACE_APART];
    return 0;
}
