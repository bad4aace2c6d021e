/* sched/static/gaps.c - when the workers of a static schedule have nothing to do. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/static/gaps.h"

#include <math.h>
#include <stdint.h>
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

/* The child takes the place of its parent; returns it. */
static uint32_t rotate(struct gaps *g, uint32_t down, int left_up)
{
	uint32_t up = left_up ? g->nodes[down].left : g->nodes[down].right;

	if (left_up) {
		g->nodes[down].left = g->nodes[up].right;
		g->nodes[up].right = down;
	} else {
		g->nodes[down].right = g->nodes[up].left;
		g->nodes[up].left = down;
	}
	pull(g, down);
	pull(g, up);
	return up;
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

/* Cuts [start, end) out of the interval around it; what is left of it after `end`, if anything, is a new one. */
static uint32_t cut(struct gaps *g, uint32_t id, double start, double end)
{
	double from = g->nodes[id].start, to = g->nodes[id].end;
	uint32_t left = g->nodes[id].left, right = g->nodes[id].right;

	if (start < from || start >= to) {
		uint32_t child = cut(g, start < from ? left : right, start, end);

		*(start < from ? &g->nodes[id].left : &g->nodes[id].right) = child;
		if (g->nodes[child].weight > g->nodes[id].weight)
			return rotate(g, id, start < from);
	} else if (start > from) {
		g->nodes[id].end = start;
		g->nodes[id].right = NONE;
		if (to > end)
			right = merge(g, new_gap(g, end, to), right);
		pull(g, id);
		return merge(g, id, right);
	} else if (to > end) {
		g->nodes[id].start = end;
	} else {
		return merge(g, left, right);
	}
	pull(g, id);
	return id;
}

void gaps_take(struct gaps *g, int worker, double start, double length)
{
	double end = start + length;

	if (!(length > 0))
		return; /* what takes no time leaves the interval as it is */
	g->root[worker] = cut(g, g->root[worker], start, end);
	if (end > g->last[worker])
		g->last[worker] = end;
}
