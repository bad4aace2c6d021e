/* tune/settings/costs_make.c - the costs in a config: what tasks take of which StarPU has no model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/costs_make.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/dag/dag.h"

/* Of the tasks of a codelet, of one footprint or of all. */
struct sum {
	struct config_cost cost;                  /* its ns are set at the end */
	double ns[ARCH_COUNT], tasks[ARCH_COUNT]; /* of those tasks of which it is known what they take there */
	double count;                             /* of all tasks */
};

struct sums {
	struct sum *items;
	size_t n, cap;
};

static void add(struct sums *s, const struct config_cost *key, const struct dag_class *class)
{
	struct sum *x = VEC_PUSH(s->items, s->n, s->cap);

	*x = (struct sum){.cost = *key, .count = class->count};
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (class->cost_ns[a] <= 0)
			continue;
		x->tasks[a] = class->count;
		x->ns[a] = (double)class->cost_ns[a] * class->count;
	}
}

/* That of tasks that took no time is none. */
static int has_cost(const struct dag_class *class)
{
	for (int a = 0; a < ARCH_COUNT; a++)
		if (class->cost_ns[a] > 0)
			return 1;
	return 0;
}

static void add_graph(struct sums *s, const struct dag *d)
{
	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_class *class = &d->classes[i];
		const struct dag_type *type = &d->types[class->codelet];
		struct config_cost key = {.codelet = type->codelet, .model = type->model};

		if (!type->has_no_model || !class->count || (!*type->codelet && !*type->model) || !has_cost(class))
			continue;
		add(s, &key, class);
		key.has_footprint = 1;
		key.footprint = class->footprint;
		add(s, &key, class);
	}
}

static int by_key(const void *a, const void *b)
{
	return config_costs_order(&((const struct sum *)a)->cost, &((const struct sum *)b)->cost);
}

/* Those without a footprint first, then by the number of tasks. */
static int by_count(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;
	int order = x->cost.has_footprint - y->cost.has_footprint;

	if (!order)
		order = (x->count < y->count) - (x->count > y->count);
	return order ? order : by_key(a, b);
}

/* One of each key; `s` is sorted by it. */
static void join(struct sums *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (n == 0 || by_key(&s->items[n - 1], &s->items[i]) != 0) {
			s->items[n++] = s->items[i];
			continue;
		}
		s->items[n - 1].count += s->items[i].count;
		for (int a = 0; a < ARCH_COUNT; a++) {
			s->items[n - 1].ns[a] += s->items[i].ns[a];
			s->items[n - 1].tasks[a] += s->items[i].tasks[a];
		}
	}
	s->n = n;
}

/* If a codelet has one footprint, the sum of all its tasks says the same; `s` is sorted by key. */
static void drop_only_footprints(struct sums *s)
{
	double all = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!s->items[i].cost.has_footprint)
			all = s->items[i].count;
		if (!s->items[i].cost.has_footprint || s->items[i].count < all)
			s->items[n++] = s->items[i];
	}
	s->n = n;
}

static const char *copy(struct config *c, const char *text)
{
	return arena_strndup(c->arena, text, strlen(text));
}

void costs_make(struct config *c, const struct dag *const *graphs, int n)
{
	struct sums s = {0};

	for (int i = 0; i < n; i++)
		add_graph(&s, graphs[i]);
	if (!s.n)
		return;
	qsort(s.items, s.n, sizeof(*s.items), by_key);
	join(&s);
	drop_only_footprints(&s);
	qsort(s.items, s.n, sizeof(*s.items), by_count);
	c->ncosts = s.n < COSTS_MOST ? s.n : COSTS_MOST;
	c->costs = arena_alloc(c->arena, c->ncosts, sizeof(*c->costs));
	for (size_t i = 0; i < c->ncosts; i++) {
		const struct sum *x = &s.items[i];

		c->costs[i] = x->cost;
		c->costs[i].codelet = copy(c, x->cost.codelet);
		c->costs[i].model = copy(c, x->cost.model);
		for (int a = 0; a < ARCH_COUNT; a++)
			c->costs[i].ns[a] = x->tasks[a] > 0 ? (int64_t)(x->ns[a] / x->tasks[a]) : 0;
	}
	config_costs_sort(c->costs, c->ncosts);
	free(s.items);
}
