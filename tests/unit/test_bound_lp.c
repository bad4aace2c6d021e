/* tests/unit/test_bound_lp.c - the linear program of the bounds against what its answer has to be. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/bound_lp.h"

#include <stdlib.h>

#include "core/base/err.h"
#include "core/base/rng.h"
#include "tests/lib/check.h"

enum { CLASSES = 60, ARCHS = 3, CHAINS = 8 };

struct random_problem {
	struct bound_problem lp;
	double work[CLASSES * ARCHS];
	int workers[ARCHS];
	struct bound_chain chains[CHAINS];
	int chain_classes[CHAINS][CLASSES];
	double chain_shares[CHAINS][CLASSES];
};

/* Every class has an architecture; about a fifth of the pairs is impossible. */
static void random_problem(struct random_problem *x, uint64_t seed, int nclasses, int narchs, int nchains)
{
	struct rng rng = {seed};

	for (int a = 0; a < narchs; a++)
		x->workers[a] = 1 + (int)rng_below(&rng, 30);
	for (int p = 0; p < nclasses; p++) {
		double base = 1000.0 * (double)(1 + rng_below(&rng, 100000));
		int possible = (int)rng_below(&rng, (uint32_t)narchs);

		for (int a = 0; a < narchs; a++)
			x->work[p * narchs + a] = a == possible || rng_below(&rng, 5) ?
			                                  base / (double)(1 + rng_below(&rng, 50)) :
			                                  -1;
	}
	for (int k = 0; k < nchains; k++) {
		struct bound_chain *c = &x->chains[k];

		*c = (struct bound_chain){.classes = x->chain_classes[k], .shares = x->chain_shares[k]};
		for (int p = 0; p < nclasses; p++)
			if (rng_below(&rng, 2)) {
				c->classes[c->count] = p;
				c->shares[c->count++] = 1 / (double)(1 + rng_below(&rng, 300));
			}
	}
	x->lp = (struct bound_problem){.nclasses = nclasses,
	                               .narchs = narchs,
	                               .nchains = nchains,
	                               .work = x->work,
	                               .workers = x->workers,
	                               .chains = x->chains};
}

/* On one architecture nothing is left to decide: T is the area or the longest chain. */
static void test_one_architecture(void)
{
	struct random_problem x;
	double t;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		double want = 0;

		random_problem(&x, seed, 10, 1, CHAINS);
		for (int p = 0; p < x.lp.nclasses; p++)
			want += x.work[p] / x.workers[0];
		for (int k = 0; k < CHAINS; k++) {
			double length = 0;

			for (int i = 0; i < x.chains[k].count; i++)
				length += x.chains[k].shares[i] * x.work[x.chains[k].classes[i]];
			want = length > want ? length : want;
		}
		CHECK_INT(bound_lp(&x.lp, &t, NULL, NULL, NULL), 0);
		CHECK_NEAR(t / want, 1, 1e-9);
	}
}

/* The shares are a schedule of length T, and no schedule can be shorter than what the work is worth at the prices. */
static void test_duality(void)
{
	static double done[CLASSES * ARCHS];
	double price[ARCHS], t;
	struct random_problem x;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		double worth = 0, prices = 0, longest = 0;

		random_problem(&x, seed, CLASSES, ARCHS, 0);
		CHECK_INT(bound_lp(&x.lp, &t, done, price, NULL), 0);
		for (int a = 0; a < ARCHS; a++) {
			double load = 0;

			for (int p = 0; p < CLASSES; p++)
				load += done[p * ARCHS + a] * x.work[p * ARCHS + a];
			longest = load / x.workers[a] > longest ? load / x.workers[a] : longest;
			prices += price[a] * x.workers[a];
		}
		for (int p = 0; p < CLASSES; p++) {
			double least = -1, all = 0;

			for (int a = 0; a < ARCHS; a++) {
				double w = x.work[p * ARCHS + a] * price[a];

				all += done[p * ARCHS + a];
				least = x.work[p * ARCHS + a] >= 0 && (least < 0 || w < least) ? w : least;
			}
			CHECK_NEAR(all, 1, 1e-9);
			worth += least;
		}
		CHECK_NEAR(prices, 1, 1e-9);
		CHECK_NEAR(longest / t, 1, 1e-8);
		CHECK_NEAR(worth / t, 1, 1e-8);
	}
}

/* It is the linear program's T, and prices that are worth as much. */
static void test_area(void)
{
	double price[ARCHS], t, of_program;
	struct random_problem x;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		double prices = 0;
		int narchs = 1 + (int)(seed % ARCHS);

		random_problem(&x, seed, 1 + (int)(seed * 7 % CLASSES), narchs, 0);
		CHECK_INT(bound_lp(&x.lp, &of_program, NULL, NULL, NULL), 0);
		CHECK_INT(bound_area(&x.lp, &t, price, NULL), 0);
		CHECK_NEAR(t / of_program, 1, 1e-8);
		for (int a = 0; a < narchs; a++)
			prices += price[a] * x.workers[a];
		CHECK_NEAR(prices, 1, 1e-9);
	}
}

/* A chain makes T longer or leaves it; with all classes whole on it, T is at least the sum of the least works. */
static void test_chains(void)
{
	struct random_problem x;
	double t, area, sum;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		double before;

		random_problem(&x, seed, CLASSES, ARCHS, CHAINS);
		x.lp.nchains = 0;
		CHECK_INT(bound_lp(&x.lp, &area, NULL, NULL, NULL), 0);
		for (before = area; x.lp.nchains < CHAINS; before = t) {
			x.lp.nchains++;
			CHECK_INT(bound_lp(&x.lp, &t, NULL, NULL, NULL), 0);
			CHECK(t >= before * (1 - 1e-9));
		}
		x.lp.nchains = 1;
		x.chains[0].count = CLASSES;
		sum = 0;
		for (int p = 0; p < CLASSES; p++) {
			double least = -1;

			for (int a = 0; a < ARCHS; a++) {
				double w = x.work[p * ARCHS + a];

				least = w >= 0 && (least < 0 || w < least) ? w : least;
			}
			x.chain_classes[0][p] = p;
			x.chain_shares[0][p] = 1;
			sum += least;
		}
		CHECK_INT(bound_lp(&x.lp, &t, NULL, NULL, NULL), 0);
		CHECK(t >= sum * (1 - 1e-9) && t >= area * (1 - 1e-9));
	}
}

static void test_nothing_to_do(void)
{
	double work[2] = {0, -1}, done[2], price[2], t;
	int workers[2] = {1, 1};
	struct bound_problem lp = {.nclasses = 1, .narchs = 2, .work = work, .workers = workers};

	CHECK_INT(bound_lp(&lp, &t, done, price, NULL), 0);
	CHECK(t == 0 && done[0] == 0 && done[1] == 0 && price[0] == 0 && price[1] == 0);
	price[0] = price[1] = 1;
	CHECK_INT(bound_area(&lp, &t, price, NULL), 0);
	CHECK(t == 0 && price[0] == 0 && price[1] == 0);
}

/* Matching pennies with stakes: a row and a column are each mixed so that nothing is better for the other. */
static void test_game(void)
{
	const double at[] = {4, 0, 0, 12}; /* column by column */
	double value, weights[2], shares[4];

	CHECK_INT(bound_game(at, 2, 2, &value, weights, shares, NULL), 0);
	CHECK_NEAR(value, 3, 1e-9);
	CHECK_NEAR(weights[0], 0.75, 1e-9);
	CHECK_NEAR(weights[1], 0.25, 1e-9);
	CHECK_NEAR(shares[0], 0.75, 1e-9);
	CHECK_NEAR(shares[1], 0.25, 1e-9);
	CHECK_INT(bound_game(at, 1, 4, &value, weights, shares, NULL), 0);
	CHECK(value == 0);
}

/* What a factorisation of 147713 tasks asked: lp_solve finds the value, and refuses it for its accuracy at first. */
static void test_inaccurate_game(void)
{
	const double at[] = {124281247.85000011, 11757280.5,  19668076.399999995, 3217590760.75,
	                     112732986.69999997, 42049104,    19762732.749999989, 3211364759.75,
	                     104720978.24999999, 315159347,   112713002.89999998, 42717263,
	                     109698536.95000009, 145477174.25};
	double value = 0, weights[2], shares[7], rows[2] = {0};
	struct ht_err err = {""};

	CHECK_INT(bound_game(at, 2, 7, &value, weights, shares, &err), 0);
	CHECK_STR(err.text, "");
	for (int c = 0; c < 7; c++)
		for (int r = 0; r < 2; r++)
			rows[r] += shares[c] * at[2 * c + r];
	for (int r = 0; r < 2; r++)
		CHECK(rows[r] <= value * (1 + 1e-9)); /* no row is above the value, */
	for (int c = 0; c < 7; c++)                   /* and no column below it */
		CHECK(weights[0] * at[2 * c] + weights[1] * at[2 * c + 1] >= value * (1 - 1e-9));
}

int main(void)
{
	RUN(test_one_architecture);
	RUN(test_duality);
	RUN(test_area);
	RUN(test_chains);
	RUN(test_nothing_to_do);
	RUN(test_game);
	RUN(test_inaccurate_game);
	return check_done();
}
