#include "config.h"

#include "family/stream.h"

#include "family/case_id.h"
#include "family/choice.h"
#include "family/exec_case.h"
#include "family/resources.h"
#include "family/stream_link.h"
#include "family/stream_part.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a pass is unless --bytes says otherwise: small beside a trial. A run of the user's own
 * command is a trial, and takes more. */
#define PASS_BYTES (UINT64_C(1) << 20)
#define EXEC_BYTES (UINT64_C(64) << 20)
enum {
    SEND_SIZE = 128 * 1024,
    LARGEST_DATAGRAM = 65507, /* of UDP over IPv4 (udp(7)) */
    DATAGRAM = 8 * 1024
};

/* One case's own. */
struct stream_case {
    struct stream_link link;
    struct sender_work sender;
    struct stream_work timed, verify;
};

struct stream_plan {
    struct stream_case *cases;
    size_t n;
    struct stream_origin origin;
    struct cpus cpus[2]; /* for --place */
    struct exec_plan exec;
    struct stream_case command; /* the sender that commands meet */
    char host[INET_ADDRSTRLEN];
};

#define SEND_KNOBS                                                                   \
    (KNOB_BIT(KNOB_BYTES) | KNOB_BIT(KNOB_CONGESTION) | KNOB_BIT(KNOB_CONNECTIONS) | \
     KNOB_BIT(KNOB_NODELAY) | KNOB_BIT(KNOB_SEND_SIZE) | KNOB_BIT(KNOB_SNDBUF))

static knob_set knobs_of(const struct request *request, const struct strategy *strategy)
{
    knob_set knobs = strategy->knobs | STREAM_KNOBS;
    if (strategy->keeps_bytes)
        knobs &= ~KNOB_BIT(KNOB_CONSUME);
    if (request->send) /* ours is the other end */
        return SEND_KNOBS;
    if (request->connect != NULL || request->listen != NULL) /* the other end is not ours */
        knobs &= ~(KNOB_BIT(KNOB_PLACE) | KNOB_BIT(KNOB_NODELAY) | KNOB_BIT(KNOB_SNDBUF) |
                   KNOB_BIT(KNOB_SEND_SIZE) | KNOB_BIT(KNOB_TRANSPORT));
    return knobs;
}

int stream_check_request(const struct request *request, struct err *err)
{
    if (choices_check(FAMILY_STREAM, request, knobs_of, err) != 0)
        return -1;
    bool external = request->connect != NULL || request->listen != NULL;
    if (request->connect != NULL && request->listen != NULL)
        return err_set(err, 0, "--connect and --listen: choose one");
    if (request->send && (!external || request->modes_given))
        return err_set(err, 0,
                       external ? "--send receives nothing: it does not go with --mode"
                                : "--send needs --connect or --listen: to whom?");
    if (external && request->n_execs > 0)
        return err_set(err, 0,
                       "--exec needs our own sender: it does not go with --connect and "
                       "--listen");
    if (request->n_exec_verify > 0)
        return err_set(err, 0, "--exec-verify compares with a file: recv has none");
    const struct knob_values *connections = &request->knobs[KNOB_CONNECTIONS];
    for (size_t i = 0; i < connections->n; i++)
        if (resources_need_descriptors("connections", connections->values[i], 2, err) != 0)
            return -1;
    return exec_check_request(request, err);
}

/* Bytes of one send: what was asked for, or what suits the transport. */
static size_t send_size(const struct params *params)
{
    uint64_t given = params->value[KNOB_SEND_SIZE], block = params->value[KNOB_BLOCK_SIZE];
    if (given != PARAM_NONE)
        return (size_t)given;
    if (!transport_has_datagrams((enum transport)params->value[KNOB_TRANSPORT]))
        return SEND_SIZE;
    return block < DATAGRAM ? (size_t)block : DATAGRAM;
}

/* Marks the case as skipped, with the reason, when it cannot be measured so. */
static void check_suits(struct run_case *c, const struct stream_work *work)
{
    const struct strategy *strategy = work->strategy;
    unsigned needs = strategy->needs;
    enum transport transport = work->sender->ends->transport;
    bool external = stream_is_external(work->origin);
    const char *name = knob_info[KNOB_TRANSPORT].choices[transport];
    const uint64_t *value = work->params.value;
    struct err why = {0};
    if (strategy->probe != NULL && strategy->probe(&why) != 0)
        run_case_end(c, CASE_SKIPPED, "unavailable", "%s", why.text);
    else if (needs & NEED_SOCKET && transport == TRANSPORT_PIPE)
        run_case_end(c, CASE_SKIPPED, "transport", "%s needs a socket: a pipe is none",
                     strategy->name);
    else if (needs & NEED_TCP && !transport_is_tcp(transport))
        run_case_end(c, CASE_SKIPPED, "transport", "%s works on TCP only", strategy->name);
    else if (needs & NEED_STREAM && transport_has_datagrams(transport))
        run_case_end(c, CASE_SKIPPED, "transport", "%s cannot tell the datagrams of %s apart",
                     strategy->name, name);
    else if (needs & NEED_DATAGRAMS && !transport_has_datagrams(transport))
        run_case_end(c, CASE_SKIPPED, "transport", "%s takes datagrams, and %s has none",
                     strategy->name, name);
    else if (needs & NEED_LONE && value[KNOB_CONNECTIONS] > value[KNOB_THREADS])
        run_case_end(c, CASE_SKIPPED, "connections",
                     "%s blocks on one connection: %" PRIu64 " of them need as many --threads",
                     strategy->name, value[KNOB_CONNECTIONS]);
    else if (value[KNOB_THREADS] > value[KNOB_CONNECTIONS])
        run_case_end(c, CASE_SKIPPED, "threads",
                     "%" PRIu64 " threads have no more than %" PRIu64 " connections to drain",
                     value[KNOB_THREADS], value[KNOB_CONNECTIONS]);
    else if (transport == TRANSPORT_UDP && work->sender->send_size > LARGEST_DATAGRAM && !external)
        run_case_end(c, CASE_SKIPPED, "send_size", "a UDP datagram holds %d bytes at most",
                     LARGEST_DATAGRAM);
}

static void set_parts(struct run_case *c, struct stream_case *own)
{
    bool external = stream_is_external(own->timed.origin);
    c->timed = stream_part(&own->timed);
    c->lossy = own->link.ends.transport == TRANSPORT_UDP;
    if (external)
        return;
    c->peer = sender_part(&own->sender);
    c->link = stream_link_own(&own->link);
    if (own->timed.strategy->keeps_bytes)
        return;
    own->verify = own->timed;
    own->verify.params.value[KNOB_CONSUME] = CONSUME_DIGEST;
    c->verify = stream_part(&own->verify);
    c->reference = stream_reference_part(&own->timed);
    c->reference_key =
        own->sender.pass_bytes ^ (uint64_t)own->link.ends.n << 48 ^
        (uint64_t)transport_has_datagrams(own->link.ends.transport) << 47 ^
        (transport_has_datagrams(own->link.ends.transport) ? (uint64_t)own->sender.send_size << 20
                                                           : 0);
}

static int init_case(struct stream_case *own, struct stream_plan *plan, const struct params *params,
                     struct err *err)
{
    if (stream_link_init(&own->link, params, err) != 0)
        return -1;
    uint64_t bytes = params->value[KNOB_BYTES];
    bool external = stream_is_external(&plan->origin);
    own->sender = (struct sender_work){.ends = &own->link.ends,
                                       .listener = -1,
                                       .pass_bytes = bytes != PARAM_NONE ? bytes
                                                     : external          ? UNKNOWN
                                                                         : PASS_BYTES,
                                       .send_size = send_size(params)};
    return 0;
}

/* Where the cases go. */
struct planning {
    struct stream_plan *plan;
    const struct request *request;
    struct run *run;
};

static int add_case(void *data, const struct choice *choice, const struct params *params,
                    const size_t at[KNOBS], struct err *err)
{
    (void)at;
    const struct planning *planning = data;
    struct stream_plan *plan = planning->plan;
    const struct request *request = planning->request;
    struct run *run = planning->run;
    const struct strategy *strategy = choice->strategy;
    struct stream_case *own = &plan->cases[plan->n++];
    if (init_case(own, plan, params, err) != 0)
        return -1;
    own->timed = (struct stream_work){strategy, *params, &own->sender, &plan->origin};
    struct run_case *c =
        choice_add_case(run, "recv", choice, params, knobs_of(request, strategy), err);
    if (c == NULL)
        return -1;
    if (strategy->keeps_bytes) { /* the key is there, and null */
        c->knobs |= KNOB_BIT(KNOB_CONSUME);
        c->params.value[KNOB_CONSUME] = PARAM_NONE;
    }
    if (!stream_is_external(&plan->origin))
        c->params.value[KNOB_SEND_SIZE] = own->sender.send_size;
    if (request->latency && strategy->times_calls &&
        run_add_histogram(&c->histogram[OF_LATENCY], err) != 0)
        return -1;
    if (request->sizes && run_add_histogram(&c->histogram[OF_SIZES], err) != 0)
        return -1;
    set_parts(c, own);
    check_suits(c, &own->timed);
    return resources_place(c, plan->cpus, err);
}

/* The one case of --send. */
static int add_sender(struct stream_plan *plan, const struct request *request, struct run *run,
                      struct err *err)
{
    struct params params;
    params_init(&params);
    for (int k = 0; k < KNOBS; k++)
        if (SEND_KNOBS & KNOB_BIT(k))
            params.value[k] = request->knobs[k].values[0];
    struct stream_case *own = &plan->cases[plan->n++];
    if (init_case(own, plan, &params, err) != 0)
        return -1;
    own->timed = (struct stream_work){NULL, params, &own->sender, &plan->origin};
    params.value[KNOB_SEND_SIZE] = own->sender.send_size;
    struct run_case *c = &run->cases[run->n_cases++];
    *c = (struct run_case){.mode = strdup("send"),
                           .label = strdup("send"),
                           .id = case_id("recv", "send", SEND_KNOBS, &own->timed.params),
                           .kind = CASE_STRATEGY,
                           .params = params,
                           .knobs = SEND_KNOBS,
                           .named = true,
                           .workers = 1,
                           .timed = stream_send_part(&own->sender, &own->timed)};
    if (c->id == NULL || c->label == NULL || c->mode == NULL)
        return err_set(err, ENOMEM, "cannot plan a sender");
    return 0;
}

/* A port for the whole run: it stands in the commands. */
static int listen_for_commands(struct stream_plan *plan, unsigned *port, struct err *err)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof in;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    plan->command.sender.listener = fd;
    if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof in) != 0 || listen(fd, 16) != 0 ||
        getsockname(fd, (struct sockaddr *)&in, &size) != 0)
        return err_set(err, errno, "cannot listen on loopback");
    *port = ntohs(in.sin_port);
    return 0;
}

static int add_execs(struct stream_plan *plan, const struct request *request, struct run *run,
                     struct err *err)
{
    if (request->n_execs == 0)
        return 0;
    struct params params;
    params_init(&params);
    if (init_case(&plan->command, plan, &params, err) != 0)
        return -1;
    uint64_t bytes = request->knobs[KNOB_BYTES].values[0];
    plan->command.sender.pass_bytes = bytes != PARAM_NONE ? bytes : EXEC_BYTES;
    struct exec_target target = {.host = "127.0.0.1",
                                 .pass_bytes = plan->command.sender.pass_bytes};
    if (listen_for_commands(plan, &target.port, err) != 0)
        return -1;
    unsigned first = run->n_cases;
    if (exec_add_cases(&plan->exec, request, &target, "recv", NULL, run, err) != 0)
        return -1;
    for (unsigned i = first; i < run->n_cases; i++)
        run->cases[i].peer = sender_part(&plan->command.sender);
    return 0;
}

struct stream_plan *stream_plan_cases(const struct request *request, struct run *run,
                                      struct err *err)
{
    size_t n;
    struct choice *choices = choices_make(FAMILY_STREAM, request, &n, err);
    if (choices == NULL)
        return NULL;
    size_t cases = choices_count(request, choices, n, knobs_of) + exec_count_cases(request);
    struct stream_plan *plan = calloc(1, sizeof *plan);
    struct planning planning = {plan, request, run};
    int status = -1;
    if (plan != NULL)
        plan->command.sender.listener = plan->origin.listener = -1;
    if (plan == NULL)
        err_set(err, errno, "cannot plan %zu cases", cases);
    else
        plan->cases = choices_make_room(run, cases, sizeof *plan->cases, err);
    if (plan == NULL || plan->cases == NULL)
        goto out;
    plan->origin =
        (struct stream_origin){request->connect, request->listen, -1, request->timeout_ns};
    status = request->send ? add_sender(plan, request, run, err)
                           : choices_each(request, choices, n, knobs_of, add_case, &planning, err);
    if (status == 0)
        status = add_execs(plan, request, run, err);
    if (status == 0)
        status = case_ids_number(run, err);
out:
    free(choices);
    if (status == 0)
        return plan;
    stream_plan_free(plan);
    return NULL;
}

int stream_plan_listen(struct stream_plan *plan, struct err *err)
{
    if (plan->origin.listen == NULL)
        return 0;
    plan->origin.listener = address_listen(plan->origin.listen, NULL, NULL, err);
    return plan->origin.listener >= 0 ? 0 : -1;
}

void stream_plan_free(struct stream_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->n; i++)
        stream_link_free(&plan->cases[i].link);
    exec_plan_free(&plan->exec);
    stream_link_free(&plan->command.link);
    if (plan->command.sender.listener >= 0)
        close(plan->command.sender.listener);
    if (plan->origin.listener >= 0) {
        close(plan->origin.listener);
        if (plan->origin.listen->path != NULL)
            unlink(plan->origin.listen->path);
    }
    free(plan->cases);
    free(plan);
}
