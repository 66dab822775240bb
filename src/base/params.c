#include "config.h"

#include "base/params.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const consume_choices[] = {"none", "touch", "sum", "lines", NULL};

static const char *const advice_choices[] = {"normal",   "sequential", "random",
                                             "willneed", "noreuse",    NULL};
static const char *const cache_choices[] = {"warm", "cold", "as-is", NULL};
static const char *const transport_choices[] = {"tcp", "tcp6", "unix",       "unix-dgram",
                                                "udp", "pipe", "socketpair", NULL};
static const char *const place_choices[] = {"any", "same", "apart", NULL};
static const char *const congestion_choices[] = {"system", "cubic", "bbr", "reno", NULL};
static const char *const kind_choices[] = {"pipe", "unix", "inet", "eventfd", NULL};
static const char *const order_choices[] = {"random", "cyclic", NULL};
static const char *const share_choices[] = {"one", "each", NULL};
static const char *const switch_choices[] = {"off", "on", NULL};
static const char *const pattern_choices[] = {"sequential", "reverse", "random", NULL};

/* One call moves at most 2147479552 bytes (read(2)), so a larger block only wastes memory; it is
 * allowed as far as memory goes. */
#define LARGEST_BLOCK (UINT64_C(1) << 40)
#define LARGEST_FILE ((uint64_t)INT64_MAX)

const struct knob_info knob_info[KNOBS] = {
    [KNOB_ACTIVE] =
        {
            .key = "active",
            .option = "active",
            .datatype = "LIST",
            .help = "percent of the handles that are written to in one turn (100)",
            .column = "active",
            .kind = KNOB_KIND_COUNT,
            .initial = 100,
            .least = 1,
            .most = 100,
            .sweeps = 1,
        },
    [KNOB_ADVICE] =
        {
            .key = "advice",
            .option = "advice",
            .datatype = "LIST",
            .help = "posix_fadvise(2) after each open: normal, sequential, random, willneed, "
                    "noreuse",
            .column = "advice",
            .kind = KNOB_KIND_CHOICE,
            .choices = advice_choices,
            .initial = ADVICE_NORMAL,
            .sweeps = 1,
        },
    [KNOB_BLOCK_SIZE] =
        {
            .key = "block_size",
            .option = "block-size",
            .letters = "b",
            .datatype = "LIST",
            .help = "bytes asked for by one call (128k); a list makes a sweep",
            .column = "block",
            .kind = KNOB_KIND_SIZE,
            .initial = 128 * 1024,
            .least = 1,
            .most = LARGEST_BLOCK,
            .sweeps = 1,
        },
    [KNOB_BYTES] =
        {
            .key = "bytes",
            .option = "bytes",
            .letters = "n",
            .datatype = "SIZE",
            .help = "exactly this much: of each FILE, or of the stream",
            .column = "bytes",
            .kind = KNOB_KIND_SIZE,
            .initial = PARAM_NONE,
            .least = 1,
            .most = LARGEST_FILE,
        },
    [KNOB_CACHE] =
        {
            .key = "cache",
            .option = "cache",
            .datatype = "LIST",
            .help = "state of the page cache: warm (read once before), cold (dropped before each "
                    "trial, and proved), as-is",
            .column = "cache",
            .kind = KNOB_KIND_CHOICE,
            .choices = cache_choices,
            .initial = CACHE_WARM,
            .sweeps = 1,
        },
    [KNOB_CONGESTION] =
        {
            .key = "congestion",
            .option = "congestion",
            .datatype = "LIST",
            .help = "congestion control of TCP: system, cubic, bbr, reno",
            .column = "congestion",
            .kind = KNOB_KIND_CHOICE,
            .choices = congestion_choices,
            .initial = CONGESTION_SYSTEM,
            .sweeps = 1,
        },
    [KNOB_CONNECTIONS] =
        {
            .key = "connections",
            .option = "connections",
            .letters = "c",
            .datatype = "LIST",
            .help = "connections drained at once (1)",
            .column = "connections",
            .kind = KNOB_KIND_COUNT,
            .initial = 1,
            .least = 1,
            .most = 1000000,
            .sweeps = 1,
        },
    [KNOB_CONSUME] =
        {
            .key = "consume",
            .option = "consume",
            .datatype = "HOW",
            .help = "what is done with the bytes: none, touch (one byte of each cache line), sum, "
                    "lines",
            .column = "consume",
            .kind = KNOB_KIND_CHOICE,
            .choices = consume_choices,
            .initial = CONSUME_TOUCH,
            .sweeps = 1,
        },
    [KNOB_DEPTH] =
        {
            .key = "depth",
            .option = "depth",
            .datatype = "LIST",
            .help = "requests in flight, for strategies that queue them (32)",
            .column = "depth",
            .kind = KNOB_KIND_COUNT,
            .initial = 32,
            .least = 1,
            .most = 4096,
            .sweeps = 1,
        },
    [KNOB_HANDLES] =
        {
            .key = "handles",
            .option = "handles",
            .datatype = "LIST",
            .help = "descriptors to wait on (1000)",
            .column = "handles",
            .kind = KNOB_KIND_COUNT,
            .initial = 1000,
            .letters = "n",
            .least = 1,
            .most = 1000000,
            .sweeps = 1,
        },
    [KNOB_KIND] =
        {
            .key = "kind",
            .option = "kind",
            .datatype = "LIST",
            .help = "what they are: pipe, unix, inet, eventfd",
            .column = "kind",
            .kind = KNOB_KIND_CHOICE,
            .initial = HANDLE_PIPE,
            .choices = kind_choices,
            .sweeps = 1,
        },
    [KNOB_MAX_EVENTS] =
        {
            .key = "max_events",
            .option = "max-events",
            .datatype = "LIST",
            .help = "events taken by one wait (64)",
            .column = "max events",
            .kind = KNOB_KIND_COUNT,
            .initial = 64,
            .least = 1,
            .most = 65536,
            .sweeps = 1,
        },
    [KNOB_NODELAY] =
        {
            .key = "nodelay",
            .option = "nodelay",
            .datatype = "LIST",
            .help = "TCP_NODELAY of the sender: off, on",
            .column = "nodelay",
            .kind = KNOB_KIND_CHOICE,
            .choices = switch_choices,
            .initial = 0,
            .sweeps = 1,
        },
    [KNOB_OFFSET] =
        {
            .key = "offset",
            .option = "offset",
            .datatype = "SIZE",
            .help = "start this far into each FILE (0)",
            .column = "offset",
            .kind = KNOB_KIND_SIZE,
            .initial = 0,
            .least = 0,
            .most = LARGEST_FILE,
        },
    [KNOB_ORDER] =
        {
            .key = "order",
            .option = "order",
            .datatype = "LIST",
            .help = "in which handles are written to: random (by the seed), cyclic",
            .column = "order",
            .kind = KNOB_KIND_CHOICE,
            .initial = ORDER_RANDOM,
            .choices = order_choices,
            .sweeps = 1,
        },
    [KNOB_OUTSTANDING] =
        {
            .key = "outstanding",
            .option = "outstanding",
            .datatype = "LIST",
            .help = "unread messages that a handle may have (1); 0: as many as it holds",
            .column = "outstanding",
            .kind = KNOB_KIND_COUNT,
            .initial = 1,
            .least = 0,
            .most = 1024,
            .sweeps = 1,
        },
    [KNOB_PATTERN] =
        {
            .key = "pattern",
            .option = "pattern",
            .datatype = "LIST",
            .help = "order of the blocks: sequential, reverse, random, stride:SIZE",
            .column = "pattern",
            .kind = KNOB_KIND_PATTERN,
            .choices = pattern_choices,
            .initial = PATTERN_SEQUENTIAL,
            .most = LARGEST_BLOCK,
            .sweeps = 1,
        },
    [KNOB_PLACE] =
        {
            .key = "place",
            .option = "place",
            .datatype = "LIST",
            .help = "processors of the two ends: any, same, apart",
            .column = "place",
            .kind = KNOB_KIND_CHOICE,
            .choices = place_choices,
            .initial = PLACE_ANY,
            .sweeps = 1,
        },
    [KNOB_RATE] =
        {
            .key = "rate",
            .option = "rate",
            .datatype = "LIST",
            .help = "events per second, each at its own moment, instead of as many as are read; "
                    "latency counts from that moment",
            .column = "rate",
            .kind = KNOB_KIND_COUNT,
            .initial = PARAM_NONE,
            .least = 1,
            .most = 1000000000,
            .sweeps = 1,
        },
    [KNOB_RCVBUF] =
        {
            .key = "rcvbuf",
            .option = "rcvbuf",
            .datatype = "LIST",
            .help = "SO_RCVBUF of the receiver (the system's)",
            .column = "rcvbuf",
            .kind = KNOB_KIND_SIZE,
            .initial = PARAM_NONE,
            .least = 1,
            .most = INT32_MAX / 2,
            .sweeps = 1,
        },
    [KNOB_SEND_SIZE] =
        {
            .key = "send_size",
            .option = "send-size",
            .datatype = "LIST",
            .help = "bytes of one send, or of a datagram (128k; a datagram: the block, 8k at most)",
            .column = "send",
            .kind = KNOB_KIND_SIZE,
            .initial = PARAM_NONE,
            .least = 1,
            .most = 64 * 1024 * 1024,
            .sweeps = 1,
        },
    [KNOB_SHARE] =
        {
            .key = "share",
            .option = "share",
            .datatype = "LIST",
            .help = "with several threads: one epoll instance for all, or one each with its own "
                    "handles",
            .column = "share",
            .kind = KNOB_KIND_CHOICE,
            .initial = SHARE_ONE,
            .choices = share_choices,
            .sweeps = 1,
        },
    [KNOB_SIZE] =
        {
            .key = "size",
            .option = "sizes",
            .datatype = "LIST",
            .help = "make a file of each size, and fit what an open, a call and a byte cost",
            .column = "size",
            .kind = KNOB_KIND_SIZE,
            .initial = PARAM_NONE,
            .least = 1,
            .most = LARGEST_FILE,
            .sweeps = 1,
        },
    [KNOB_SNDBUF] =
        {
            .key = "sndbuf",
            .option = "sndbuf",
            .datatype = "LIST",
            .help = "SO_SNDBUF of the sender (the system's)",
            .column = "sndbuf",
            .kind = KNOB_KIND_SIZE,
            .initial = PARAM_NONE,
            .least = 1,
            .most = INT32_MAX / 2,
            .sweeps = 1,
        },
    [KNOB_STDIO_BUFFER] =
        {
            .key = "stdio_buffer",
            .option = "stdio-buffer",
            .datatype = "LIST",
            .help = "buffer of the stdio strategies (the C library's own size)",
            .column = "buffer",
            .kind = KNOB_KIND_SIZE,
            .initial = PARAM_NONE,
            .least = 1,
            .most = LARGEST_BLOCK,
            .sweeps = 1,
        },
    [KNOB_THREADS] =
        {
            .key = "threads",
            .option = "threads",
            .letters = "t",
            .datatype = "LIST",
            .help = "worker threads, each with its own part of the work (1)",
            .column = "threads",
            .kind = KNOB_KIND_COUNT,
            .initial = 1,
            .least = 1,
            .most = 1024,
            .sweeps = 1,
        },
    [KNOB_TRANSPORT] =
        {
            .key = "transport",
            .option = "transport",
            .datatype = "LIST",
            .help = "tcp, tcp6, unix, unix-dgram, udp, pipe, socketpair",
            .column = "transport",
            .kind = KNOB_KIND_CHOICE,
            .choices = transport_choices,
            .initial = TRANSPORT_TCP,
            .sweeps = 1,
        },
    [KNOB_WRITERS] =
        {
            .key = "writers",
            .option = "writers",
            .datatype = "LIST",
            .help = "threads of the process that writes (1)",
            .column = "writers",
            .kind = KNOB_KIND_COUNT,
            .initial = 1,
            .least = 1,
            .most = 256,
            .sweeps = 1,
        },
};

void params_init(struct params *params)
{
    for (int k = 0; k < KNOBS; k++)
        params->value[k] = knob_info[k].initial;
}

static int parse_choice(const struct knob_info *info, const char *text, uint64_t *value,
                        struct err *err)
{
    for (uint64_t i = 0; info->choices[i] != NULL; i++) {
        if (strcmp(info->choices[i], text) == 0) {
            *value = i;
            return 0;
        }
    }
    return err_set(err, 0, "--%s: unknown value '%s'", info->option, text);
}

static int parse_pattern(const struct knob_info *info, const char *text, uint64_t *value,
                         struct err *err)
{
    static const char stride[] = "stride:";
    struct err why = {0};
    if (strncmp(text, stride, strlen(stride)) != 0)
        return parse_choice(info, text, value, err);
    if (units_parse_size(text + strlen(stride), value, &why) != 0)
        return err_set(err, 0, "--%s: %s", info->option, why.text);
    if (*value < PATTERN_LEAST_STRIDE || *value > info->most)
        return err_set(err, 0, "--%s: a stride of '%s' is too %s", info->option,
                       text + strlen(stride), *value > info->most ? "large" : "small");
    return 0;
}

int params_parse(enum knob knob, const char *text, uint64_t *value, struct err *err)
{
    const struct knob_info *info = &knob_info[knob];
    if (info->kind == KNOB_KIND_CHOICE)
        return parse_choice(info, text, value, err);
    if (info->kind == KNOB_KIND_PATTERN)
        return parse_pattern(info, text, value, err);

    struct err why = {0};
    int status = info->kind == KNOB_KIND_SIZE ? units_parse_size(text, value, &why)
                                              : units_parse_count(text, value, &why);
    if (status != 0)
        return err_set(err, 0, "--%s: %s", info->option, why.text);
    if (*value < info->least)
        return err_set(err, 0, "--%s: '%s' is too small: at least %" PRIu64 " is needed",
                       info->option, text, info->least);
    if (*value > info->most)
        return err_set(err, 0, "--%s: '%s' is too large: the limit is %" PRIu64, info->option, text,
                       info->most);
    return 0;
}

char *params_text(enum knob knob, uint64_t value, char text[PARAM_TEXT])
{
    const struct knob_info *info = &knob_info[knob];
    if (value == PARAM_NONE)
        snprintf(text, PARAM_TEXT, "none");
    else if (info->kind == KNOB_KIND_PATTERN && value >= PATTERN_LEAST_STRIDE)
        snprintf(text, PARAM_TEXT, "stride:%" PRIu64, value);
    else if (info->kind == KNOB_KIND_CHOICE || info->kind == KNOB_KIND_PATTERN)
        snprintf(text, PARAM_TEXT, "%s",
                 value == CONSUME_DIGEST && knob == KNOB_CONSUME ? "digest" : info->choices[value]);
    else
        snprintf(text, PARAM_TEXT, "%" PRIu64, value);
    return text;
}
