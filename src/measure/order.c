#include "config.h"

#include "measure/order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

void order_design_row(unsigned n, unsigned i, unsigned *row)
{
    bool reversed = i >= n;
    for (unsigned place = 0; place < n; place++) {
        /* 0, 1, n-1, 2, n-2, ... shifted by i */
        unsigned zigzag = place == 0 ? 0 : place % 2 == 1 ? (place + 1) / 2 : n - place / 2;
        row[reversed ? n - 1 - place : place] = (zigzag + i) % n;
    }
}

int order_init(struct order *order, unsigned n, uint64_t seed, struct err *err)
{
    *order = (struct order){.n = n, .block_rounds = n % 2 == 0 ? n : 2 * n};
    order->next = order->block_rounds;
    rng_init(&order->rng, seed);
    order->labels = calloc(n, sizeof *order->labels);
    order->places = calloc(order->block_rounds, sizeof *order->places);
    order->row = calloc(n, sizeof *order->row);
    if (order->labels != NULL && order->places != NULL && order->row != NULL)
        return 0;
    err_set(err, errno, "cannot plan %u cases", n);
    order_free(order);
    return -1;
}

static void start_block(struct order *order)
{
    for (unsigned i = 0; i < order->n; i++)
        order->labels[i] = i;
    for (unsigned i = 0; i < order->block_rounds; i++)
        order->places[i] = i;
    rng_shuffle(&order->rng, order->labels, order->n);
    rng_shuffle(&order->rng, order->places, order->block_rounds);
    order->next = 0;
}

const unsigned *order_round(struct order *order)
{
    if (order->next == order->block_rounds)
        start_block(order);
    order_design_row(order->n, order->places[order->next++], order->row);
    for (unsigned place = 0; place < order->n; place++)
        order->row[place] = order->labels[order->row[place]];
    return order->row;
}

void order_free(struct order *order)
{
    free(order->labels);
    free(order->places);
    free(order->row);
    *order = (struct order){0};
}
