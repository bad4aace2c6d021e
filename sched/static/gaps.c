/* sched/static/gaps.c - when the workers of a static schedule have nothing to do. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/static/gaps.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"

#define NONE 0 /* nodes[0] is no interval: no length, no children */

struct gap {
	double start, end;
	double longest; /* of the subtree */
	uint32_t left, right;
	uint32_t weight; /* heap order of the treap */
};

struct gaps {
	struct gap *nodes;
	size_t count, cap;
	uint32_t *root; /* per worker */
	double *last;   /* per worker: start of the interval without an end */
	int nworkers;
};

static uint32_t new_gap(struct gaps *g, double start, double end)
{
	uint32_t id = (uint32_t)g->count;
	struct gap *n = VEC_PUSH(g->nodes, g->count, g->cap);

	*n = (struct gap){.start = start, .end = end, .longest = end - start};
	n->weight = (id ^ id >> 15) * 0x85ebca6bu; /* spread, and the same in every run */
	n->weight = (n->weight ^ n->weight >> 13) * 0xc2b2ae35u;
	return id;
}

struct gaps *gaps_create(int nworkers)
{
	struct gaps *g = ht_alloc(1, sizeof(*g));

	g->nworkers = nworkers;
	g->root = ht_alloc((size_t)nworkers, sizeof(*g->root));
	g->last = ht_alloc((size_t)nworkers, sizeof(*g->last));
	new_gap(g, 0, 0);
	g->nodes[NONE].weight = 0;
	for (int i = 0; i < nworkers; i++)
		g->root[i] = new_gap(g, 0, INFINITY);
	return g;
}

void gaps_free(struct gaps *g)
{
	if (!g)
		return;
	free(g->nodes);
	free(g->root);
	free(g->last);
	free(g);
}

double gaps_last(const struct gaps *g, int worker)
{
	return g->last[worker];
}

static void pull(struct gaps *g, uint32_t id)
{
	struct gap *n = &g->nodes[id];

	n->longest = fmax(n->end - n->start, fmax(g->nodes[n->left].longest, g->nodes[n->right].longest));
}

/* The first interval that starts after `ready` and is long enough; NONE. */
static uint32_t first_after(const struct gaps *g, uint32_t id, double ready, double length)
{
	while (id != NONE && g->nodes[id].longest >= length) {
		const struct gap *n = &g->nodes[id];
		uint32_t found;

		if (n->start <= ready) {
			id = n->right;
			continue;
		}
		found = first_after(g, n->left, ready, length);
		if (found != NONE)
			return found;
		if (n->end - n->start >= length)
			return id;
		id = n->right;
	}
	return NONE;
}

double gaps_find(const struct gaps *g, int worker, double ready, double length)
{
	uint32_t id = g->root[worker], around = NONE;

	if (ready >= g->last[worker])
		return ready;
	while (id != NONE) { /* the last that starts at `ready` or before */
		around = g->nodes[id].start <= ready ? id : around;
		id = g->nodes[id].start <= ready ? g->nodes[id].right : g->nodes[id].left;
	}
	if (around != NONE && g->nodes[around].end - ready >= length)
		return ready;
	return g->nodes[first_after(g, g->root[worker], ready, length)].start;
}

static void rotate(struct gaps *g, uint32_t *id, int left_up)
{
	uint32_t down = *id, up = left_up ? g->nodes[down].left : g->nodes[down].right;

	if (left_up) {
		g->nodes[down].left = g->nodes[up].right;
		g->nodes[up].right = down;
	} else {
		g->nodes[down].right = g->nodes[up].left;
		g->nodes[up].left = down;
	}
	pull(g, down);
	pull(g, up);
	*id = up;
}

static uint32_t insert(struct gaps *g, uint32_t root, uint32_t id)
{
	int left = g->nodes[id].start < g->nodes[root].start;
	uint32_t child;

	if (root == NONE)
		return id;
	child = insert(g, left ? g->nodes[root].left : g->nodes[root].right, id);
	if (left)
		g->nodes[root].left = child;
	else
		g->nodes[root].right = child;
	pull(g, root);
	if (g->nodes[child].weight > g->nodes[root].weight)
		rotate(g, &root, left);
	return root;
}

/* What the subtrees of a node that goes become. */
static uint32_t merge(struct gaps *g, uint32_t a, uint32_t b)
{
	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	if (g->nodes[a].weight > g->nodes[b].weight) {
		g->nodes[a].right = merge(g, g->nodes[a].right, b);
		pull(g, a);
		return a;
	}
	g->nodes[b].left = merge(g, a, g->nodes[b].left);
	pull(g, b);
	return b;
}

/* Cuts [start, end) out of the interval around it; what is left of it after `end`, if anything, comes back in *rest. */
static uint32_t cut(struct gaps *g, uint32_t id, double start, double end, uint32_t *rest)
{
	struct gap *n = &g->nodes[id];
	uint32_t child;

	if (start < n->start) {
		child = cut(g, n->left, start, end, rest);
		g->nodes[id].left = child;
	} else if (start >= n->end) {
		child = cut(g, n->right, start, end, rest);
		g->nodes[id].right = child;
	} else if (start > n->start) {
		double old_end = n->end;

		n->end = start;
		if (old_end > end)
			*rest = new_gap(g, end, old_end);
	} else if (n->end > end) {
		n->start = end;
	} else {
		return merge(g, n->left, n->right);
	}
	pull(g, id);
	return id;
}

void gaps_take(struct gaps *g, int worker, double start, double length)
{
	double end = start + length;
	uint32_t rest = NONE;

	if (!(length > 0))
		return; /* what takes no time leaves the interval as it is */
	g->root[worker] = cut(g, g->root[worker], start, end, &rest);
	if (rest != NONE)
		g->root[worker] = insert(g, g->root[worker], rest);
	if (end > g->last[worker])
		g->last[worker] = end;
}

static const char *check_tree(const struct gaps *g, uint32_t id, double *end, int *count)
{
	const struct gap *n = &g->nodes[id];
	const char *why;
	double longest;

	if (id == NONE)
		return NULL;
	why = check_tree(g, n->left, end, count);
	if (why)
		return why;
	if (n->start < *end || !(n->end > n->start))
		return "idle intervals overlap, or one is empty";
	*end = n->end;
	++*count;
	longest = fmax(n->end - n->start, fmax(g->nodes[n->left].longest, g->nodes[n->right].longest));
	if (n->longest != longest)
		return "the longest interval of a subtree is wrong";
	if (g->nodes[n->left].weight > n->weight || g->nodes[n->right].weight > n->weight)
		return "the weights of a treap are not a heap";
	return check_tree(g, n->right, end, count);
}

const char *gaps_check(const struct gaps *g)
{
	for (int i = 0; i < g->nworkers; i++) {
		double end = 0;
		int count = 0;
		const char *why = check_tree(g, g->root[i], &end, &count);

		if (why)
			return why;
		if (!count || end != INFINITY)
			return "a worker is not idle for ever after its last task";
	}
	return NULL;
}
