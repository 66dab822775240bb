/* iobench list: what there is, and for what is not usable here: why. */
#include "config.h"

#include "cli/command.h"
#include "cli/say.h"
#include "strategy/registry.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void print_strategy(const struct strategy *strategy)
{
    struct err why = {0};
    printf("  %-16s %s", strategy->name, strategy->summary);
    if (strategy->probe != NULL && strategy->probe(&why) != 0)
        printf(" [unavailable: %s]", why.text);
    if (strategy->needs & NEED_SEEK)
        printf(" [no pipes]");
    printf("\n");
}

/* The groups that a strategy of the family is in. */
static void print_groups(enum family family)
{
    printf("groups: ");
    const char *separator = "";
    for (size_t i = 0; strategy_group_name(i) != NULL; i++) {
        bool used = false;
        for (size_t s = 0; s < strategy_count(); s++)
            used |= strategy_at(s)->family == family &&
                    (i == 0 || strategy_at(s)->groups & strategy_group(strategy_group_name(i)));
        if (!used)
            continue;
        printf("%s%s", separator, strategy_group_name(i));
        separator = ", ";
    }
    printf("\n");
}

static const struct {
    enum family family;
    const char *name, *what;
} families[] = {
    {FAMILY_FILE, "file", "ways of reading files (read, sysread, stdio)"},
    {FAMILY_STREAM, "stream", "ways of draining a socket (recv)"},
    {FAMILY_EVENTS, "events", "ways of waiting on many descriptors (epoll)"},
    {FAMILY_SERVICE, "service", "ways of serving many connections (echo)"},
};

static void print_family(enum family family)
{
    for (size_t i = 0; i < strategy_count(); i++)
        if (strategy_at(i)->family == family)
            print_strategy(strategy_at(i));
}

static int run(const struct command *command, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            command_print_help(command);
            return EXIT_MEASURED;
        }
    }
    if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
        return command_usage_error("list", "list takes the name of a family");
    bool found = false;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (argc == 2 && strcmp(argv[1], families[i].name) != 0)
            continue;
        printf("%s%s: %s\n", found ? "\n" : "", families[i].name, families[i].what);
        print_family(families[i].family);
        print_groups(families[i].family);
        found = true;
    }
    if (!found) {
        struct err err = {0};
        err_set(&err, 0, "no family is called '%s': there are file, stream and events", argv[1]);
        return command_usage_error("list", err.text);
    }
    return EXIT_MEASURED;
}

const struct command command_list = {
    .name = "list",
    .usage = "list [FAMILY]",
    .summary = "Lists the strategies, and for those not usable here: why",
    .run = run,
};
