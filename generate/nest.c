/* generate/nest.c - a sequence of items as nested loops. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A node, an item or a loop, is a shape and a row of values. Those of an item are its own. Those of a loop are how many
 * iterations it has, the values of the nodes of its body in the first one, and by how much each of them grows from one
 * iteration to the next: a body of w values makes 1 + 2 w. So a loop in a loop, whose length and steps change with the
 * outer one, is treated like an item with more values.
 *
 * Nodes are on a stack, and their values in one array in the same order: those of the nodes of a body are adjacent.
 */
#include "generate/nest.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/intern.h"

enum { MOST_BODY = 256, ITERATIONS = 3 }; /* nodes of a body; iterations that make a loop */

static const uint64_t MOST_STEPS = (uint64_t)1 << 28; /* iterations of all loops of a walk, most of them empty */

struct shape {
	uint32_t key;          /* of an item */
	uint32_t first, nbody; /* of a loop: the shapes of its body, in bodies[]; nbody 0: an item */
	uint32_t width;        /* values */
	uint32_t next;         /* shape + 1 with the same hash; 0: none */
};

struct nest_shapes {
	struct shape *shapes;
	size_t count, cap;
	uint32_t *bodies;
	size_t nbodies, cap_bodies;
	struct idmap by_hash; /* the newest shape of each hash */
};

struct node {
	uint32_t shape;
	size_t first; /* of its values */
	size_t item;  /* its first one */
};

struct nest {
	struct nest_shapes *shapes;
	struct node *nodes;
	size_t count, cap;
	int64_t *values;
	size_t nvalues, cap_values;
	size_t nitems;
};

struct nest_shapes *nest_shapes_create(void)
{
	return ht_alloc(1, sizeof(struct nest_shapes));
}

void nest_shapes_free(struct nest_shapes *s)
{
	if (!s)
		return;
	free(s->shapes);
	free(s->bodies);
	idmap_fini(&s->by_hash);
	free(s);
}

struct nest *nest_create(struct nest_shapes *s)
{
	struct nest *n = ht_alloc(1, sizeof(*n));

	n->shapes = s;
	return n;
}

void nest_free(struct nest *n)
{
	if (!n)
		return;
	free(n->nodes);
	free(n->values);
	free(n);
}

static const struct shape *shape_at(const struct nest *n, size_t node)
{
	return &n->shapes->shapes[n->nodes[node].shape];
}

/* The shape of an item, or of a loop over the last `nbody` of the given nodes. */
static uint32_t find_shape(struct nest_shapes *s, const struct shape *like, const struct node *body)
{
	uint64_t hash = hash64(HASH64_START, &like->key, sizeof(like->key));
	uint32_t newest;
	struct shape *made;

	hash = hash64(hash, &like->width, sizeof(like->width));
	for (uint32_t i = 0; i < like->nbody; i++)
		hash = hash64(hash, &body[i].shape, sizeof(body[i].shape));
	newest = idmap_get(&s->by_hash, hash);
	for (uint32_t i = newest == IDMAP_NONE ? 0 : newest + 1; i; i = s->shapes[i - 1].next) {
		const struct shape *x = &s->shapes[i - 1];
		uint32_t k = 0;

		if (x->key != like->key || x->nbody != like->nbody || x->width != like->width)
			continue;
		while (k < x->nbody && s->bodies[x->first + k] == body[k].shape)
			k++;
		if (k == x->nbody)
			return i - 1;
	}
	made = VEC_PUSH(s->shapes, s->count, s->cap);
	*made = *like;
	made->first = (uint32_t)s->nbodies;
	made->next = newest == IDMAP_NONE ? 0 : newest + 1;
	for (uint32_t i = 0; i < like->nbody; i++)
		*VEC_PUSH(s->bodies, s->nbodies, s->cap_bodies) = body[i].shape;
	idmap_put(&s->by_hash, hash, (uint32_t)(s->count - 1));
	return (uint32_t)(s->count - 1);
}

/* Whether `count` nodes from `a` on have the shapes of those from `b` on. */
static int same_shapes(const struct nest *n, size_t a, size_t b, size_t count)
{
	for (size_t i = count; i-- > 0;)
		if (n->nodes[a + i].shape != n->nodes[b + i].shape)
			return 0;
	return 1;
}

static void pop(struct nest *n, size_t nodes)
{
	n->count -= nodes;
	n->nvalues = n->nodes[n->count].first;
}

/* The last `body` nodes are one more iteration of the node before them, a loop: 1, and they are part of it. */
static int extend(struct nest *n, size_t body)
{
	size_t loop = n->count - body - 1, width = n->nvalues - n->nodes[n->count - body].first;
	const struct shape *shape;
	int64_t *values;
	const int64_t *more;

	shape = shape_at(n, loop);
	if (shape->nbody != body)
		return 0;
	for (size_t i = body; i-- > 0;)
		if (n->shapes->bodies[shape->first + i] != n->nodes[loop + 1 + i].shape)
			return 0;
	values = n->values + n->nodes[loop].first;
	more = n->values + n->nodes[loop + 1].first;
	for (size_t i = 0; i < width; i++)
		if (more[i] != values[1 + i] + values[0] * values[1 + width + i])
			return 0;
	values[0]++;
	pop(n, body);
	return 1;
}

/* The last nodes are three iterations of a loop over `body` nodes: 1, and they are that loop. */
static int form(struct nest *n, size_t body)
{
	size_t first = n->count - ITERATIONS * body, width = n->nvalues - n->nodes[n->count - body].first;
	struct shape like = {.nbody = (uint32_t)body};
	int64_t *v;

	if (!same_shapes(n, first + body, first + 2 * body, body) || !same_shapes(n, first, first + body, body))
		return 0;
	v = n->values + n->nodes[first].first;
	for (size_t i = 0; i < width; i++)
		if (v[2 * width + i] - v[width + i] != v[width + i] - v[i])
			return 0;
	if (1 + 2 * width > UINT16_MAX)
		return 0;
	like.width = (uint32_t)(1 + 2 * width);
	n->nodes[first].shape = find_shape(n->shapes, &like, n->nodes + first);
	while (n->nvalues < n->nodes[first].first + like.width)
		*VEC_PUSH(n->values, n->nvalues, n->cap_values) = 0;
	v = n->values + n->nodes[first].first;
	for (size_t i = 0; i < width; i++)
		v[width + i] -= v[i];
	memmove(v + 1, v, 2 * width * sizeof(*v));
	v[0] = ITERATIONS;
	n->count = first + 1;
	n->nvalues = n->nodes[first].first + like.width;
	return 1;
}

/* 1 where the last nodes have become part of a loop. */
static int reduce(struct nest *n)
{
	size_t most = n->count < MOST_BODY ? n->count : MOST_BODY;

	for (size_t body = 1; body < most; body++)
		if (extend(n, body))
			return 1;
	for (size_t body = 1; body <= most / ITERATIONS; body++)
		if (form(n, body))
			return 1;
	return 0;
}

void nest_add(struct nest *n, uint32_t key, const int64_t *values, uint32_t nvalues)
{
	const struct shape like = {.key = key, .width = nvalues};

	*VEC_PUSH(n->nodes, n->count, n->cap) = (struct node){find_shape(n->shapes, &like, NULL), n->nvalues,
	                                                      n->nitems++};
	for (uint32_t i = 0; i < nvalues; i++)
		*VEC_PUSH(n->values, n->nvalues, n->cap_values) = values[i];
	while (reduce(n))
		;
}

/* The value at `at` of the line through (at_a, a) and (at_b, b); -1: it is not whole, or too large. */
static int on_line(int64_t a, int64_t at_a, int64_t b, int64_t at_b, int64_t at, int64_t *value)
{
	int64_t rise;

	if (__builtin_mul_overflow(b - a, at - at_a, &rise) || rise % (at_b - at_a))
		return -1;
	*value = a + rise / (at_b - at_a);
	return *value < -NEST_MOST || *value > NEST_MOST ? -1 : 0;
}

struct nest *nest_between(const struct nest *a, int64_t at_a, const struct nest *b, int64_t at_b, int64_t at,
                          size_t *item, struct ht_err *err)
{
	struct nest *n;
	size_t most = a->count < b->count ? a->count : b->count;

	for (size_t i = 0; i < most || a->count != b->count; i++) {
		if (i < most && a->nodes[i].shape == b->nodes[i].shape)
			continue;
		*item = i < b->count ? b->nodes[i].item : b->nitems;
		ht_err_set(err, "the loops are not the same");
		return NULL;
	}
	n = nest_create(b->shapes);
	n->nitems = b->nitems;
	for (size_t i = 0; i < b->count; i++)
		*VEC_PUSH(n->nodes, n->count, n->cap) = b->nodes[i];
	for (size_t i = 0; i < b->nvalues; i++) {
		int64_t *value = VEC_PUSH(n->values, n->nvalues, n->cap_values);
		size_t node = 0;

		if (on_line(a->values[i], at_a, b->values[i], at_b, at, value) == 0)
			continue;
		while (node + 1 < b->count && b->nodes[node + 1].first <= i)
			node++;
		*item = b->nodes[node].item;
		ht_err_set(err, "a value is not whole");
		nest_free(n);
		return NULL;
	}
	return n;
}

int nest_equal(const struct nest *a, const struct nest *b)
{
	if (a->count != b->count || a->nvalues != b->nvalues)
		return 0;
	for (size_t i = 0; i < a->count; i++)
		if (a->nodes[i].shape != b->nodes[i].shape)
			return 0;
	return !a->nvalues || !memcmp(a->values, b->values, a->nvalues * sizeof(*a->values));
}

struct walk {
	const struct nest *n;
	nest_visitor *visit;
	void *ctx;
	uint64_t steps;
};

static int walk_shape(struct walk *w, uint32_t shape, const int64_t *values, struct ht_err *err);

static int walk_loop(struct walk *w, const struct shape *s, const int64_t *values, struct ht_err *err)
{
	size_t width = (s->width - 1) / 2;
	int64_t *body = ht_alloc(width, sizeof(*body));
	int rc = values[0] < 0 ? ht_err_set(err, "a loop would have %lld iterations", (long long)values[0]) : 0;

	for (int64_t k = 0; k < values[0] && rc == 0; k++) {
		const int64_t *at = body;

		for (size_t i = 0; i < width; i++) {
			int64_t grown;

			if (__builtin_mul_overflow(k, values[1 + width + i], &grown) ||
			    __builtin_add_overflow(values[1 + i], grown, &body[i])) {
				rc = ht_err_set(err, "a loop whose values are above 2^63");
				goto out;
			}
		}
		if (++w->steps > MOST_STEPS) {
			rc = ht_err_set(err, "loops of more than %llu iterations", (unsigned long long)MOST_STEPS);
			goto out;
		}
		for (uint32_t i = 0; i < s->nbody && rc == 0; i++) {
			uint32_t shape = w->n->shapes->bodies[s->first + i];

			rc = walk_shape(w, shape, at, err);
			at += w->n->shapes->shapes[shape].width;
		}
	}
out:
	free(body);
	return rc;
}

static int walk_shape(struct walk *w, uint32_t shape, const int64_t *values, struct ht_err *err)
{
	const struct shape *s = &w->n->shapes->shapes[shape];

	return s->nbody ? walk_loop(w, s, values, err) : w->visit(w->ctx, s->key, values, s->width, err);
}

int nest_walk(const struct nest *n, nest_visitor *visit, void *ctx, struct ht_err *err)
{
	struct walk w = {.n = n, .visit = visit, .ctx = ctx};
	int rc = 0;

	for (size_t i = 0; i < n->count && rc == 0; i++)
		rc = walk_shape(&w, n->nodes[i].shape, n->values + n->nodes[i].first, err);
	return rc;
}

static int count_item(void *ctx, uint32_t key, const int64_t *values, uint32_t nvalues, struct ht_err *err)
{
	(void)key, (void)values, (void)nvalues, (void)err;
	++*(size_t *)ctx;
	return 0;
}

struct nest_loop nest_leading_loop(const struct nest *n)
{
	const struct shape *s = n->count ? shape_at(n, 0) : NULL;
	struct nest_loop l = {.all = n->nitems};
	struct walk w = {.n = n, .visit = count_item, .ctx = &l.first};
	struct ht_err err = {0};
	const int64_t *at;

	if (!s || !s->nbody)
		return l;
	at = n->values + n->nodes[0].first;
	l.iterations = *at++;
	l.items = n->count > 1 ? n->nodes[1].item : n->nitems;
	for (uint32_t i = 0; i < s->nbody; i++) {
		uint32_t shape = n->shapes->bodies[s->first + i];

		walk_shape(&w, shape, at, &err); /* which these items have made: it cannot fail */
		at += n->shapes->shapes[shape].width;
	}
	return l;
}
