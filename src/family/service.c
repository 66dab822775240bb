#include "config.h"

#include "family/service.h"

#include "base/clock.h"
#include "family/case_id.h"
#include "family/choice.h"
#include "family/resources.h"
#include "family/service_part.h"
#include "strategy/service/answer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Making connections is no part of a trial, but takes its time: the clock runs for as long. */
#define TRIAL_NS_PER_CONNECTION (50 * 1000)
/* A load that is given tells little by a few requests. */
enum { LEAST_REQUESTS = 100 };
/* A command's start and end are a price to be spread. */
#define EXEC_TRIAL_NS (100 * NS_PER_MS)

/* One case's own. */
struct service_case {
    struct service_meeting meeting;
    struct service_work server;
    struct service_exec_work exec;
    struct load_work load;
};

struct service_plan {
    struct service_case *cases;
    size_t n;
    struct load_target target; /* of --connect */
    const struct address *connect;
    struct cpus cpus[2]; /* for --place */
};

/* Stands for the user's commands and for a load alone, where combinations of knobs are made. */
static const struct strategy load_alone = {.name = "load", .family = FAMILY_SERVICE};

static knob_set knobs_of(const struct request *request, const struct strategy *strategy)
{
    if (strategy == &load_alone)
        return LOAD_KNOBS;
    if (request->listen != NULL)
        return SERVER_KNOBS | strategy->knobs;
    return SERVICE_KNOBS | strategy->knobs;
}

static bool is_given(const struct request *request, enum knob knob, uint64_t value)
{
    for (size_t i = 0; i < request->knobs[knob].n; i++)
        if (request->knobs[knob].values[i] == value)
            return true;
    return false;
}

static int check_values(const struct request *request, struct err *err)
{
    const struct knob_values *transports = &request->knobs[KNOB_TRANSPORT];
    const struct knob_values *connections = &request->knobs[KNOB_CONNECTIONS];
    const struct knob_values *sizes = &request->knobs[KNOB_MESSAGE_SIZE];
    bool http = is_given(request, KNOB_PROTOCOL, PROTOCOL_HTTP);
    for (size_t i = 0; i < transports->n; i++)
        if (transports->values[i] != TRANSPORT_TCP && transports->values[i] != TRANSPORT_TCP6 &&
            transports->values[i] != TRANSPORT_UNIX)
            return err_set(err, 0, "--transport: a server listens on tcp, tcp6 or unix");
    for (size_t i = 0; i < connections->n; i++)
        if (resources_need_descriptors("connections", connections->values[i], 1, err) != 0)
            return -1;
    for (size_t i = 0; http && i < sizes->n; i++)
        if (sizes->values[i] > LARGEST_BODY)
            return err_set(err, 0, "--message-size: an HTTP answer holds at most %" PRIu64 " bytes",
                           LARGEST_BODY);
    if (request->connect != NULL && !is_given(request, KNOB_PROTOCOL, PROTOCOL_RAW) && sizes->given)
        return err_set(err, 0, "--message-size: an HTTP server has bodies of its own");
    if (request->listen != NULL && !http && sizes->given)
        return err_set(err, 0, "--message-size: an echo says back whatever comes");
    return 0;
}

int service_check_request(const struct request *request, struct err *err)
{
    if (request->connect != NULL && request->listen != NULL)
        return err_set(err, 0, "--connect and --listen: choose one");
    bool external = request->connect != NULL || request->listen != NULL;
    if (external && request->n_execs > 0)
        return err_set(err, 0,
                       "--exec starts a server for our own load: it does not go with --connect "
                       "and --listen");
    if (request->connect != NULL && request->modes_given)
        return err_set(err, 0,
                       "--connect loads a server that is there: --mode is not ours to choose");
    if (request->connect != NULL) {
        for (int k = 0; k < KNOBS; k++)
            if (request->knobs[k].given && !(LOAD_KNOBS & KNOB_BIT(k)))
                return err_set(err, 0, "--%s has no effect on a server that is there",
                               knob_info[k].option);
    } else if (choices_check(FAMILY_SERVICE, request, knobs_of, err) != 0) {
        return -1;
    }
    for (size_t i = 0; i < request->n_execs; i++)
        if (strstr(request->execs[i], "{port}") == NULL)
            return err_set(err, 0, "--exec: '%s' has no {port}: where is it to listen?",
                           request->execs[i]);
    return check_values(request, err);
}

/* Marks the case as skipped, with the reason, when it cannot be measured so. */
static void check_suits(struct run_case *c, const struct strategy *strategy)
{
    const uint64_t *value = c->params.value;
    struct err why = {0};
    bool loads = (c->knobs & KNOB_BIT(KNOB_CONNECTIONS)) != 0;
    if (strategy->probe != NULL && strategy->probe(&why) != 0)
        run_case_end(c, CASE_SKIPPED, "unavailable", "%s", why.text);
    else if (strategy->needs & NEED_HTTP && value[KNOB_PROTOCOL] != PROTOCOL_HTTP)
        run_case_end(c, CASE_SKIPPED, "protocol", "%s speaks HTTP alone: see --protocol=http",
                     strategy->name);
    else if (strategy->needs & NEED_ONE_THREAD && value[KNOB_THREADS] > 1)
        run_case_end(c, CASE_SKIPPED, "threads", "%s has no use for --threads", strategy->name);
    else if (value[KNOB_ACCEPT] == ACCEPT_REUSEPORT && value[KNOB_TRANSPORT] == TRANSPORT_UNIX)
        run_case_end(c, CASE_SKIPPED, "accept", "UNIX sockets know no ports to share");
    else if (loads && value[KNOB_CLIENT_THREADS] > value[KNOB_CONNECTIONS])
        run_case_end(c, CASE_SKIPPED, "client_threads",
                     "%" PRIu64 " threads have no more than %" PRIu64 " connections to load",
                     value[KNOB_CLIENT_THREADS], value[KNOB_CONNECTIONS]);
}

/* Where the cases go. */
struct planning {
    struct service_plan *plan;
    const struct request *request;
    struct run *run;
    const char *exec; /* the command whose cases are made */
};

/* What all cases with a load of ours have. */
static int set_load(struct run_case *c, struct service_case *own, const struct planning *planning,
                    struct err *err)
{
    struct run *run = planning->run;
    bool finds_rate = planning->request->finds_rate;
    uint64_t rate = c->params.value[KNOB_RATE];
    bool paced = rate != PARAM_NONE;
    uint64_t least = c->params.value[KNOB_CONNECTIONS] * TRIAL_NS_PER_CONNECTION;
    if (paced) {
        double telling = LEAST_REQUESTS * 1e9 / (double)rate;
        least = telling > 1e9 ? NS_PER_S : telling > (double)least ? (uint64_t)telling : least;
    }
    if (c->least_trial_ns < least)
        c->least_trial_ns = least;
    c->rate = &own->load.params.value[KNOB_RATE];
    run->by_requests = true;
    run->by_cpu |= paced; /* all take the same time then */
    c->judges_itself = true;
    c->lossy = true;
    if (run_add_histogram(&c->histogram[OF_LATENCY], err) != 0)
        return -1;
    if ((paced || finds_rate) && (run_add_histogram(&c->histogram[OF_SERVICE], err) != 0 ||
                                  run_add_histogram(&c->histogram[OF_LATENESS], err) != 0))
        return -1;
    return 0;
}

static void join_load(struct run_case *c, struct service_case *own)
{
    c->peer = load_part(&own->load);
    c->peer_workers = (unsigned)c->params.value[KNOB_CLIENT_THREADS];
    c->peer_drives = true;
}

static struct load_work make_load(struct service_case *own, const struct params *params,
                                  const struct request *request)
{
    return (struct load_work){.params = *params,
                              .target = &own->meeting.target,
                              .timeout_ns = request->timeout_ns,
                              .meeting = own->meeting.shared,
                              .wake_fd = &own->meeting.wake_fd,
                              .listeners = own->meeting.listeners,
                              .n_listeners = own->meeting.n_listeners};
}

static int add_case(void *data, const struct choice *choice, const struct params *params,
                    const size_t at[KNOBS], struct err *err)
{
    const struct planning *planning = data;
    const struct request *request = planning->request;
    const struct strategy *strategy = choice->strategy;
    struct service_plan *plan = planning->plan;
    struct service_case *own = &plan->cases[plan->n++];
    (void)at;
    if (service_meeting_init(&own->meeting, params, err) != 0)
        return -1;
    struct run_case *c =
        choice_add_case(planning->run, "echo", choice, params, knobs_of(request, strategy), err);
    if (c == NULL)
        return -1;
    own->meeting.listen = request->listen;
    own->server = (struct service_work){strategy, *params, &own->meeting, request->listen != NULL};
    c->timed = service_part(&own->server);
    check_suits(c, strategy);
    if (request->listen != NULL) {
        c->link = service_link_alone(&own->meeting);
        c->serves = true;
        return 0;
    }
    own->load = make_load(own, params, request);
    own->load.knows_body = true;
    own->load.server_workers = c->workers;
    c->link = service_link(&own->meeting);
    join_load(c, own);
    return set_load(c, own, planning, err) == 0 ? resources_place(c, plan->cpus, err) : -1;
}

/* The one case of --connect. */
static int add_load(void *data, const struct choice *choice, const struct params *params,
                    const size_t at[KNOBS], struct err *err)
{
    const struct planning *planning = data;
    struct service_plan *plan = planning->plan;
    struct service_case *own = &plan->cases[plan->n++];
    (void)at;
    if (service_meeting_init(&own->meeting, params, err) != 0)
        return -1;
    struct run_case *c = choice_add_case(planning->run, "echo", choice, params, LOAD_KNOBS, err);
    if (c == NULL)
        return -1;
    own->load = make_load(own, params, planning->request);
    own->load.target = &plan->target;
    own->load.meeting = NULL;
    c->timed = load_part(&own->load);
    c->workers = (unsigned)params->value[KNOB_CLIENT_THREADS];
    check_suits(c, choice->strategy);
    return set_load(c, own, planning, err);
}

/* A port that is free now. It stands in the command, and is the same in all trials of a case. */
static int find_port(struct load_target *target, unsigned *port, struct err *err)
{
    struct sockaddr_storage *address = &target->at[0].address;
    socklen_t *size = &target->at[0].size;
    address_loopback(TRANSPORT_TCP, address, size);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int status = fd < 0 || bind(fd, (struct sockaddr *)address, *size) != 0 ||
                 getsockname(fd, (struct sockaddr *)address, size) != 0;
    if (status != 0)
        err_set(err, errno, "cannot find a port for a server");
    if (fd >= 0)
        close(fd);
    *port = ntohs(((struct sockaddr_in *)address)->sin_port);
    target->n = 1;
    strcpy(target->name, "localhost");
    return status == 0 ? 0 : -1;
}

/* The case of a server of the user's, by its name. */
static struct run_case *add_named(const struct planning *planning, size_t length, const char *text,
                                  const struct params *params, struct err *err)
{
    char *name = strndup(text, length);
    struct strategy server = load_alone;
    server.name = name;
    struct run_case *c = NULL;
    if (name == NULL)
        err_set(err, errno, "cannot plan '%s'", text);
    else
        c = choice_add_case(planning->run, "echo", &(struct choice){&server, true}, params,
                            LOAD_KNOBS, err);
    free(name);
    return c;
}

static int add_exec(void *data, const struct choice *choice, const struct params *params,
                    const size_t at[KNOBS], struct err *err)
{
    const struct planning *planning = data;
    const struct request *request = planning->request;
    struct service_plan *plan = planning->plan;
    struct service_case *own = &plan->cases[plan->n++];
    size_t length;
    const char *command = exec_split_name(planning->exec, &length);
    struct exec_target target = {.host = "127.0.0.1"};
    (void)at;
    if (service_meeting_init(&own->meeting, params, err) != 0 ||
        find_port(&own->meeting.target, &target.port, err) != 0 ||
        exec_work_init(&own->exec.exec, command, &target, 0, err) != 0)
        return -1;
    struct run_case *c = add_named(planning, length > 0 ? length : strlen(command),
                                   length > 0 ? planning->exec : command, params, err);
    if (c == NULL)
        return -1;
    own->exec.exec.name = c->mode;
    own->exec.exec.inheritance = request->inheritance;
    own->exec.exec.output_path = request->exec_output;
    own->exec.meeting = &own->meeting;
    own->exec.timeout_ns = request->timeout_ns;
    c->kind = CASE_EXEC;
    c->workers = 1;
    c->least_trial_ns = EXEC_TRIAL_NS;
    c->grace_ns = request->timeout_ns + NS_PER_S;
    c->timed = service_exec_part(&own->exec);
    own->load = make_load(own, params, request);
    own->load.server_workers = 1;
    own->load.n_listeners = 0;
    c->link = service_link_exec(&own->meeting);
    join_load(c, own);
    check_suits(c, choice->strategy);
    return set_load(c, own, planning, err);
}

static int add_all(struct planning *planning, const struct choice *choices, size_t n,
                   struct err *err)
{
    const struct request *request = planning->request;
    const struct choice alone = {&load_alone, true};
    if (request->connect != NULL)
        return choices_each(request, &alone, 1, knobs_of, add_load, planning, err);
    if (choices_each(request, choices, n, knobs_of, add_case, planning, err) != 0)
        return -1;
    for (size_t i = 0; i < request->n_execs; i++) {
        planning->exec = request->execs[i];
        if (choices_each(request, &alone, 1, knobs_of, add_exec, planning, err) != 0)
            return -1;
    }
    return 0;
}

struct service_plan *service_plan_cases(const struct request *request, struct run *run,
                                        struct err *err)
{
    size_t n;
    const struct choice alone = {&load_alone, true};
    struct choice *choices = choices_make(FAMILY_SERVICE, request, &n, err);
    if (choices == NULL)
        return NULL;
    size_t loads = request->connect != NULL ? 1 : request->n_execs;
    size_t cases = loads * choices_count(request, &alone, 1, knobs_of);
    if (request->connect == NULL)
        cases += choices_count(request, choices, n, knobs_of);
    struct service_plan *plan = calloc(1, sizeof *plan);
    struct planning planning = {plan, request, run, NULL};
    int status = -1;
    if (plan == NULL)
        err_set(err, errno, "cannot plan %zu cases", cases);
    else
        plan->cases = choices_make_room(run, cases, sizeof *plan->cases, err);
    if (plan == NULL || plan->cases == NULL)
        goto out;
    plan->connect = request->connect;
    status = add_all(&planning, choices, n, err);
    if (status == 0)
        status = case_ids_number(run, err);
out:
    free(choices);
    if (status == 0)
        return plan;
    service_plan_free(plan);
    return NULL;
}

int service_plan_begin(struct service_plan *plan, struct err *err)
{
    if (plan->connect != NULL)
        return address_resolve(plan->connect, &plan->target, err);
    for (size_t i = 0; i < plan->n; i++)
        if (plan->cases[i].meeting.listen != NULL &&
            service_meeting_listen(&plan->cases[i].meeting, err) != 0)
            return -1;
    return 0;
}

void service_plan_free(struct service_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; plan->cases != NULL && i < plan->n; i++) {
        service_meeting_free(&plan->cases[i].meeting);
        exec_work_free(&plan->cases[i].exec.exec);
    }
    free(plan->cases);
    free(plan);
}
