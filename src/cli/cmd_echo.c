/* iobench echo: ways of serving many connections. */
#include "config.h"

#include "cli/command.h"
#include "cli/session.h"
#include "family/service.h"

static int run(const struct command *command, int argc, char **argv)
{
    return session_run(command, &service_session, argc, argv);
}

static const char *const modes[] = {"all", NULL};

const struct command command_echo = {
    .name = "echo",
    .usage = "echo [OPTION...]",
    .summary = "Compares ways of serving many connections",
    .help = "A load generator of our own sends requests over loopback; the strategy serves them.\n"
            "--connect loads a server that is there, --listen serves a load from elsewhere, and\n"
            "--exec 'NAME=COMMAND {port}' starts a server of yours. A pass is one request on each\n"
            "connection. The command 'iobench list service' shows the strategies. Sizes: 512, 8k\n"
            "(powers of 1024). Times: 5ms, 10s.",
    .options = OPTIONS_SERVICE,
    .knobs = SERVICE_KNOBS | KNOB_BIT(KNOB_IO),
    .default_modes = modes,
    .run = run,
};
