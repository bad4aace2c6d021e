/* core/metrics/ability.c - INSPIRIT's inspiring ability: how many tasks wait for a task, directly or through others. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Both ways carry a row of 64 bytes per task from the last task to the first: what the task reaches of 512 others as
 * bits that are ORed, or the least of 16 labels that it reaches.
 */
#include "core/metrics/ability.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/mix.h"
#include "core/dag/dag.h"

enum { WORDS = 8, COLUMNS = 64 * WORDS };

/* Of a product of 1 - u, which is about exp(-FACTORS) at the end of a graph, before its logarithm is taken. */
enum { FACTORS = 256 };

struct bits {
	uint64_t word[WORDS];
};

struct side {
	float least[ABILITY_SIDE]; /* uniform in [0, 1) */
};

void ability_init(struct ability *a, const struct dag *d)
{
	if (d->ntasks <= ABILITY_EXACT_TASKS)
		ability_count(a, d);
	else
		ability_estimate(a, d, ABILITY_LABELS, 0);
}

void ability_fini(struct ability *a)
{
	free(a->transitive);
	*a = (struct ability){0};
}

/* Bits set in a row: pairs, nibbles and bytes in each word, then all bytes together. */
static uint32_t count_bits(const struct bits *b)
{
	uint64_t bytes = 0;

	for (int i = 0; i < WORDS; i++) {
		uint64_t x = b->word[i];

		x -= x >> 1 & UINT64_C(0x5555555555555555);
		x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
		bytes += (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f); /* at most 8 * 8 each: no carry */
	}
	bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) + (bytes >> 8 & UINT64_C(0x00ff00ff00ff00ff));
	return (uint32_t)(bytes * UINT64_C(0x0001000100010001) >> 48);
}

/*
 * One block of columns, the tasks order[from] to order[to - 1]. What comes after them reaches none of them, and blocks
 * go up: those rows are still 0.
 */
static void count_block(const struct dag *d, uint32_t from, uint32_t to, struct bits *rows, double *transitive)
{
	for (uint32_t i = to; i-- > 0;) {
		uint32_t t = dag_in_order(d, i);
		struct bits row = {{0}};

		if (i >= from)
			row.word[(i - from) / 64] = UINT64_C(1) << (i - from) % 64;
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			const struct bits *s = &rows[d->succ[e]];

			for (int w = 0; w < WORDS; w++)
				row.word[w] |= s->word[w];
		}
		rows[t] = row;
		transitive[t] += count_bits(&row);
	}
}

void ability_count(struct ability *a, const struct dag *d)
{
	struct bits *rows = ht_alloc(d->ntasks, sizeof(*rows));

	*a = (struct ability){.transitive = ht_alloc(d->ntasks, sizeof(*a->transitive))};
	for (uint32_t from = 0; from < d->ntasks; from += COLUMNS)
		count_block(d, from, d->ntasks - from < COLUMNS ? d->ntasks : from + COLUMNS, rows, a->transitive);
	free(rows);
}

/*
 * The labels are -ln(1 - u), u uniform: as that grows with u, the least u is carried, as a float since small ones are
 * the finer, and the logarithm is taken of a product in the end. u is below 1 as a float, too.
 */
static void draw_labels(struct side *s, uint64_t state)
{
	for (int i = 0; i < ABILITY_SIDE; i += 2) {
		uint64_t two = mix64(state + (uint64_t)i * MIX_GAMMA);

		s->least[i] = (float)((double)(two >> 32) * 0x1.fffffep-33);
		s->least[i + 1] = (float)((double)(two & UINT32_MAX) * 0x1.fffffep-33);
	}
}

static void take_least(struct side *s, const struct side *other)
{
	for (int i = 0; i < ABILITY_SIDE; i++)
		s->least[i] = other->least[i] < s->least[i] ? other->least[i] : s->least[i];
}

/* Whose negative logarithm is the sum of the side's exponential labels. */
static double multiply_labels(const struct side *s)
{
	double even = 1, odd = 1; /* two chains of multiplications, which a core executes at once */

	for (int i = 0; i < ABILITY_SIDE; i += 2) {
		even *= 1 - (double)s->least[i];
		odd *= 1 - (double)s->least[i + 1];
	}
	return even * odd;
}

/* Multiplies the products by the minima of one side of labels; `state` is the label generator's. */
static void sweep(const struct dag *d, uint64_t state, struct side *rows, double *products)
{
	for (uint32_t i = d->ntasks; i-- > 0;) {
		uint32_t t = dag_in_order(d, i);
		struct side row;

		draw_labels(&row, state + (uint64_t)t * ABILITY_SIDE * MIX_GAMMA);
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
			take_least(&row, &rows[d->succ[e]]);
		rows[t] = row;
		products[t] *= multiply_labels(&row);
	}
}

/* Adds the labels that the products stand for to the sums; the products begin anew. */
static void add_labels(uint32_t ntasks, double *products, double *sums)
{
	for (uint32_t t = 0; t < ntasks; t++) {
		sums[t] -= log(products[t]);
		products[t] = 1;
	}
}

/*
 * What holds for certain: a task reaches itself, its successors, whatever one of them reaches, and nothing that comes
 * before it in a topological order; and no more than its successors reach together.
 */
static void limit(const struct dag *d, double *estimates)
{
	uint32_t *least = ht_alloc(d->ntasks, sizeof(*least)), *most = ht_alloc(d->ntasks, sizeof(*most));

	for (uint32_t i = d->ntasks; i-- > 0;) {
		uint32_t t = dag_in_order(d, i);
		uint64_t low = 1 + (uint64_t)dag_nsucc(d, t), high = 1;

		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			uint32_t s = d->succ[e];

			low = low > (uint64_t)least[s] + 1 ? low : (uint64_t)least[s] + 1;
			high += most[s];
		}
		least[t] = (uint32_t)low;
		most[t] = high < d->ntasks - i ? (uint32_t)high : d->ntasks - i;
		estimates[t] = fmin(fmax(estimates[t], least[t]), most[t]);
	}
	free(least);
	free(most);
}

void ability_estimate(struct ability *a, const struct dag *d, uint32_t labels, uint64_t seed)
{
	struct side *rows = ht_alloc(d->ntasks, sizeof(*rows));
	double *products = ht_alloc(d->ntasks, sizeof(*products));

	assert(labels >= ABILITY_SIDE && labels % ABILITY_SIDE == 0);
	*a = (struct ability){
		.transitive = ht_alloc(d->ntasks, sizeof(*a->transitive)),
		.labels = labels,
		.error = 1 / sqrt(labels - 2.0),
	};
	seed = mix64(seed + MIX_GAMMA);
	for (uint32_t t = 0; t < d->ntasks; t++)
		products[t] = 1;
	for (uint32_t k = 0; k < labels; k += ABILITY_SIDE) {
		sweep(d, seed + (uint64_t)k * d->ntasks * MIX_GAMMA, rows, products);
		if ((k + ABILITY_SIDE) % FACTORS == 0 || k + ABILITY_SIDE == labels)
			add_labels(d->ntasks, products, a->transitive);
	}
	for (uint32_t t = 0; t < d->ntasks; t++)
		a->transitive[t] = (labels - 1) / a->transitive[t];
	limit(d, a->transitive);
	free(products);
	free(rows);
}
