/* Waiting on many descriptors, as a session. */
#include "config.h"

#include "cli/session.h"

#include "base/clock.h"
#include "family/events.h"

static int check_usage(const struct session *s, struct err *err)
{
    if (s->options.files.n > 0)
        return err_set(err, 0, "epoll reads no FILE: '%s'", s->options.files.items[0]);
    if (s->options.ctl && s->options.modes.n > 0)
        return err_set(err, 0, "--ctl is the group ctl: it does not go with --mode");
    return events_check_request(&s->request, err);
}

static int plan(struct session *s, struct err *err)
{
    s->plan = events_plan_cases(&s->request, &s->run, err);
    return s->plan != NULL ? 0 : -1;
}

static void free_plan(struct session *s)
{
    events_plan_free(s->plan);
}

const struct session_kind events_session = {
    .check_usage = check_usage,
    .plan = plan,
    .free = free_plan,
    .trial_time_ns = 10 * NS_PER_MS,
    .ramp_ns = 2 * NS_PER_MS,
};
