/* sched/static/cluster.c - convex clusters: tasks that are best executed by one worker, for the data between them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Algorithm 1 of the report that cluster.h names. A task is represented by its place in the topological order, and
 * edges lead from place to place. A part is a range of one array of places, in ascending order. To divide a part is to
 * sort its range into four, so that no path leads from a later one to an earlier one: A< first, A> last, and A before
 * or after A~. So the numbers of the clusters are a topological order too.
 *
 * Trying a pivot is linear in the part's tasks and edges. Parts are convex, so the relations "before the pivot", "after
 * the pivot" and "related to some task of A~" follow from edges inside the part. Whether a task comes before all of A~
 * is whether it comes before the minimal elements of A~, which the transitive closure knows. That is looked up only
 * where no successor is known to come before all of A~, and the element that failed last is looked up first, so one or
 * two look-ups are enough for most tasks.
 */
#include "sched/static/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/mix.h"
#include "core/dag/dag.h"
#include "sched/static/clusters.h"
#include "sched/static/transitive_closure.h"

enum side { BEFORE, PIVOT, REST, AFTER }; /* A<, A, A~, A> */

/* Which tasks of A< and A> move to A: those related to no task of A~; of one side, also those not related to all. */
enum rule { MOVE_UNRELATED, MOVE_BEFORE, MOVE_AFTER, NRULES };

enum relation { TO_NONE, TO_SOME, TO_ALL };

struct part {
	uint32_t first, end; /* in places[] */
};

struct clustering {
	struct transitive_closure transitive_closure;
	uint32_t *order;                                 /* per place: task */
	uint32_t *succ_first, *succ, *pred_first, *pred; /* from place to place */
	uint32_t *places, *sorted;                       /* [n]: the parts, and space to sort one */
	uint32_t *in, stamp;                             /* per place: the part that is divided has this stamp */
	unsigned char *side, *related; /* per place of it: relation to the pivot; of A< and A>, to A~ */
	uint32_t *ends;                /* the minimal, or maximal, elements of A~ */
	uint64_t random;
	struct part *stack;
	size_t nstack, capstack;
};

/* Whether a neighbour within the part is on that side, and related to A~ at least so much. */
static int has_neighbour(const struct clustering *c, const uint32_t *first, const uint32_t *to, uint32_t place,
                         enum side side, enum relation least)
{
	for (uint32_t e = first[place]; e < first[place + 1]; e++) {
		uint32_t q = to[e];

		if (c->in[q] == c->stamp && c->side[q] == side && (least == TO_NONE || c->related[q] >= least))
			return 1;
	}
	return 0;
}

static int has_succ(const struct clustering *c, uint32_t place, enum side side, enum relation least)
{
	return has_neighbour(c, c->succ_first, c->succ, place, side, least);
}

static int has_pred(const struct clustering *c, uint32_t place, enum side side, enum relation least)
{
	return has_neighbour(c, c->pred_first, c->pred, place, side, least);
}

/* Finds the side of every task of the part; the pivot is at places[pivot]. Returns the size of A~. */
static uint32_t relate_to_pivot(struct clustering *c, struct part p, uint32_t pivot)
{
	uint32_t nrest = p.end - p.first - 1;

	for (uint32_t i = p.first; i < p.end; i++)
		c->side[c->places[i]] = REST;
	c->side[c->places[pivot]] = PIVOT;
	for (uint32_t i = pivot; i-- > p.first;) {
		uint32_t x = c->places[i];

		if (!has_succ(c, x, PIVOT, TO_NONE) && !has_succ(c, x, BEFORE, TO_NONE))
			continue;
		c->side[x] = BEFORE;
		nrest--;
	}
	for (uint32_t i = pivot + 1; i < p.end; i++) {
		uint32_t x = c->places[i];

		if (!has_pred(c, x, PIVOT, TO_NONE) && !has_pred(c, x, AFTER, TO_NONE))
			continue;
		c->side[x] = AFTER;
		nrest--;
	}
	return nrest;
}

/* The elements of A~ without a predecessor (minimal), or successor, in it: into c->ends. */
static uint32_t find_ends(struct clustering *c, struct part p, int minimal)
{
	uint32_t count = 0;

	for (uint32_t i = p.first; i < p.end; i++) {
		uint32_t x = c->places[i];

		if (c->side[x] == REST && !(minimal ? has_pred(c, x, REST, TO_NONE) : has_succ(c, x, REST, TO_NONE)))
			c->ends[count++] = x;
	}
	return count;
}

/* Whether x comes before (after) all `count` of c->ends; the first one of which that is false goes to the front. */
static int is_related_to_ends(struct clustering *c, uint32_t x, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		uint32_t y = c->ends[k];

		if (transitive_closure_before(&c->transitive_closure, x < y ? x : y, x < y ? y : x))
			continue;
		c->ends[k] = c->ends[0];
		c->ends[0] = y;
		return 0;
	}
	return 1;
}

/* The relation of a task of A< (A>) to A~, from those of its successors (predecessors), which are known. */
static enum relation relation_to_rest(struct clustering *c, uint32_t x, enum side side, uint32_t nends)
{
	int (*has)(const struct clustering *, uint32_t, enum side, enum relation) = has_succ;

	if (side == AFTER)
		has = has_pred;
	if (has(c, x, side, TO_ALL))
		return TO_ALL;
	if (!has(c, x, REST, TO_NONE) && !has(c, x, side, TO_SOME))
		return TO_NONE;
	return is_related_to_ends(c, x, nends) ? TO_ALL : TO_SOME;
}

/* Finds the relation to A~, which is not empty, of every task of A<, from the last to the first, and of A>. */
static void relate_to_rest(struct clustering *c, struct part p)
{
	uint32_t nends = find_ends(c, p, 1);

	for (uint32_t i = p.end; i-- > p.first;) {
		if (c->side[c->places[i]] == BEFORE)
			c->related[c->places[i]] = (unsigned char)relation_to_rest(c, c->places[i], BEFORE, nends);
	}
	nends = find_ends(c, p, 0);
	for (uint32_t i = p.first; i < p.end; i++) {
		if (c->side[c->places[i]] == AFTER)
			c->related[c->places[i]] = (unsigned char)relation_to_rest(c, c->places[i], AFTER, nends);
	}
}

static int moves(const struct clustering *c, uint32_t x, enum rule rule)
{
	if (c->side[x] == BEFORE)
		return c->related[x] == TO_NONE || (rule == MOVE_BEFORE && c->related[x] == TO_SOME);
	if (c->side[x] == AFTER)
		return c->related[x] == TO_NONE || (rule == MOVE_AFTER && c->related[x] == TO_SOME);
	return 0;
}

/* max(|A|, |A~|) of the pivot with the best rule, in *rule; 0 where A~ is empty or the result cannot exceed `best`. */
static uint32_t try_pivot(struct clustering *c, struct part p, uint32_t pivot, uint32_t best, enum rule *rule)
{
	uint32_t n = p.end - p.first, nrest = relate_to_pivot(c, p, pivot), size[NRULES] = {1, 1, 1};

	if (!nrest || (nrest <= best && n - nrest <= best))
		return 0;
	relate_to_rest(c, p);
	for (uint32_t i = p.first; i < p.end; i++) {
		for (enum rule r = 0; r < NRULES; r++)
			size[r] += (uint32_t)moves(c, c->places[i], r);
	}
	*rule = MOVE_UNRELATED;
	for (enum rule r = MOVE_BEFORE; r < NRULES; r++)
		*rule = size[r] > size[*rule] ? r : *rule;
	return size[*rule] > nrest ? size[*rule] : nrest;
}

static void push_part(struct clustering *c, uint32_t first, uint32_t end)
{
	if (first < end)
		*VEC_PUSH(c->stack, c->nstack, c->capstack) = (struct part){first, end};
}

/* Sorts the range of the part by the pivot and the rule, and pushes its four parts, the first of them last. */
static void divide(struct clustering *c, struct part p, uint32_t pivot, enum rule rule)
{
	static const int in_order[NRULES][4] = {
		[MOVE_UNRELATED] = {BEFORE, PIVOT, REST, AFTER},
		[MOVE_BEFORE] = {BEFORE, PIVOT, REST, AFTER},
		[MOVE_AFTER] = {BEFORE, REST, PIVOT, AFTER},
	};
	uint32_t n = p.end - p.first, end[4], count = 0;

	relate_to_pivot(c, p, pivot);
	relate_to_rest(c, p);
	for (uint32_t i = p.first; i < p.end; i++)
		c->side[c->places[i]] = moves(c, c->places[i], rule) ? PIVOT : c->side[c->places[i]];
	for (int k = 0; k < 4; k++) {
		for (uint32_t i = p.first; i < p.end; i++) {
			if (c->side[c->places[i]] == in_order[rule][k])
				c->sorted[count++] = c->places[i];
		}
		end[k] = p.first + count;
	}
	memcpy(c->places + p.first, c->sorted, n * sizeof(*c->places));
	for (int k = 3; k >= 0; k--)
		push_part(c, k ? end[k - 1] : p.first, end[k]);
}

static void divide_part(struct clustering *c, struct part p, const struct cluster_options *o)
{
	uint32_t n = p.end - p.first, tries = o->tries, best = 0, best_pivot = 0;
	uint32_t most = n > CLUSTER_LARGE ? n - n / 8 : n;
	enum rule best_rule = MOVE_UNRELATED;

	if (!tries)
		tries = n < CLUSTER_TRIES * CLUSTER_TRIES ? (uint32_t)sqrt((double)n) : CLUSTER_TRIES;
	c->stamp++;
	for (uint32_t i = p.first; i < p.end; i++)
		c->in[c->places[i]] = c->stamp;
	for (uint32_t i = 0; i < tries; i++) {
		enum rule rule;
		uint32_t pivot = p.first + (uint32_t)(mix64(c->random += MIX_GAMMA) >> 32) % n;
		uint32_t size = try_pivot(c, p, pivot, best, &rule);

		if (size > best && size <= most) {
			best = size;
			best_pivot = pivot;
			best_rule = rule;
		}
	}
	if (best) {
		divide(c, p, best_pivot, best_rule);
		return;
	}
	/* A prefix of a topological order is convex, and nothing leads back to it. */
	push_part(c, p.first + (n > 2 * o->size ? n / 2 : o->size), p.end);
	push_part(c, p.first, p.first + (n > 2 * o->size ? n / 2 : o->size));
}

/* A depth-first topological order: a task is followed by those that it makes ready, so ranges of it are connected. */
static void order_depth_first(struct clustering *c, const struct dag *d)
{
	uint32_t *left = ht_alloc(d->ntasks, sizeof(*left)), *stack = ht_alloc(d->ntasks, sizeof(*stack));
	uint32_t n = 0, count = 0;

	c->order = ht_alloc(d->ntasks, sizeof(*c->order));
	for (uint32_t t = d->ntasks; t-- > 0;) {
		left[t] = dag_npred(d, t);
		if (!left[t])
			stack[n++] = t;
	}
	while (n) {
		uint32_t t = stack[--n];

		c->order[count++] = t;
		for (uint32_t e = d->succ_first[t + 1]; e-- > d->succ_first[t];) {
			if (--left[d->succ[e]] == 0)
				stack[n++] = d->succ[e];
		}
	}
	free(left);
	free(stack);
}

/* The graph's edges from place to place. Neighbours need no order. */
static void make_edges(struct clustering *c, const struct dag *d)
{
	uint32_t *place = ht_alloc(d->ntasks, sizeof(*place));

	for (uint32_t i = 0; i < d->ntasks; i++)
		place[c->order[i]] = i;
	c->succ_first = ht_alloc((size_t)d->ntasks + 1, sizeof(*c->succ_first));
	c->pred_first = ht_alloc((size_t)d->ntasks + 1, sizeof(*c->pred_first));
	c->succ = ht_alloc(d->nedges, sizeof(*c->succ));
	c->pred = ht_alloc(d->nedges, sizeof(*c->pred));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = c->order[i], s = c->succ_first[i], p = c->pred_first[i];

		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
			c->succ[s++] = place[d->succ[e]];
		for (uint32_t e = d->pred_first[t]; e < d->pred_first[t + 1]; e++)
			c->pred[p++] = place[d->pred[e]];
		c->succ_first[i + 1] = s;
		c->pred_first[i + 1] = p;
	}
	free(place);
}

static void clustering_init(struct clustering *c, const struct dag *d)
{
	order_depth_first(c, d);
	make_edges(c, d);
	c->places = ht_alloc(d->ntasks, sizeof(*c->places));
	c->sorted = ht_alloc(d->ntasks, sizeof(*c->sorted));
	c->in = ht_alloc(d->ntasks, sizeof(*c->in));
	c->side = ht_alloc(d->ntasks, sizeof(*c->side));
	c->related = ht_alloc(d->ntasks, sizeof(*c->related));
	c->ends = ht_alloc(d->ntasks, sizeof(*c->ends));
	for (uint32_t i = 0; i < d->ntasks; i++)
		c->places[i] = i;
}

static void clustering_fini(struct clustering *c)
{
	free(c->order);
	free(c->succ_first);
	free(c->succ);
	free(c->pred_first);
	free(c->pred);
	free(c->places);
	free(c->sorted);
	free(c->in);
	free(c->side);
	free(c->related);
	free(c->ends);
	free(c->stack);
}

void cluster_convex(struct clusters *out, const struct dag *d, const struct cluster_options *o)
{
	struct clustering c = {.random = o->seed};
	uint32_t most = o->size > CLUSTER_PIECE ? o->size : CLUSTER_PIECE, n = 0;
	uint32_t *of = ht_alloc(d->ntasks, sizeof(*of));

	clustering_init(&c, d);
	for (uint32_t first = 0, end; first < d->ntasks; first = end) {
		end = d->ntasks - first > most ? first + most : d->ntasks;
		if (end - first > o->size)
			transitive_closure_init(&c.transitive_closure, c.succ_first, c.succ, first, end);
		push_part(&c, first, end);
		while (c.nstack) {
			struct part p = c.stack[--c.nstack];

			if (p.end - p.first > o->size) {
				divide_part(&c, p, o);
				continue;
			}
			for (uint32_t i = p.first; i < p.end; i++)
				of[c.order[c.places[i]]] = n;
			n++;
		}
		transitive_closure_fini(&c.transitive_closure);
	}
	clusters_init(out, d, of, n);
	clustering_fini(&c);
}
