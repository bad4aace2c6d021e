/* tests/unit/test_min_cut.c - minimum cuts against all ways to put the nodes on two sides. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/rng.h"
#include "core/metrics/min_cut.h"
#include "tests/lib/check.h"

enum { NODES = 9, ARCS = 24 };

static int64_t cost_of(uint32_t nnodes, const int64_t (*costs)[2], const struct min_cut_arc *arcs, uint32_t narcs,
                       const int64_t (*prices)[2], const uint8_t *sides)
{
	int64_t sum = 0;

	for (uint32_t v = 0; v < nnodes; v++)
		sum += costs[v][sides[v]];
	for (uint32_t i = 0; i < narcs; i++)
		if (sides[arcs[i].from] != sides[arcs[i].to])
			sum += prices[i][sides[arcs[i].from]];
	return sum;
}

/* One structure for several costs; some nodes have to be on one side, and some arcs must not be cut. */
static void test_all_cuts(void)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct min_cut_arc arcs[ARCS];
		struct min_cut *c;
		struct rng rng = {seed};

		for (int i = 0; i < ARCS; i++) {
			arcs[i].from = (uint32_t)rng_below(&rng, NODES);
			arcs[i].to = (arcs[i].from + 1 + (uint32_t)rng_below(&rng, NODES - 1)) % NODES;
		}
		c = min_cut_create(NODES, arcs, ARCS);
		for (int round = 0; round < 10; round++) {
			int64_t costs[NODES][2], prices[ARCS][2], least = INT64_MAX, found;
			uint8_t sides[NODES], tried[NODES];

			for (int v = 0; v < NODES; v++)
				for (int s = 0; s < 2; s++)
					costs[v][s] = (int64_t)rng_below(&rng, 100);
			costs[round % NODES][round % 2] = MIN_CUT_NEVER;
			for (int i = 0; i < ARCS; i++)
				for (int s = 0; s < 2; s++)
					prices[i][s] = rng_below(&rng, 8) ? (int64_t)rng_below(&rng, 40) : 0;
			prices[round][0] = MIN_CUT_NEVER;
			for (uint32_t set = 0; set < 1u << NODES; set++) {
				int64_t cost;

				for (int v = 0; v < NODES; v++)
					tried[v] = set >> v & 1;
				cost = cost_of(NODES, (const int64_t(*)[2])costs, arcs, ARCS,
				               (const int64_t(*)[2])prices, tried);
				least = cost < least ? cost : least;
			}
			found = min_cut_find(c, (const int64_t(*)[2])costs, (const int64_t(*)[2])prices, sides);
			CHECK_INT(found, least);
			CHECK_INT(cost_of(NODES, (const int64_t(*)[2])costs, arcs, ARCS, (const int64_t(*)[2])prices,
			                  sides),
			          least);
		}
		min_cut_free(c);
	}
}

/* A chain of many nodes between one that has to be on side 0 and one on side 1: its cheapest arc is cut. */
static void test_long_chain(void)
{
	enum { LONG = 20000 };
	struct min_cut_arc *arcs = calloc(LONG, sizeof(*arcs));
	int64_t(*costs)[2] = calloc(LONG, sizeof(*costs)), (*prices)[2] = calloc(LONG, sizeof(*prices));
	uint8_t *sides = calloc(LONG, 1);
	struct min_cut *c;
	uint64_t steps;

	for (uint32_t i = 0; i + 1 < LONG; i++) {
		arcs[i] = (struct min_cut_arc){i, i + 1};
		prices[i][0] = i == LONG / 3 ? 3 : 5;
	}
	costs[0][1] = costs[LONG - 1][0] = MIN_CUT_NEVER;
	c = min_cut_create(LONG, arcs, LONG - 1);
	CHECK_INT(min_cut_find(c, (const int64_t(*)[2])costs, (const int64_t(*)[2])prices, sides), 3);
	steps = min_cut_steps(c);
	CHECK(steps >= LONG); /* each node was looked at, and for the next cut once more */
	CHECK_INT(min_cut_find(c, (const int64_t(*)[2])costs, (const int64_t(*)[2])prices, sides), 3);
	CHECK_INT(min_cut_steps(c), 2 * steps);
	CHECK(!sides[LONG / 3] && sides[LONG / 3 + 1]);
	min_cut_free(c);
	free(arcs);
	free(costs);
	free(prices);
	free(sides);
}

int main(void)
{
	RUN(test_all_cuts);
	RUN(test_long_chain);
	return check_done();
}
