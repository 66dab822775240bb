/* A measuring command from its options to its exit status. What differs between families stands
 * behind a table of functions. */
#ifndef IOBENCH_CLI_SESSION_H
#define IOBENCH_CLI_SESSION_H

#include "cli/command.h"
#include "cli/options.h"
#include "family/request.h"
#include "measure/runner.h"
#include "report/report.h"

struct session;

/* find, open, begin and end may be NULL: there is nothing to do. */
struct session_kind {
    /* What can be refused before anything is opened. */
    int (*check_usage)(const struct session *, struct err *);
    /* Learns what is to be measured, as far as that needs nothing opened; refuses with exit 2. */
    int (*find)(struct session *, struct err *);
    /* Makes or opens it; refuses with exit 3. Not called by --dry-run. */
    int (*open)(struct session *, struct err *);
    /* The cases; refuses with exit 2. */
    int (*plan)(struct session *, struct err *);
    /* Just before and just after the run. */
    int (*begin)(struct session *, struct runner *, struct err *);
    void (*end)(struct session *);
    void (*free)(struct session *);
    uint64_t trial_time_ns, ramp_ns; /* unless others are asked for */
};

extern const struct session_kind file_session, stream_session, events_session, service_session;

/* Block sizes of a model, unless others are asked for. */
enum { MODEL_BLOCKS = 3 };

/* All that lives from the options to the report. */
struct session {
    const struct command *command;
    const struct session_kind *kind;
    struct options options;
    struct request request;
    struct settings settings;
    struct source source;
    struct host host;
    struct run run;
    void *plan; /* of the family */
    struct report report;
    struct exec_inheritance inheritance;
    size_t lost; /* things named that cannot be measured */
    uint64_t model_blocks[MODEL_BLOCKS];
    uint64_t connections; /* of a service, unless others are asked for */
};

int session_run(const struct command *command, const struct session_kind *kind, int argc,
                char **argv);

/* The exit status of a run whose reports are written or not: the gate's verdict included, which it
 * says. */
int session_status(const struct session *session, bool written);

#endif
