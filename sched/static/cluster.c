/* sched/static/cluster.c - convex clusters: tasks that are best executed by one worker, for the data between them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tasks are known by their places in the topological order, and edges lead from place to place. A part is a piece of
 * one array of places, ascending; to divide it is to sort that piece into four, put so that no path leads from a later
 * one to an earlier one: A< first, A> last, and A before or behind A~. So the number of a cluster is a topological
 * order too.
 *
 * A try is linear in the part's tasks and edges. Parts are convex, so who comes before or behind the pivot, and who
 * comes before some of A~, spreads along edges inside the part. Who comes before all of A~ comes before its minimal
 * elements: that is looked up in the closure, but not where a successor is known to, and the element that was missed
 * last is asked for first, so that a look or two settle most.
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

enum kind { BEFORE, PIVOT, REST, BEHIND }; /* A<, A, A~, A> */

/* Who of A< and A> moves to A: those related to nobody in A~, or, of one side, those not related to all of it. */
enum rule { MOVE_UNRELATED, MOVE_BEFORE, MOVE_BEHIND, NRULES };

enum relation { TO_NONE, TO_SOME, TO_ALL };

struct part {
	uint32_t first, end; /* in places[] */
};

struct clustering {
	struct transitive_closure transitive_closure;
	uint32_t *order;                                 /* per place: task */
	uint32_t *succ_first, *succ, *pred_first, *pred; /* from place to place */
	uint32_t *places, *sorted;                       /* [n]: the parts, and room to sort one */
	uint32_t *in, stamp;                             /* per place: the part that is divided has this stamp */
	unsigned char *kind, *related; /* per place of it: relation to the pivot; of A< and A>, to A~ */
	uint32_t *ends;                /* the minimal, or maximal, elements of A~ */
	uint64_t random;
	struct part *stack;
	size_t nstack, capstack;
};

static uint32_t random_below(struct clustering *c, uint32_t n)
{
	return (uint32_t)(mix64(c->random += MIX_GAMMA) >> 32) % n;
}

/* Whether a neighbour within the part is of that kind, and as related to A~ as that. */
static int has_neighbour(const struct clustering *c, const uint32_t *first, const uint32_t *to, uint32_t place,
                         enum kind kind, enum relation least)
{
	for (uint32_t e = first[place]; e < first[place + 1]; e++) {
		uint32_t q = to[e];

		if (c->in[q] == c->stamp && c->kind[q] == kind && (least == TO_NONE || c->related[q] >= least))
			return 1;
	}
	return 0;
}

static int has_succ(const struct clustering *c, uint32_t place, enum kind kind, enum relation least)
{
	return has_neighbour(c, c->succ_first, c->succ, place, kind, least);
}

static int has_pred(const struct clustering *c, uint32_t place, enum kind kind, enum relation least)
{
	return has_neighbour(c, c->pred_first, c->pred, place, kind, least);
}

/* Of everyone in the part to the pivot, which is at places[pivot]; how many are A~. */
static uint32_t relate_to_pivot(struct clustering *c, struct part p, uint32_t pivot)
{
	uint32_t nrest = p.end - p.first - 1;

	for (uint32_t i = p.first; i < p.end; i++)
		c->kind[c->places[i]] = REST;
	c->kind[c->places[pivot]] = PIVOT;
	for (uint32_t i = pivot; i-- > p.first;) {
		uint32_t x = c->places[i];

		if (!has_succ(c, x, PIVOT, TO_NONE) && !has_succ(c, x, BEFORE, TO_NONE))
			continue;
		c->kind[x] = BEFORE;
		nrest--;
	}
	for (uint32_t i = pivot + 1; i < p.end; i++) {
		uint32_t x = c->places[i];

		if (!has_pred(c, x, PIVOT, TO_NONE) && !has_pred(c, x, BEHIND, TO_NONE))
			continue;
		c->kind[x] = BEHIND;
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

		if (c->kind[x] == REST && !(minimal ? has_pred(c, x, REST, TO_NONE) : has_succ(c, x, REST, TO_NONE)))
			c->ends[count++] = x;
	}
	return count;
}

/* Whether x comes before, or behind, all of c->ends. */
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

/* Of everyone in A< and A> to A~, which is not empty. */
static void relate_to_rest(struct clustering *c, struct part p)
{
	uint32_t count = find_ends(c, p, 1);

	for (uint32_t i = p.end; i-- > p.first;) {
		uint32_t x = c->places[i];

		if (c->kind[x] != BEFORE)
			continue;
		c->related[x] = TO_NONE;
		if (has_succ(c, x, BEFORE, TO_ALL))
			c->related[x] = TO_ALL;
		else if (has_succ(c, x, REST, TO_NONE) || has_succ(c, x, BEFORE, TO_SOME))
			c->related[x] = is_related_to_ends(c, x, count) ? TO_ALL : TO_SOME;
	}
	count = find_ends(c, p, 0);
	for (uint32_t i = p.first; i < p.end; i++) {
		uint32_t x = c->places[i];

		if (c->kind[x] != BEHIND)
			continue;
		c->related[x] = TO_NONE;
		if (has_pred(c, x, BEHIND, TO_ALL))
			c->related[x] = TO_ALL;
		else if (has_pred(c, x, REST, TO_NONE) || has_pred(c, x, BEHIND, TO_SOME))
			c->related[x] = is_related_to_ends(c, x, count) ? TO_ALL : TO_SOME;
	}
}

static int moves(const struct clustering *c, uint32_t x, enum rule rule)
{
	if (c->kind[x] == BEFORE)
		return c->related[x] == TO_NONE || (rule == MOVE_BEFORE && c->related[x] == TO_SOME);
	if (c->kind[x] == BEHIND)
		return c->related[x] == TO_NONE || (rule == MOVE_BEHIND && c->related[x] == TO_SOME);
	return 0;
}

/* max(|A|, |A~|) of that pivot with the best rule; 0 where there is no A~, or where it cannot be above `best`. */
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

/* Sorts the part by the pivot and the rule; its parts are on the stack, the first of them on top. */
static void divide(struct clustering *c, struct part p, uint32_t pivot, enum rule rule)
{
	static const int in_order[NRULES][4] = {
		[MOVE_UNRELATED] = {BEFORE, PIVOT, REST, BEHIND},
		[MOVE_BEFORE] = {BEFORE, PIVOT, REST, BEHIND},
		[MOVE_BEHIND] = {BEFORE, REST, PIVOT, BEHIND},
	};
	uint32_t n = p.end - p.first, end[4], count = 0;

	relate_to_pivot(c, p, pivot);
	relate_to_rest(c, p);
	for (uint32_t i = p.first; i < p.end; i++)
		c->kind[c->places[i]] = moves(c, c->places[i], rule) ? PIVOT : c->kind[c->places[i]];
	for (int k = 0; k < 4; k++) {
		for (uint32_t i = p.first; i < p.end; i++) {
			if (c->kind[c->places[i]] == in_order[rule][k])
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
		uint32_t pivot = p.first + random_below(c, n), size = try_pivot(c, p, pivot, best, &rule);

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

/* A topological order in which a task is followed by those that it lets go, so that pieces of it hang together. */
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
	c->kind = ht_alloc(d->ntasks, sizeof(*c->kind));
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
	free(c->kind);
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
