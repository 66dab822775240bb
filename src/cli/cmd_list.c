/* iobench list: what there is, and for what is not usable here: why. */
#include "config.h"

#include "cli/command.h"
#include "cli/say.h"
#include "strategy/registry.h"

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

static void print_groups(void)
{
    printf("\ngroups: ");
    for (size_t i = 0; strategy_group_name(i) != NULL; i++)
        printf("%s%s", i > 0 ? ", " : "", strategy_group_name(i));
    printf("\n");
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
    if (argc == 2 && strcmp(argv[1], "file") != 0) {
        struct err err = {0};
        err_set(&err, 0, "no family is called '%s': there is 'file'", argv[1]);
        return command_usage_error("list", err.text);
    }
    printf("file: ways of reading files (read, sysread, stdio)\n");
    for (size_t i = 0; i < strategy_count(); i++)
        print_strategy(strategy_at(i));
    print_groups();
    return EXIT_MEASURED;
}

const struct command command_list = {
    .name = "list",
    .usage = "list [FAMILY]",
    .summary = "Lists the strategies, and for those not usable here: why",
    .run = run,
};
