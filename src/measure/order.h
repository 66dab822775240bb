/* The order of the cases within rounds. */
#ifndef IOBENCH_MEASURE_ORDER_H
#define IOBENCH_MEASURE_ORDER_H

#include "base/err.h"
#include "base/rng.h"

/* Rounds come in blocks that are balanced: each case stands at each place, and follows each other
 * case, equally often (a Williams design: E. J. Williams, "Experimental designs balanced for the
 * estimation of residual effects of treatments", 1949). A block has n rounds, 2n for an odd n. */
struct order {
    unsigned n;
    unsigned block_rounds, next; /* next row of the block to hand out */
    unsigned *labels, *places;   /* the two permutations of a block: of cases and of rows */
    unsigned *row;               /* the round handed out last */
    struct rng rng;
};

int order_init(struct order *order, unsigned n, uint64_t seed, struct err *err) MUST_CHECK;

/* The cases of the next round, in the order in which they run; valid until the next call. Each
 * block is relabelled and its rows are shuffled anew. */
const unsigned *order_round(struct order *order);

/* Row i of the design before relabelling and shuffling, i < block_rounds; fills n numbers. */
void order_design_row(unsigned n, unsigned i, unsigned *row);

void order_free(struct order *order);

#endif
