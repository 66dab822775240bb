/* iobench recv: ways of draining a socket. */
#include "config.h"

#include "cli/command.h"
#include "cli/session.h"
#include "family/stream.h"

static int run(const struct command *command, int argc, char **argv)
{
    return session_run(command, &stream_session, argc, argv);
}

static const char *const modes[] = {"all", NULL};

const struct command command_recv = {
    .name = "recv",
    .usage = "recv [OPTION...]",
    .summary = "Compares ways of draining a socket",
    .help = "Without an address a sender of our own sends over loopback. --connect receives from\n"
            "a server, --listen waits for a sender. A pass is 1 MiB, or --bytes. The command\n"
            "'iobench list stream' shows the strategies. Sizes: 512, 8k, 1M (powers of 1024),\n"
            "500MB (powers of 1000). Times: 5ms, 10s.",
    .options = OPTIONS_STREAM,
    .knobs = STREAM_KNOBS | KNOB_BIT(KNOB_BLOCK_SIZE),
    .default_modes = modes,
    .run = run,
};
