/* Serving many connections, as a session. */
#include "config.h"

#include "cli/session.h"

#include "base/clock.h"
#include "cli/say.h"
#include "family/service.h"

#include <math.h>

/* As long as wrk loads a server unless told otherwise. */
#define LOAD_NS (10 * NS_PER_S)
enum { CONNECTIONS = 64 };

/* A server or a load alone is one trial. */
static bool is_alone(const struct session *s)
{
    return s->options.listen != NULL || (s->options.connect != NULL && s->options.rounds <= 1);
}

/* A search has loads of its own making. */
static int check_search(const struct session *s, struct err *err)
{
    const struct options *o = &s->options;
    const char *other = o->listen != NULL               ? "listen"
                        : o->knobs[KNOB_RATE].given     ? "rate"
                        : o->knobs[KNOB_REQUESTS].given ? "requests"
                        : o->knobs[KNOB_THINK].given    ? "think"
                        : o->rounds > 0                 ? "rounds"
                        : !isnan(o->max_slowdown)       ? "max-slowdown"
                                                        : NULL;
    if (o->find_rate == NULL || other == NULL)
        return 0;
    return err_set(err, 0, "--find-rate offers loads of its own: it does not go with --%s", other);
}

static int check_usage(const struct session *s, struct err *err)
{
    if (s->options.files.n > 0)
        return err_set(err, 0, "echo reads no FILE: '%s'", s->options.files.items[0]);
    if (s->options.listen != NULL && s->options.rounds > 0)
        return err_set(err, 0, "--listen serves until it is told to stop: it has no --rounds");
    if (s->options.profile != NULL && is_alone(s))
        return err_set(err, 0, "--profile needs a second trial");
    return check_search(s, err) == 0 ? service_check_request(&s->request, err) : -1;
}

/* What is not given differs from what other commands take for granted. */
static int find(struct session *s, struct err *err)
{
    s->connections = CONNECTIONS;
    (void)err;
    if (!s->options.knobs[KNOB_CONNECTIONS].given) {
        s->request.knobs[KNOB_CONNECTIONS] = (struct knob_values){&s->connections, 1, false};
        s->settings.knob_values[KNOB_CONNECTIONS] = &s->connections;
    }
    bool bounded = s->settings.duration_ns > 0 || s->options.knobs[KNOB_REQUESTS].given;
    if (s->options.find_rate != NULL)
        return 0;
    if (s->options.connect != NULL && is_alone(s) && !bounded) {
        s->settings.duration_ns = LOAD_NS;
        s->settings.rounds = 1;
    }
    return 0;
}

static int plan(struct session *s, struct err *err)
{
    s->plan = service_plan_cases(&s->request, &s->run, err);
    if (s->plan == NULL)
        return -1;
    if (s->options.listen != NULL && s->run.n_cases > 1)
        return err_set(err, 0, "--listen is one server, not %u: choose with --mode=NAME",
                       s->run.n_cases);
    return 0;
}

/* A request is given up after the timeout, and is counted; a trial only later. */
static int begin(struct session *s, struct runner *runner, struct err *err)
{
    runner->once = is_alone(s) && s->options.find_rate == NULL;
    runner->timeout_ns *= 2;
    if (service_plan_begin(s->plan, err) != 0)
        return -1;
    if (s->options.listen != NULL && !s->options.quiet)
        say("%s serves at %s until it is interrupted", s->run.cases[0].label,
            s->options.listen->text);
    return 0;
}

static void free_plan(struct session *s)
{
    service_plan_free(s->plan);
}

const struct session_kind service_session = {
    .check_usage = check_usage,
    .find = find,
    .plan = plan,
    .begin = begin,
    .free = free_plan,
    .trial_time_ns = 20 * NS_PER_MS, /* see "The length of a trial" in CONTRIBUTING.md */
    .ramp_ns = 5 * NS_PER_MS,
};
