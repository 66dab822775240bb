#include "config.h"

#include "base/clock.h"
#include "peer/load_state.h"

/* Sleeping is late by some tens of microseconds, and by milliseconds on a busy machine: what is
 * nearer than this is waited for without. */
#define SPIN_NS (200 * 1000)

/* The moment of request k of a connection. */
static uint64_t moment(const struct load *load, const struct connection *c, uint64_t k)
{
    uint64_t n = load->work->params.value[KNOB_CONNECTIONS];
    return load->started_ns + (uint64_t)((double)(k * n + c->index) * load->gap_ns);
}

static uint64_t room(const struct load *load, const struct connection *c)
{
    return load->pipeline - (c->began - c->answered);
}

static void pause_connection(struct load *load, unsigned at)
{
    struct connection *c = &load->connections[at];
    uint64_t until = load->now + load->work->params.value[KNOB_THINK];
    if (c->pauses)
        return;
    c->pauses = true;
    load->pauses[(load->pauses_first + load->pauses_n) % load->n] = (struct pause){until, at};
    load->pauses_n++;
}

/* Requests that the connection may begin in a closed loop. */
static uint64_t may_begin(const struct load *load, const struct connection *c)
{
    uint64_t n = room(load, c);
    n = n < c->quota ? n : c->quota;
    return n < load->left ? n : load->left;
}

void load_refill(struct load *load, struct connection *c)
{
    if (c->state != CONNECTION_READY)
        return;
    if (load->gap_ns > 0) {
        for (uint64_t k = c->began - c->base; k < c->due && room(load, c) > 0; k++)
            load_begin(load, c, 1, moment(load, c, k));
    } else if (load->thinks) {
        if (c->began == c->answered && may_begin(load, c) > 0)
            pause_connection(load, (unsigned)(c - load->connections));
    } else {
        uint64_t n = may_begin(load, c);
        if (n > 0)
            load_begin(load, c, n, load->now);
    }
    if (c->unsent > 0 && !c->blocked)
        load_flush(load, c);
}

static void begin_paused(struct load *load)
{
    while (load->pauses_n > 0 && load->pauses[load->pauses_first].until_ns <= load->now) {
        const struct pause *pause = &load->pauses[load->pauses_first];
        struct connection *c = &load->connections[pause->at];
        uint64_t until = pause->until_ns;
        load->pauses_first = (load->pauses_first + 1) % load->n;
        load->pauses_n--;
        c->pauses = false;
        uint64_t n = c->state == CONNECTION_READY ? may_begin(load, c) : 0;
        if (n == 0)
            continue;
        load_begin(load, c, n, until);
        if (!c->blocked)
            load_flush(load, c);
    }
}

static uint64_t next_moment(const struct load *load)
{
    return moment(load, &load->connections[load->due_at], load->due_round);
}

static void begin_moments(struct load *load)
{
    for (unsigned n = 0; n < LOAD_MOMENTS && load->issued < load->to_issue; n++) {
        if (next_moment(load) > load->now)
            break;
        struct connection *c = &load->connections[load->due_at];
        load->issued++;
        c->due++;
        if (c->state == CONNECTION_CLOSED) { /* nobody is there to send it on */
            load->tally->counter[COUNTER_CLOSED]++;
            c->base--; /* it counts as begun */
            load->left--;
        } else {
            load_refill(load, c);
            load->now = clock_now_ns();
        }
        if (++load->due_at == load->n) {
            load->due_at = 0;
            load->due_round++;
        }
    }
}

int load_begin_due(struct load *load)
{
    bool open = load->gap_ns > 0, moments = open && load->issued < load->to_issue;
    if (!open && !load->thinks)
        return LOAD_LOOK_MS;
    load->now = clock_now_ns();
    if (load->spun_until > 0)
        load->tally->counter[COUNTER_SPIN_NS] += load->now - load->spun_until;
    load->spun_until = 0;
    if (moments)
        begin_moments(load);
    if (load->pauses_n > 0)
        begin_paused(load);
    uint64_t next = open && load->issued < load->to_issue ? next_moment(load) : UINT64_MAX;
    if (load->pauses_n > 0 && load->pauses[load->pauses_first].until_ns < next)
        next = load->pauses[load->pauses_first].until_ns;
    load->now = clock_now_ns();
    uint64_t gap = next > load->now ? next - load->now : 0;
    if (gap < SPIN_NS + NS_PER_MS) {
        load->spun_until = gap > 0 ? load->now : 0;
        return 0;
    }
    uint64_t ms = (gap - SPIN_NS) / NS_PER_MS;
    return ms < LOAD_LOOK_MS ? (int)ms : LOAD_LOOK_MS;
}

uint64_t load_in_flight(const struct load *load)
{
    uint64_t waiting = 0;
    for (unsigned i = 0; load->gap_ns > 0 && i < load->n; i++) {
        const struct connection *c = &load->connections[i];
        waiting += c->due - (c->began - c->base);
    }
    return load->under_way + waiting;
}

bool load_is_done(const struct load *load)
{
    return load->under_way == 0 && load->left == 0;
}
