/* Draining sockets, as a session. */
#include "config.h"

#include "cli/session.h"

#include "base/clock.h"
#include "family/stream.h"

/* A server that accepts once gives one trial. */
static bool meets_once(const struct session *s)
{
    bool external = s->options.connect != NULL || s->options.listen != NULL;
    return external && s->options.rounds <= 1;
}

static int check_usage(const struct session *s, struct err *err)
{
    if (s->options.files.n > 0)
        return err_set(err, 0, "recv reads no FILE: '%s'", s->options.files.items[0]);
    if (s->options.profile != NULL && meets_once(s))
        return err_set(err, 0, "--profile needs a second trial: give --rounds=N");
    return stream_check_request(&s->request, err);
}

static int plan(struct session *s, struct err *err)
{
    s->plan = stream_plan_cases(&s->request, &s->run, err);
    if (s->plan == NULL)
        return -1;
    if (meets_once(s) && s->run.n_cases > 1)
        return err_set(err, 0,
                       "a connection that is made once makes one case, not %u: choose with "
                       "--mode=NAME, or give --rounds=N for a server that accepts again",
                       s->run.n_cases);
    return 0;
}

static int begin(struct session *s, struct runner *runner, struct err *err)
{
    runner->once = meets_once(s);
    return stream_plan_listen(s->plan, err);
}

static void free_plan(struct session *s)
{
    stream_plan_free(s->plan);
}

const struct session_kind stream_session = {
    .check_usage = check_usage,
    .plan = plan,
    .begin = begin,
    .free = free_plan,
    .trial_time_ns = 10 * NS_PER_MS, /* see "The length of a trial" in CONTRIBUTING.md */
    .ramp_ns = 2 * NS_PER_MS,
};
