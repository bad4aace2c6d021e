/* core/dag/dag_contract.c - the edges of a task graph: those of the trace, with the tasks that do nothing taken out. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The raw graph has every task of the trace, and one more node for every task with end dependencies: its end, which its
 * successors wait for. In topological order every node that is taken out gets the set of nodes it stands for, and hands
 * it on to its successors.
 *
 * Sets do not grow along chains: data acquired again and again by the main program is a chain of internal tasks, each
 * after a real task that follows the one before. So a set is left out where a real predecessor waits for the same
 * internal task already. An internal task that joins n tasks to m others becomes n x m edges; DAG_MAX_EDGES is the
 * limit.
 */
#include "core/dag/dag_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/csr.h"
#include "core/trace/trace.h"

struct contraction {
	const struct trace *t;
	const uint32_t *node;
	struct csr raw;
	uint32_t *order;             /* of the raw graph */
	size_t *set_first, *set_end; /* per raw node that is taken out: its part of members[] */
	uint32_t *members;
	uint32_t *stamp;     /* per node: 1 + the last raw node that gathered it */
	uint32_t *implied;   /* per raw node: 1 + the last raw node that waits for it through a predecessor */
	uint32_t *from, *to; /* edges between nodes */
	size_t nmembers, capmembers, nfrom, capfrom, nto, capto;
};

static int cycle_error(struct ht_err *err, const struct trace *t, uint32_t a, uint32_t b)
{
	const struct trace_task *x = &t->tasks[a], *y = &t->tasks[b];

	return ht_err_set(err, "task %" PRIu64 " (%s) depends on itself through task %" PRIu64 " (%s)",
	                  (uint64_t)y->job, y->name ? trace_text(t, y->name) : "internal", (uint64_t)x->job,
	                  x->name ? trace_text(t, x->name) : "internal");
}

/* The edges of the raw graph: from tasks to their ends, and then the dependencies. */
struct raw_edges {
	const struct trace *t;
	uint32_t *end_of; /* per task: the node that is its end; 0: none */
	uint32_t *owner;  /* per end: its task */
	size_t nends;
};

static void find_ends(struct raw_edges *x)
{
	size_t cap = 0;

	for (size_t i = 0; i < x->t->ndeps; i++) {
		uint32_t succ = x->t->deps[i].succ;

		if (x->t->deps[i].kind != DEP_END || x->end_of[succ])
			continue;
		x->end_of[succ] = (uint32_t)(x->t->ntasks + x->nends);
		*VEC_PUSH(x->owner, x->nends, cap) = succ;
	}
}

/* What waits for a task with an end node waits for that end. */
static struct csr_edge raw_edge(const void *ctx, size_t i)
{
	const struct raw_edges *x = ctx;
	struct trace_dep dep;
	uint32_t end;

	if (i < x->nends)
		return (struct csr_edge){x->owner[i], (uint32_t)(x->t->ntasks + i)};
	dep = x->t->deps[i - x->nends];
	end = x->end_of[dep.pred];
	return (struct csr_edge){end ? end : dep.pred, dep.kind == DEP_END ? x->end_of[dep.succ] : dep.succ};
}

static int build_raw(struct contraction *c, struct arena *a, struct ht_err *err)
{
	const struct trace *t = c->t;
	struct raw_edges x = {.t = t, .end_of = ht_alloc(t->ntasks, sizeof(*x.end_of))};
	uint32_t n, cycle[2];
	int rc = 0;

	find_ends(&x);
	n = (uint32_t)(t->ntasks + x.nends);
	csr_read(&c->raw, a, n, raw_edge, &x, x.nends + t->ndeps);
	csr_complete(&c->raw, a);
	c->order = arena_alloc(a, n, sizeof(*c->order));
	if (csr_order(&c->raw, c->order, cycle) < 0) {
		for (int k = 0; k < 2; k++)
			cycle[k] = cycle[k] < t->ntasks ? cycle[k] : x.owner[cycle[k] - t->ntasks];
		rc = cycle_error(err, t, cycle[0], cycle[1]);
	}
	free(x.end_of);
	free(x.owner);
	return rc;
}

static uint32_t node_of(const struct contraction *c, uint32_t v)
{
	return v < c->t->ntasks ? c->node[v] : TRACE_NONE;
}

/* Marks the raw nodes that v waits for through a real predecessor: waiting for them directly too adds nothing. */
static void mark_implied(struct contraction *c, uint32_t v)
{
	const struct csr *g = &c->raw;

	for (uint32_t i = g->pred_first[v]; i < g->pred_first[v + 1]; i++) {
		uint32_t p = g->pred[i];

		if (node_of(c, p) == TRACE_NONE)
			continue;
		for (uint32_t k = g->pred_first[p]; k < g->pred_first[p + 1]; k++)
			c->implied[g->pred[k]] = v + 1;
	}
}

static void add_edge(struct contraction *c, uint32_t from, uint32_t to)
{
	*VEC_PUSH(c->from, c->nfrom, c->capfrom) = from;
	*VEC_PUSH(c->to, c->nto, c->capto) = to;
}

/* Raw node v waits for `member`, once however often this is found: in the set of v, or as an edge where v stays. */
static void gather_one(struct contraction *c, uint32_t v, uint32_t member)
{
	if (c->stamp[member] == v + 1)
		return;
	c->stamp[member] = v + 1;
	if (node_of(c, v) == TRACE_NONE)
		*VEC_PUSH(c->members, c->nmembers, c->capmembers) = member;
	else
		add_edge(c, member, node_of(c, v));
}

/* The nodes that raw node v waits for: into its set when it is taken out, as edges when it stays. */
static void gather(struct contraction *c, uint32_t v)
{
	const struct csr *g = &c->raw;
	uint32_t first = g->pred_first[v], end = g->pred_first[v + 1], internal = 0;
	int stays = node_of(c, v) != TRACE_NONE;

	for (uint32_t i = first; i < end; i++)
		internal += node_of(c, g->pred[i]) == TRACE_NONE;
	/* In a chain of internal nodes each has the set of the one before. */
	if (internal == 1 && end - first == 1 && !stays) {
		c->set_first[v] = c->set_first[g->pred[first]];
		c->set_end[v] = c->set_end[g->pred[first]];
		return;
	}
	if (internal && internal < end - first)
		mark_implied(c, v);
	c->set_first[v] = c->nmembers;
	for (uint32_t i = first; i < end; i++) {
		uint32_t p = g->pred[i];

		if (node_of(c, p) != TRACE_NONE) {
			gather_one(c, v, node_of(c, p));
			/* Further dependencies between the same two tasks count: csr_build() keeps their number. */
			for (uint32_t k = 1; stays && k < dag_times(g->pred_times, i); k++)
				add_edge(c, node_of(c, p), node_of(c, v));
		} else if (c->implied[p] != v + 1) {
			for (size_t k = c->set_first[p]; k < c->set_end[p]; k++)
				gather_one(c, v, c->members[k]);
		}
	}
	c->set_end[v] = c->nmembers;
}

static int gather_all(struct contraction *c, struct ht_err *err)
{
	for (uint32_t i = 0; i < c->raw.n; i++) {
		uint32_t v = c->order[i];

		gather(c, v);
		if (c->nfrom > DAG_MAX_EDGES || c->nmembers > DAG_MAX_EDGES)
			return ht_err_set(
				err, "more than %d dependencies once internal tasks are taken out, at task %" PRIu64,
				DAG_MAX_EDGES, v < c->t->ntasks ? (uint64_t)c->t->tasks[v].job : 0);
	}
	return 0;
}

/* Where every task stays and none has an end of its own, the dependencies are the edges as they are. */
static int is_plain(const struct trace *t, const uint32_t *node, uint32_t n)
{
	int plain = n == t->ntasks && t->ndeps <= DAG_MAX_EDGES;

	for (size_t i = 0; i < t->ndeps && plain; i++)
		plain = t->deps[i].kind != DEP_END && node[t->deps[i].pred] != TRACE_NONE &&
		        node[t->deps[i].succ] != TRACE_NONE;
	return plain;
}

static uint32_t task_of(const struct trace *t, const uint32_t *node, uint32_t n)
{
	uint32_t task = 0;

	while (task + 1 < t->ntasks && node[task] != n)
		task++;
	return task;
}

static struct csr_edge plain_edge(const void *ctx, size_t i)
{
	const struct contraction *c = ctx;

	return (struct csr_edge){c->node[c->t->deps[i].pred], c->node[c->t->deps[i].succ]};
}

static int plain_edges(const struct trace *t, const uint32_t *node, uint32_t n, struct arena *a, struct csr *g,
                       struct trace *drop_deps, struct ht_err *err)
{
	uint32_t *order, cycle[2];
	int rc = 0;

	csr_read(g, a, n, plain_edge, &(struct contraction){.t = t, .node = node}, t->ndeps);
	if (drop_deps && t->nranks == 1 && !t->nwaits) /* dag_messages.c and dag_waits.c read them again */
		trace_drop_deps(drop_deps);
	csr_complete(g, a);
	if (csr_goes_up(g))
		return 0;
	order = ht_alloc(n, sizeof(*order));
	if (csr_order(g, order, cycle) != 0)
		rc = cycle_error(err, t, task_of(t, node, cycle[0]), task_of(t, node, cycle[1]));
	free(order);
	return rc;
}

int dag_contract_edges(const struct trace *t, const uint32_t *node, uint32_t n, struct arena *to, struct csr *g,
                       struct trace *drop_deps, struct ht_err *err)
{
	struct contraction c = {.t = t, .node = node};
	struct arena *a;
	int rc = -1;

	if (is_plain(t, node, n))
		return plain_edges(t, node, n, to, g, drop_deps, err);
	a = arena_create();
	if (build_raw(&c, a, err) < 0)
		goto out;
	c.set_first = arena_alloc(a, c.raw.n, sizeof(*c.set_first));
	c.set_end = arena_alloc(a, c.raw.n, sizeof(*c.set_end));
	c.implied = arena_alloc(a, c.raw.n, sizeof(*c.implied));
	c.stamp = arena_alloc(a, n, sizeof(*c.stamp));
	if (gather_all(&c, err) < 0)
		goto out;
	csr_build(g, to, n, c.from, c.to, c.nfrom);
	rc = 0;
out:
	free(c.members);
	free(c.from);
	free(c.to);
	arena_free(a);
	return rc;
}

int dag_contract(struct dag *d, const struct trace *t, const uint32_t *node, struct trace *drop_deps,
                 struct ht_err *err)
{
	struct csr g;
	uint32_t cycle[2];
	int rc;

	if (dag_contract_edges(t, node, d->ntasks, d->arena, &g, drop_deps, err) < 0)
		return -1;
	d->succ_first = g.succ_first;
	d->succ = g.succ;
	d->pred_first = g.pred_first;
	d->pred = g.pred;
	d->succ_times = g.succ_times;
	d->pred_times = g.pred_times;
	d->nedges = g.nedges;
	if (csr_goes_up(&g))
		return 0;
	d->order = arena_alloc(d->arena, d->ntasks, sizeof(*d->order));
	rc = csr_order(&g, d->order, cycle);
	assert(rc == 0); /* the raw graph has no cycle */
	return rc;
}
