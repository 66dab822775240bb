#include "config.h"

#include "base/host.h"

#include "base/clock.h"
#include "base/tally.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

/* The first line of a file, without its newline; "" when it cannot be read. */
static void first_line(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return;
    if (fgets(text, (int)size, f) != NULL)
        text[strcspn(text, "\n")] = '\0';
    fclose(f);
}

static void read_cpu_model(char *text, size_t size)
{
    text[0] = '\0';
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (f == NULL)
        return;
    char line[256];
    while (text[0] == '\0' && fgets(line, sizeof line, f) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL)
            snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    fclose(f);
}

/* Totals of the "cpu" line of /proc/stat, in ticks; proc(5). */
static bool read_ticks(uint64_t *steal, uint64_t *total)
{
    char line[256];
    first_line("/proc/stat", line, sizeof line);
    uint64_t t[8];
    if (sscanf(line,
               "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64,
               &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
        return false;
    *steal = t[7];
    *total = 0;
    for (int i = 0; i < 8; i++)
        *total += t[i];
    return true;
}

static uint64_t count_usable_cpus(void)
{
#ifdef HAVE_SCHED_GETAFFINITY
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint64_t)CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint64_t)n : UNKNOWN;
}

void host_init(struct host *host)
{
    *host = (struct host){.load_1m = NAN, .steal_ratio = NAN};
    struct utsname name;
    if (uname(&name) == 0) {
        snprintf(host->kernel, sizeof host->kernel, "%.60s %.30s", name.sysname, name.release);
        snprintf(host->machine, sizeof host->machine, "%.31s", name.machine);
    }
    read_cpu_model(host->cpu_model, sizeof host->cpu_model);
#ifdef __GLIBC__
    snprintf(host->libc, sizeof host->libc, "glibc %s", gnu_get_libc_version());
#endif
    first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", host->governor,
               sizeof host->governor);
    first_line("/sys/devices/system/cpu/vulnerabilities/spectre_v2", host->mitigations,
               sizeof host->mitigations);
    host->usable_cpus = count_usable_cpus();
    long page = sysconf(_SC_PAGESIZE);
    host->page_size_bytes = page > 0 ? (uint64_t)page : UNKNOWN;
    long pages = sysconf(_SC_PHYS_PAGES);
    host->memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UNKNOWN;
    double load;
    if (getloadavg(&load, 1) == 1)
        host->load_1m = load;
    host->clock_read_ns = clock_read_cost_ns();
    if (!read_ticks(&host->steal_ticks, &host->total_ticks))
        host->total_ticks = UNKNOWN;
}

void host_finish(struct host *host)
{
    uint64_t steal, total;
    if (host->total_ticks != UNKNOWN && read_ticks(&steal, &total) && total > host->total_ticks)
        host->steal_ratio =
            (double)(steal - host->steal_ticks) / (double)(total - host->total_ticks);
}
