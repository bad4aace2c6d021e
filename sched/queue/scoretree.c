/* sched/queue/scoretree.c - tasks with a score in classes with a length, and the best of the shorter classes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/scoretree.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/mix.h"

void scoretree_init(struct scoretree *t, int ngroups)
{
	*t = (struct scoretree){.roots = ht_alloc((size_t)ngroups, sizeof(*t->roots))};
	for (int g = 0; g < ngroups; g++)
		t->roots[g] = SCORETREE_NONE;
}

void scoretree_fini(struct scoretree *t)
{
	for (size_t c = 0; c < t->cap_heaps; c++)
		scoreheap_fini(&t->heaps[c]);
	free(t->heaps);
	free(t->nodes);
	free(t->roots);
}

uint32_t scoretree_better(const struct scoretree *t, uint32_t a, uint32_t b)
{
	const struct scoreheap_item *x, *y;

	if (a == SCORETREE_NONE || b == SCORETREE_NONE)
		return a == SCORETREE_NONE ? b : a;
	x = t->heaps[a].items;
	y = t->heaps[b].items;
	if (x->score != y->score)
		return x->score > y->score ? a : b;
	return x->number < y->number ? a : b;
}

/* The order of the classes in a group. */
static int is_before(const struct scoretree *t, uint32_t a, uint32_t b)
{
	double x = t->nodes[a].length, y = t->nodes[b].length;

	return x != y ? x < y : a < b;
}

/* No child is higher than its parent: random heights make a balanced tree. */
static uint64_t height(uint32_t class_id)
{
	return mix64((class_id + UINT64_C(1)) * MIX_GAMMA);
}

static uint32_t best_of(const struct scoretree *t, uint32_t node)
{
	return node == SCORETREE_NONE ? SCORETREE_NONE : t->nodes[node].best;
}

static void update_node(struct scoretree *t, uint32_t node)
{
	struct scoretree_node *n = &t->nodes[node];
	uint32_t own = t->heaps[node].count ? node : SCORETREE_NONE;

	n->best = scoretree_better(t, own, scoretree_better(t, best_of(t, n->left), best_of(t, n->right)));
}

static uint32_t *child_towards(struct scoretree *t, uint32_t node, uint32_t class_id)
{
	return is_before(t, class_id, node) ? &t->nodes[node].left : &t->nodes[node].right;
}

/* The tasks of a class have changed, which is in the subtree. */
static void update(struct scoretree *t, uint32_t node, uint32_t class_id)
{
	if (node != class_id)
		update(t, *child_towards(t, node, class_id), class_id);
	update_node(t, node);
}

/* What of the subtree is before and after a class that is not in it. */
static void split(struct scoretree *t, uint32_t node, uint32_t class_id, uint32_t *before, uint32_t *after)
{
	if (node == SCORETREE_NONE) {
		*before = *after = SCORETREE_NONE;
		return;
	}
	if (is_before(t, node, class_id)) {
		*before = node;
		split(t, t->nodes[node].right, class_id, &t->nodes[node].right, after);
	} else {
		*after = node;
		split(t, t->nodes[node].left, class_id, before, &t->nodes[node].left);
	}
	update_node(t, node);
}

static void insert(struct scoretree *t, uint32_t *root, uint32_t class_id)
{
	uint32_t top = *root;

	if (top == SCORETREE_NONE || height(class_id) > height(top)) {
		split(t, top, class_id, &t->nodes[class_id].left, &t->nodes[class_id].right);
		*root = top = class_id;
	} else {
		insert(t, child_towards(t, top, class_id), class_id);
	}
	update_node(t, top);
}

/* All of `a` is before all of `b`. */
static uint32_t join(struct scoretree *t, uint32_t a, uint32_t b)
{
	uint32_t top;

	if (a == SCORETREE_NONE || b == SCORETREE_NONE)
		return a == SCORETREE_NONE ? b : a;
	if (height(a) > height(b)) {
		t->nodes[a].right = join(t, t->nodes[a].right, b);
		top = a;
	} else {
		t->nodes[b].left = join(t, a, t->nodes[b].left);
		top = b;
	}
	update_node(t, top);
	return top;
}

static void take_out(struct scoretree *t, uint32_t *root, uint32_t class_id)
{
	if (*root == class_id) {
		*root = join(t, t->nodes[class_id].left, t->nodes[class_id].right);
		return;
	}
	take_out(t, child_towards(t, *root, class_id), class_id);
	update_node(t, *root);
}

void scoretree_place(struct scoretree *t, uint32_t class_id, int group, double length)
{
	struct scoretree_node *n;

	VEC_FIT(t->heaps, t->cap_heaps, class_id);
	VEC_FIT(t->nodes, t->cap_nodes, class_id);
	n = &t->nodes[class_id];
	if (n->group)
		take_out(t, &t->roots[n->group - 1], class_id);
	*n = (struct scoretree_node){.length = length, .group = group + 1};
	insert(t, &t->roots[group], class_id);
}

static void changed(struct scoretree *t, uint32_t class_id)
{
	update(t, t->roots[t->nodes[class_id].group - 1], class_id);
}

void scoretree_put(struct scoretree *t, uint32_t class_id, double score, int64_t number, uint32_t task)
{
	t->heaps[class_id].put = number;
	scoreheap_put(&t->heaps[class_id], score, task);
	changed(t, class_id);
}

uint32_t scoretree_best(const struct scoretree *t, int group, double below)
{
	uint32_t best = SCORETREE_NONE, node = t->roots[group];

	while (node != SCORETREE_NONE && t->nodes[node].best != SCORETREE_NONE) {
		const struct scoretree_node *n = &t->nodes[node];

		if (!(n->length < below)) {
			node = n->left;
			continue;
		}
		if (t->heaps[node].count)
			best = scoretree_better(t, best, node);
		best = scoretree_better(t, best, best_of(t, n->left));
		node = n->right;
	}
	return best;
}

void scoretree_filter(struct scoretree *t, uint32_t class_id,
                      int (*keep)(const void *arg, const struct scoreheap_item *x), const void *arg)
{
	scoreheap_filter(&t->heaps[class_id], keep, arg);
	changed(t, class_id);
}

uint32_t scoretree_take(struct scoretree *t, uint32_t class_id)
{
	uint32_t task = scoreheap_take(&t->heaps[class_id]);

	changed(t, class_id);
	return task;
}
