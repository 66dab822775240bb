/* iobench read, sysread, stdio: ways of reading files. */
#include "config.h"

#include "cli/command.h"
#include "cli/session.h"
#include "family/file.h"

#define FILE_COMMAND_KNOBS                                                                   \
    (FILE_KNOBS | KNOB_BIT(KNOB_ADVICE) | KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_DEPTH) | \
     KNOB_BIT(KNOB_PATTERN) | KNOB_BIT(KNOB_STDIO_BUFFER))

#define FILE_HELP                                                                       \
    "Each FILE is read from open to close, one after the other, in each pass; '-' is\n" \
    "standard input. Without FILE a file of 64 MiB is made for the run. The command\n"  \
    "'iobench list file' shows the strategies. Sizes: 512, 8k, 1M (powers of 1024),\n"  \
    "500MB (powers of 1000). Times: 5ms, 10s."

static int run(const struct command *command, int argc, char **argv)
{
    return session_run(command, &file_session, argc, argv);
}

static const char *const read_modes[] = {"sysread", "fread", "getc", "mmap", "io_uring", NULL};
static const char *const sysread_modes[] = {"syscall", NULL};
static const char *const stdio_modes[] = {"stdio", NULL};

const struct command command_read = {
    .name = "read",
    .usage = "read [OPTION...] [FILE...]",
    .summary = "Compares ways of reading files",
    .help = FILE_HELP,
    .options = OPTIONS_FILE,
    .knobs = FILE_COMMAND_KNOBS,
    .default_modes = read_modes,
    .run = run,
};

const struct command command_sysread = {
    .name = "sysread",
    .usage = "sysread [OPTION...] [FILE...]",
    .summary = "Compares ways of reading files by system calls",
    .help = FILE_HELP,
    .options = OPTIONS_FILE,
    .knobs = FILE_COMMAND_KNOBS,
    .default_modes = sysread_modes,
    .run = run,
};

const struct command command_stdio = {
    .name = "stdio",
    .usage = "stdio [OPTION...] [FILE...]",
    .summary = "Compares ways of reading files through stdio",
    .help = FILE_HELP,
    .options = OPTIONS_FILE,
    .knobs = FILE_COMMAND_KNOBS,
    .default_modes = stdio_modes,
    .run = run,
};
