/* sched/heteroprio/locality.c - LAHeteroprio's push formulas, distances and access orders. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/heteroprio/locality.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/machine/transfer_cost.h"
#include "core/trace/trace.h"

#define THETA 1000. /* weight of what is written in LS_SDHB */
#define GIB   1073741824.

int locality_is_write(uint32_t access_mode)
{
	return (access_mode & ACCESS_OF_STARPU) != ACCESS_R;
}

int locality_counts(enum locality_rules rules, uint32_t access_mode)
{
	return rules == LOCALITY_STARPU || !(access_mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX));
}

/* What all formulas but LaRU and MC are made of. */
struct sums {
	uint64_t read[LOCALITY_MAX_NODES], written[LOCALITY_MAX_NODES]; /* bytes that are there */
	uint32_t nwritten[LOCALITY_MAX_NODES];
	double square[LOCALITY_MAX_NODES]; /* of the bytes written that are there */
	uint64_t read_all, written_all;
	uint32_t nwritten_all;
	/* Data that is on every node adds the same to all of them. */
	uint64_t read_everywhere, written_everywhere;
	uint32_t nwritten_everywhere;
};

static uint64_t all_nodes(int n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

static void add_up(const struct locality_task *t, struct sums *s)
{
	size_t n = (size_t)t->nnodes;
	uint64_t all = all_nodes(t->nnodes);

	assert(t->nnodes >= 1 && t->nnodes <= LOCALITY_MAX_NODES);
	memset(s->read, 0, n * sizeof(*s->read));
	memset(s->written, 0, n * sizeof(*s->written));
	memset(s->nwritten, 0, n * sizeof(*s->nwritten));
	memset(s->square, 0, n * sizeof(*s->square));
	s->read_all = s->written_all = s->read_everywhere = s->written_everywhere = 0;
	s->nwritten_all = s->nwritten_everywhere = 0;
	for (uint32_t i = 0; i < t->ndata; i++) {
		const struct locality_datum *d = &t->data[i];
		int everywhere = (d->there & all) == all;

		if (d->written) {
			s->written_all += d->bytes;
			s->nwritten_all++;
			s->written_everywhere += everywhere ? d->bytes : 0;
			s->nwritten_everywhere += (uint32_t)everywhere;
		} else {
			s->read_all += d->bytes;
			s->read_everywhere += everywhere ? d->bytes : 0;
		}
		for (uint64_t bits = d->there & all; bits; bits &= bits - 1) {
			int m = __builtin_ctzll(bits);

			if (d->written) {
				s->written[m] += d->bytes;
				s->nwritten[m]++;
				s->square[m] += (double)d->bytes * (double)d->bytes;
			} else {
				s->read[m] += d->bytes;
			}
		}
	}
}

static double score_of(enum locality_rules rules, enum locality_formula f, const struct locality_task *t,
                       const struct sums *s, int m)
{
	switch (f) {
	case LOCALITY_LARU: return m == t->pusher;
	case LOCALITY_MC: return t->transfer ? t->transfer[m] : NAN;
	case LOCALITY_LS_SDH: return (double)(s->read[m] + s->written[m]);
	case LOCALITY_LS_SDH2: return (double)s->read[m] + s->square[m];
	case LOCALITY_LS_SDHB:
		if (rules == LOCALITY_STARPU)
			return (double)(s->read[m] - s->read_everywhere) +
			       THETA * (double)((s->written[m] - s->written_everywhere) *
			                        (s->nwritten[m] - s->nwritten_everywhere));
		return (double)s->read[m] + THETA * s->nwritten[m] * (double)s->written[m];
	case LOCALITY_LC_SMWB:
		if (!t->ndata)
			return 0;
		return (double)(s->read_all - s->read[m]) +
		       (double)(s->written_all - s->written[m]) * (2. - (double)s->nwritten_all / t->ndata);
	case LOCALITY_FORMULAS: break;
	}
	assert(!"a formula");
	return NAN;
}

void locality_scores(enum locality_rules rules, enum locality_formula f, const struct locality_task *t, double *score)
{
	struct sums s;

	add_up(t, &s);
	for (int m = 0; m < t->nnodes; m++)
		score[m] = score_of(rules, f, t, &s, m);
}

uint64_t locality_best(enum locality_rules rules, enum locality_formula f, const struct locality_task *t)
{
	double sign = f == LOCALITY_MC || f == LOCALITY_LC_SMWB ? -1 : 1, best = -INFINITY, score[LOCALITY_MAX_NODES];
	uint64_t set = 0;

	locality_scores(rules, f, t, score);
	for (int m = 0; m < t->nnodes; m++) {
		if (sign * score[m] > best) {
			best = sign * score[m];
			set = 0;
		}
		if (sign * score[m] == best)
			set |= UINT64_C(1) << m;
	}
	return set;
}

/*
 * StarPU keeps the largest sum so far while it adds up, datum by datum and in each node by node: the node that gets
 * there first keeps a tie, unless the pusher's own comes to it.
 */
static int starpu_running_best(enum locality_formula f, const struct locality_task *t)
{
	uint64_t sum[LOCALITY_MAX_NODES] = {0}, best = 0;
	int node = 0;

	for (uint32_t i = 0; i < t->ndata; i++) {
		const struct locality_datum *d = &t->data[i];
		uint64_t bytes = f == LOCALITY_LS_SDH2 && d->written ? d->bytes * d->bytes : d->bytes;

		for (uint64_t bits = d->there & all_nodes(t->nnodes); bits; bits &= bits - 1) {
			int m = __builtin_ctzll(bits);

			sum[m] += bytes;
			if (best < sum[m] || (best == sum[m] && m == t->pusher)) {
				best = sum[m];
				node = m;
			}
		}
	}
	return node;
}

int locality_node(enum locality_rules rules, enum locality_formula f, const struct locality_task *t)
{
	uint64_t best;

	if (f == LOCALITY_LARU)
		return t->pusher;
	if (rules == LOCALITY_STARPU && (f == LOCALITY_LS_SDH || f == LOCALITY_LS_SDH2))
		return starpu_running_best(f, t);
	if (rules == LOCALITY_STARPU && f == LOCALITY_LC_SMWB && !t->ndata)
		return 0;
	best = locality_best(rules, f, t);
	if (!best)
		return -1;
	if (best >> t->pusher & 1 && !(rules == LOCALITY_STARPU && f == LOCALITY_MC))
		return t->pusher;
	return __builtin_ctzll(best);
}

void locality_nodes(enum locality_rules rules, const struct locality_task *t, int *node)
{
	for (int f = 0; f < LOCALITY_FORMULAS; f++)
		node[f] = locality_node(rules, (enum locality_formula)f, t);
}

enum locality_formula locality_automatic(enum locality_rules rules, const uint64_t *changed, uint64_t pops)
{
	/* StarPU's enum, whose last one wins a tie. */
	static const enum locality_formula starpu_order[] = {LOCALITY_LS_SDH, LOCALITY_LS_SDH2, LOCALITY_LC_SMWB,
	                                                     LOCALITY_LS_SDHB};
	enum locality_formula best = LOCALITY_FIRST_AUTOMATIC;

	if (rules == LOCALITY_STARPU) {
		if (!pops)
			return LOCALITY_LC_SMWB;
		for (int i = 0; i < 4; i++) {
			if (changed[starpu_order[i]] <= changed[best])
				best = starpu_order[i];
		}
		return best;
	}
	for (int f = LOCALITY_FIRST_AUTOMATIC; f < LOCALITY_FORMULAS; f++) {
		if (changed[f] < changed[best])
			best = (enum locality_formula)f;
	}
	return best;
}

double locality_sharing(const struct machine *m)
{
	double sharing = 0;

	/* src/core/perfmodel/perfmodel_bus.c */
	for (int i = 0; i < m->nnodes; i++)
		sharing += m->nodes[i].arch == ARCH_CUDA || m->nodes[i].arch == ARCH_OPENCL ? 2 : 0;
	return fmax(sharing, 1);
}

void locality_transfer_times(const struct machine *m, double *times_ns)
{
	struct transfer_costs costs;

	transfer_costs_init(&costs, m, locality_sharing(m));
	for (int i = 0; i < m->nnodes * m->nnodes; i++)
		times_ns[i] = transfer_cost_ns(&costs, i % m->nnodes, i / m->nnodes, GIB);
	transfer_costs_fini(&costs);
}

void locality_transfer_distance(const double *times_ns, int n, double *distance)
{
	double largest = 0;

	for (int i = 0; i < n * n; i++)
		largest = fmax(largest, times_ns[i]);
	for (int i = 0; i < n * n; i++)
		distance[i] = largest > 0 ? times_ns[i] / largest : 0;
}

double locality_priority_distance(const int *slot_i, const int *slot_j, int nbuckets)
{
	int differences = 0, length_i = 0, length_j = 0, longer;

	for (int b = 0; b < nbuckets; b++) {
		int d = slot_i[b] - slot_j[b];

		differences += d < 0 ? -d : d;
		length_i += slot_i[b] >= 0;
		length_j += slot_j[b] >= 0;
	}
	longer = length_i > length_j ? length_i : length_j;
	return 1 - differences / ((longer + 1.) * (longer + 2.) / 2);
}

void locality_distance(double alpha, const double *priority, const double *transfer, int n, double *distance)
{
	for (int i = 0; i < n * n; i++)
		distance[i] = alpha * priority[i] + (1 - alpha) * transfer[i];
}

void locality_nearest(const double *distance, int n, int node, int *nearest)
{
	const double *d = distance + node * n;

	for (int i = 0; i < n; i++)
		nearest[i] = i;
	/* StarPU swaps the node to the front before it sorts the rest, which decides ties. */
	nearest[node] = 0;
	nearest[0] = node;
	for (int i = 2; i < n; i++) {
		int moved = nearest[i], k = i;

		for (; k > 1 && d[nearest[k - 1]] > d[moved]; k--)
			nearest[k] = nearest[k - 1];
		nearest[k] = moved;
	}
}

int locality_access_order(const int *nearest, int n, int nslots, int step, int close, struct locality_access *order)
{
	int count = 0, inner = close < n - 1 ? close + 1 : n; /* nearest[0 .. inner - 1]: itself and the close ones */

	assert(step >= 1 && close >= 0);
	for (int block = 0; block < nslots; block += step) {
		int end = step < nslots - block ? block + step : nslots;

		for (int slot = block; slot < end; slot++)
			order[count++] = (struct locality_access){(uint32_t)slot, nearest[0]};
		for (int slot = block; slot < end; slot++) {
			for (int k = 1; k < inner; k++)
				order[count++] = (struct locality_access){(uint32_t)slot, nearest[k]};
		}
		if (end == nslots)
			break;
	}
	for (int slot = 0; slot < nslots; slot++) {
		for (int k = inner; k < n; k++)
			order[count++] = (struct locality_access){(uint32_t)slot, nearest[k]};
	}
	return count;
}
