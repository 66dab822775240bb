#include "config.h"

#include "cli/command.h"
#include "cli/option_names.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/version.h"

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct command command_read, command_sysread, command_stdio, command_recv,
    command_epoll, command_echo, command_compare, command_calibrate, command_list, command_help;

const struct command *const commands[] = {
    &command_read, &command_sysread, &command_stdio,     &command_recv, &command_epoll,
    &command_echo, &command_compare, &command_calibrate, &command_list, &command_help,
    NULL};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

void command_print_help(const struct command *command)
{
    printf("usage: iobench %s\n\n%s.\n", command->usage, command->summary);
    if (command->help != NULL)
        printf("\n%s\n", command->help);
    if (command->options != 0) {
        printf("\n");
        options_print(command->options, command->knobs, stdout);
    }
}

int command_usage_error(const char *name, const char *message)
{
    say("%s", message);
    if (name != NULL)
        say("see 'iobench %s --help'", name);
    else
        say("see 'iobench help'");
    return EXIT_USAGE;
}

bool command_begin(const struct command *command, knob_set knobs, int argc, char **argv,
                   struct options *options, int *status)
{
    struct err err = {0};
    *status = EXIT_MEASURED;
    if (options_parse(argc, argv, command->options, knobs, options, &err) != 0)
        *status = command_usage_error(command->name, err.text);
    else if (options->help)
        command_print_help(command);
    else if (options->version)
        version_print();
    else
        return true;
    return false;
}

static int unknown_command(const char *word)
{
    const char *names[16];
    size_t n = 0;
    for (; commands[n] != NULL && n < sizeof names / sizeof names[0]; n++)
        names[n] = commands[n]->name;
    const char *close = option_names_closest(word, names, n);
    struct err err = {0};
    if (close != NULL)
        err_set(&err, 0, "unknown command '%s': did you mean '%s'?", word, close);
    else if (access(word, F_OK) == 0)
        err_set(&err, 0, "unknown command '%s': did you mean 'iobench read %s'?", word, word);
    else
        err_set(&err, 0, "unknown command '%s'", word);
    return command_usage_error(NULL, err.text);
}

/* Descriptors 0 to 2 are always taken, so that no file that we open becomes the standard output.
 * What was closed stays closed in effect: open the wrong way round, it cannot be read or written.
 */
static void reserve_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY) != fd)
            _exit(EXIT_UNMEASURED);
}

int main(int argc, char **argv)
{
    reserve_standard_descriptors();
    setlocale(LC_CTYPE, ""); /* the rest stays "C": numbers never follow the locale */
    if (argc < 2)
        return command_usage_error(NULL, "no command given");
    const char *word = argv[1];
    int status;
    if (strcmp(word, "--version") == 0) {
        version_print();
        status = EXIT_MEASURED;
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        status = command_help.run(&command_help, 1, argv + 1);
    } else {
        const struct command *command = command_find(word);
        if (command == NULL)
            return unknown_command(word);
        status = command->run(command, argc - 1, argv + 1);
    }
    return output_finish(status);
}
