#include "config.h"

#include "cli/plan_view.h"

#include "base/clock.h"
#include "base/units.h"
#include "measure/order.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROUNDS_SHOWN = 4 };

static void print_cases(const struct run *run)
{
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        printf("  %u  %s", i + 1, c->id);
        if (c->status != CASE_OK)
            printf("  (%s: %s)", case_status_name(c->status), c->reason != NULL ? c->reason : "");
        printf("\n");
    }
}

static void print_order(const struct settings *settings, const struct run *run)
{
    struct order order;
    struct err err = {0};
    if (order_init(&order, run->n_cases, settings->seed, &err) != 0)
        return;
    uint64_t rounds =
        settings->rounds > 0 && settings->rounds < ROUNDS_SHOWN ? settings->rounds : ROUNDS_SHOWN;
    printf("order (seed %" PRIu64 "):\n", settings->seed);
    for (uint64_t i = 0; i < rounds; i++) {
        const unsigned *row = order_round(&order);
        printf("  round %" PRIu64 ":", i + 1);
        for (unsigned place = 0; place < run->n_cases; place++)
            printf(" %u", row[place] + 1);
        printf("\n");
    }
    if (settings->rounds != rounds)
        printf("  ...\n");
    order_free(&order);
}

/* What is known before anything ran: a trial takes its shortest time, or longer when a pass does.
 */
static void print_time(const struct settings *settings, const struct run *run)
{
    char text[UNITS_TEXT];
    uint64_t trial = settings->duration_ns > 0 ? settings->duration_ns : settings->trial_time_ns;
    double profile = settings->quick ? 0 : 0.5e9 * run->n_cases;
    double rounds = (double)settings->rounds * (double)trial * run->n_cases;
    if (settings->rounds > 0)
        printf("time: at least %s", units_time(text, rounds + profile));
    else
        printf("time: about %s at most",
               units_time(text, (double)settings->time_limit_ns + profile));
    printf(", and a pass or two of each case for the warm-up\n");
}

void plan_view_print(const struct settings *settings, const struct source *source,
                     const struct run *run)
{
    bool files = !settings->is_stream && !settings->is_events && !settings->is_service;
    if (files)
        printf("files:\n");
    if (source->n == 0 && files)
        printf("  one of 64 MiB, made for the run\n");
    for (size_t i = 0; i < source->n; i++)
        printf("  %s (%s)\n", source->files[i].path, source->files[i].filesystem);
    printf("cases:\n");
    print_cases(run);
    if (run->n_cases > 0)
        print_order(settings, run);
    print_time(settings, run);
}
