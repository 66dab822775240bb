/* iobench epoll: ways of waiting on many descriptors. */
#include "config.h"

#include "cli/command.h"
#include "cli/session.h"
#include "family/events.h"

static int run(const struct command *command, int argc, char **argv)
{
    return session_run(command, &events_session, argc, argv);
}

static const char *const modes[] = {"all", NULL};

const struct command command_epoll = {
    .name = "epoll",
    .usage = "epoll [OPTION...]",
    .summary = "Compares ways of waiting on many descriptors",
    .help = "A process of our own writes messages of 8 bytes to many handles, as fast as they are\n"
            "read; the strategy waits for them and reads them. A pass is 1000 messages. The\n"
            "command 'iobench list events' shows the strategies. Times: 5ms, 10s.",
    .options = OPTIONS_EVENTS,
    .knobs = EVENTS_KNOBS | KNOB_BIT(KNOB_MAX_EVENTS) | KNOB_BIT(KNOB_SHARE),
    .default_modes = modes,
    .run = run,
};
