/* generate/graph_tree.c - complete trees: a task for every node, from the root outwards or from the leaves inwards. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "core/trace/trace.h"
#include "generate/graph.h"

enum { KNOB_ARITY, KNOB_DEPTH, KNOB_TILE_SIZE };

static const struct graph_knob knobs[] = {
	{"arity", 2, 1, 1000},
	{"depth", 10, 0, 1e6},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

struct tree {
	uint32_t arity, nodes, inner; /* numbered by level from the root: the children of x are arity * x + 1 and on */
	uint32_t data, node, leaf;
};

/* depth is the number of edges from the root to a leaf; (arity^(depth + 1) - 1) / (arity - 1) nodes. */
static int prepare(struct graph *g, const struct graph_input *in, struct tree *t, struct ht_err *err)
{
	double nodes = 0, leaves = 1, b = in->knob[KNOB_TILE_SIZE], bytes = b * b * sizeof(double);

	for (double level = 0; level <= in->knob[KNOB_DEPTH] && nodes <= GRAPH_MAX_TASKS; level++) {
		leaves = pow(in->knob[KNOB_ARITY], level);
		nodes += leaves;
	}
	if (graph_fits(nodes, 2 * nodes, err) != 0)
		return -1;
	t->arity = (uint32_t)in->knob[KNOB_ARITY];
	t->nodes = (uint32_t)nodes;
	t->inner = (uint32_t)(nodes - leaves);
	/* No measurement: a leaf that a GPU does ten times faster, an inner node that it does twice as slowly. */
	t->node = graph_type_pair(g, "node", 1000, 2000);
	t->leaf = graph_type_pair(g, "leaf", 5000, 500);
	t->data = graph_data(g, t->nodes, bytes);
	return 0;
}

static int make_out(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	struct tree t;

	if (prepare(g, in, &t, err) != 0)
		return -1;
	for (uint32_t x = 0; x < t.nodes; x++) {
		graph_task(g, x < t.inner ? t.node : t.leaf);
		if (x)
			graph_use(g, t.data + (x - 1) / t.arity, ACCESS_R);
		graph_use(g, t.data + x, ACCESS_W);
	}
	return 0;
}

static int make_in(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	struct tree t;

	if (prepare(g, in, &t, err) != 0)
		return -1;
	for (uint32_t x = t.nodes; x-- > 0;) {
		graph_task(g, x < t.inner ? t.node : t.leaf);
		for (uint32_t c = 1; x < t.inner && c <= t.arity; c++)
			graph_use(g, t.data + t.arity * x + c, ACCESS_R);
		graph_use(g, t.data + x, ACCESS_W);
	}
	return 0;
}

const struct graph_kind graph_out_tree = {"out-tree", "complete tree, from the root to the leaves", knobs, 0, make_out};
const struct graph_kind graph_in_tree = {"in-tree", "complete tree, from the leaves to the root", knobs, 0, make_in};
