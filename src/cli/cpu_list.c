#include "config.h"

#include "cli/cpu_list.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CPUS = sizeof((struct cpus *)0)->id / sizeof(unsigned) };

static bool is_allowed(unsigned cpu)
{
#ifdef HAVE_SCHED_GETAFFINITY
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_ISSET(cpu, &set);
#else
    (void)cpu;
    return true;
#endif
}

static void list_allowed(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned cpu = 0; cpu < MOST_CPUS && used + 8 < size; cpu++)
        if (is_allowed(cpu))
            used += (size_t)snprintf(text + used, size - used, "%s%u", used > 0 ? "," : "", cpu);
}

/* Takes a number off the front of *text. */
static bool take_number(const char **text, unsigned *number)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *number = (unsigned)value;
    return value < MOST_CPUS;
}

int cpu_list_parse(const char *option, const char *text, struct cpus *cpus, struct err *err)
{
    cpus->n = 0;
    const char *rest = text;
    do {
        unsigned first, last;
        if (!take_number(&rest, &first))
            return err_set(err, 0, "--%s: '%s' is not a list of processors", option, text);
        last = first;
        if (*rest == '-' && (rest++, !take_number(&rest, &last)))
            return err_set(err, 0, "--%s: '%s' is not a list of processors", option, text);
        for (unsigned cpu = first; cpu <= last && cpus->n < MOST_CPUS; cpu++) {
            char allowed[200];
            if (!is_allowed(cpu)) {
                list_allowed(allowed, sizeof allowed);
                return err_set(err, 0, "--%s: processor %u is not to be had here, only %s", option,
                               cpu, allowed);
            }
            cpus->id[cpus->n++] = cpu;
        }
    } while (*rest == ',' && *++rest != '\0');
    if (*rest != '\0' || cpus->n == 0 || rest[-1] == ',')
        return err_set(err, 0, "--%s: '%s' is not a list of processors", option, text);
    return 0;
}
