/* iobench help: the commands, or one of them. */
#include "config.h"

#include "cli/command.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>

static void print_commands(void)
{
    printf("usage: iobench COMMAND [OPTION...] [ARGUMENT...]\n\n"
           "Which way of doing I/O should a program use on this machine, by how much, and\n"
           "how sure is that?\n\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n'iobench help COMMAND' shows its options, 'iobench --version' what is built in.\n"
           "For a start: iobench read\n");
}

static int run(const struct command *command, int argc, char **argv)
{
    if (argc > 2)
        return command_usage_error(NULL, "help takes the name of a command");
    if (argc < 2) {
        print_commands();
        return EXIT_MEASURED;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        command_print_help(command);
        return EXIT_MEASURED;
    }
    const struct command *wanted = command_find(argv[1]);
    if (wanted == NULL) {
        struct err err = {0};
        err_set(&err, 0, "no command is called '%s'", argv[1]);
        return command_usage_error(NULL, err.text);
    }
    command_print_help(wanted);
    return EXIT_MEASURED;
}

const struct command command_help = {
    .name = "help",
    .usage = "help [COMMAND]",
    .summary = "Shows the commands, or the options of one",
    .run = run,
};
