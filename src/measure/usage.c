#include "config.h"

#include "measure/usage.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number behind "key:" in a small /proc file, without stdio, which would allocate. */
static uint64_t read_number(const char *path, const char *key)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return UNKNOWN;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0)
        return UNKNOWN;
    text[got] = '\0';
    const char *at = strstr(text, key);
    return at != NULL ? strtoull(at + strlen(key), NULL, 10) : UNKNOWN;
}

static uint64_t read_storage_bytes(void)
{
    return read_number("/proc/self/io", "\nread_bytes:");
}

/* Time on a processor and time waiting for one: the first two numbers of /proc/self/schedstat. */
static void read_schedule(struct usage *usage)
{
    char text[128];
    usage->running_ns = usage->runnable_ns = UNKNOWN;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return;
    text[got] = '\0';
    char *rest;
    usage->running_ns = strtoull(text, &rest, 10);
    usage->runnable_ns = strtoull(rest, NULL, 10);
}

uint64_t usage_anonymous_bytes(void)
{
    uint64_t kib = read_number("/proc/self/status", "\nRssAnon:");
    return kib == UNKNOWN ? UNKNOWN : kib * 1024;
}

void usage_start(struct usage *usage)
{
    usage->storage_read_bytes = read_storage_bytes();
    read_schedule(usage);
    getrusage(RUSAGE_CHILDREN, &usage->children);
    getrusage(RUSAGE_SELF, &usage->self);
    usage->cpu_ns = clock_cpu_ns();
    usage->wall_ns = clock_now_ns();
}

void usage_stop(struct usage *usage)
{
    usage->wall_ns = clock_now_ns();
    usage->cpu_ns = clock_cpu_ns();
    getrusage(RUSAGE_SELF, &usage->self);
    getrusage(RUSAGE_CHILDREN, &usage->children);
    read_schedule(usage);
    usage->storage_read_bytes = read_storage_bytes();
}

static uint64_t span(struct timeval before, struct timeval after)
{
    int64_t us = (int64_t)(after.tv_sec - before.tv_sec) * 1000000 +
                 (int64_t)(after.tv_usec - before.tv_usec);
    return us > 0 ? (uint64_t)us * 1000 : 0;
}

static uint64_t grown(long before, long after)
{
    return after > before ? (uint64_t)(after - before) : 0;
}

/* ru_maxrss is in KiB on Linux (getrusage(2)). */
static uint64_t largest_rss(const struct usage *usage)
{
    long kib = usage->self.ru_maxrss;
    if (usage->children.ru_maxrss > kib)
        kib = usage->children.ru_maxrss;
    return (uint64_t)kib * 1024;
}

void usage_difference(const struct usage *before, const struct usage *after, struct sample *sample)
{
    const struct rusage *a = &before->self, *b = &after->self;
    const struct rusage *c = &before->children, *d = &after->children;
    uint64_t children_user = span(c->ru_utime, d->ru_utime);
    uint64_t children_system = span(c->ru_stime, d->ru_stime);
    sample->wall_ns = after->wall_ns - before->wall_ns;
    sample->cpu_ns = after->cpu_ns - before->cpu_ns + children_user + children_system;
    sample->user_ns = span(a->ru_utime, b->ru_utime) + children_user;
    sample->system_ns = span(a->ru_stime, b->ru_stime) + children_system;
    sample->minor_faults = grown(a->ru_minflt, b->ru_minflt) + grown(c->ru_minflt, d->ru_minflt);
    sample->major_faults = grown(a->ru_majflt, b->ru_majflt) + grown(c->ru_majflt, d->ru_majflt);
    sample->voluntary_switches = grown(a->ru_nvcsw, b->ru_nvcsw) + grown(c->ru_nvcsw, d->ru_nvcsw);
    sample->involuntary_switches =
        grown(a->ru_nivcsw, b->ru_nivcsw) + grown(c->ru_nivcsw, d->ru_nivcsw);
    sample->block_inputs =
        grown(a->ru_inblock, b->ru_inblock) + grown(c->ru_inblock, d->ru_inblock);
    sample->peak_rss_bytes = largest_rss(after);
    uint64_t anonymous = usage_anonymous_bytes();
    if (anonymous != UNKNOWN && anonymous > sample->peak_rss_anon_bytes)
        sample->peak_rss_anon_bytes = anonymous;
    bool known = before->storage_read_bytes != UNKNOWN && after->storage_read_bytes != UNKNOWN;
    sample->storage_read_bytes =
        known ? after->storage_read_bytes - before->storage_read_bytes : UNKNOWN;
    bool scheduled = before->running_ns != UNKNOWN && after->running_ns != UNKNOWN;
    sample->running_ns = scheduled ? after->running_ns - before->running_ns : UNKNOWN;
    sample->runnable_ns = scheduled ? after->runnable_ns - before->runnable_ns : UNKNOWN;
#ifdef HAVE_SCHED_GETCPU
    sample->cpu = sched_getcpu();
#else
    sample->cpu = -1;
#endif
}

void usage_unknown(struct sample *sample)
{
    sample->cpu_ns = sample->user_ns = sample->system_ns = UNKNOWN;
    sample->minor_faults = sample->major_faults = UNKNOWN;
    sample->voluntary_switches = sample->involuntary_switches = UNKNOWN;
    sample->block_inputs = sample->storage_read_bytes = UNKNOWN;
    sample->running_ns = sample->runnable_ns = UNKNOWN;
    sample->peak_rss_bytes = sample->peak_rss_anon_bytes = UNKNOWN;
    sample->cpu = -1;
}

uint64_t usage_system_switches(void)
{
    uint64_t switches = UNKNOWN;
    FILE *stat = fopen("/proc/stat", "re");
    char *line = NULL;
    size_t room = 0;
    while (stat != NULL && switches == UNKNOWN && getline(&line, &room, stat) > 0)
        if (strncmp(line, "ctxt ", 5) == 0)
            switches = strtoull(line + 5, NULL, 10);
    free(line);
    if (stat != NULL)
        fclose(stat);
    return switches;
}

/* In these files a line of names is followed by one of values. */
static uint64_t read_tcp_count(const char *path, const char *prefix, const char *name)
{
    uint64_t found = UNKNOWN;
    FILE *file = fopen(path, "re");
    char *names = NULL, *values = NULL;
    size_t names_room = 0, values_room = 0;
    while (file != NULL && getline(&names, &names_room, file) > 0 &&
           getline(&values, &values_room, file) > 0) {
        char *name_rest, *value_rest;
        if (strncmp(names, prefix, strlen(prefix)) != 0)
            continue;
        const char *n = strtok_r(names, " \n", &name_rest);
        const char *v = strtok_r(values, " \n", &value_rest);
        for (; n != NULL && v != NULL; v = strtok_r(NULL, " \n", &value_rest)) {
            if (strcmp(n, name) == 0)
                found = strtoull(v, NULL, 10);
            n = strtok_r(NULL, " \n", &name_rest);
        }
    }
    free(names);
    free(values);
    if (file != NULL)
        fclose(file);
    return found;
}

void usage_tcp_counts(struct tcp_counts *counts)
{
    counts->listen_overflows = read_tcp_count("/proc/net/netstat", "TcpExt:", "ListenOverflows");
    counts->retransmits = read_tcp_count("/proc/net/snmp", "Tcp:", "RetransSegs");
}

int usage_pin(const struct cpus *cpus, struct err *err)
{
#ifdef HAVE_SCHED_SETAFFINITY
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned i = 0; i < cpus->n; i++)
        CPU_SET(cpus->id[i], &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return err_set(err, errno, "cannot run on the processors asked for");
    return 0;
#else
    (void)cpus;
    return err_set(err, ENOSYS, "cannot choose processors");
#endif
}
