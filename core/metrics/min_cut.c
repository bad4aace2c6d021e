/* core/metrics/min_cut.c - the cheapest way to put the nodes of a graph on two sides. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The source and the sink have no nodes: what a node costs more on side 1 is what it gets from the source, and what it
 * costs more on side 0 is what the sink takes from it. An arc is two halves, one at each of its nodes.
 */
#include "core/metrics/min_cut.h"

#include <stdlib.h>

#include "core/base/alloc.h"

#define FAR UINT32_MAX

struct half {
	uint32_t to, back; /* the node at the other end, and the half there */
	int64_t left;      /* what may still flow this way */
};

struct min_cut {
	uint32_t nnodes, narcs;
	uint32_t *first; /* of the halves of each node, and their end */
	struct half *halves;
	uint32_t *half_of; /* per arc: that of its first node */
	int64_t *supply;   /* per node: > 0: left at the source, < 0: left at the sink */
	uint32_t *level;   /* hops to the sink; FAR: none leads there */
	uint32_t *next;    /* the half that the search goes on with */
	uint32_t *queue;
	uint32_t *path; /* halves */
	uint64_t steps; /* halves looked at */
};

struct min_cut *min_cut_create(uint32_t nnodes, const struct min_cut_arc *arcs, uint32_t narcs)
{
	struct min_cut *c = ht_alloc(1, sizeof(*c));
	uint32_t *fill = ht_alloc(nnodes, sizeof(*fill));

	c->nnodes = nnodes;
	c->narcs = narcs;
	c->first = ht_alloc((size_t)nnodes + 1, sizeof(*c->first));
	c->halves = ht_alloc(2 * (size_t)narcs, sizeof(*c->halves));
	c->half_of = ht_alloc(narcs, sizeof(*c->half_of));
	c->supply = ht_alloc(nnodes, sizeof(*c->supply));
	c->level = ht_alloc(nnodes, sizeof(*c->level));
	c->next = ht_alloc(nnodes, sizeof(*c->next));
	c->queue = ht_alloc(nnodes, sizeof(*c->queue));
	c->path = ht_alloc((size_t)nnodes + 1, sizeof(*c->path));
	for (uint32_t i = 0; i < narcs; i++) {
		c->first[arcs[i].from + 1]++;
		c->first[arcs[i].to + 1]++;
	}
	for (uint32_t v = 0; v < nnodes; v++) {
		c->first[v + 1] += c->first[v];
		fill[v] = c->first[v];
	}
	for (uint32_t i = 0; i < narcs; i++) {
		uint32_t a = fill[arcs[i].from]++, b = fill[arcs[i].to]++;

		c->halves[a] = (struct half){.to = arcs[i].to, .back = b};
		c->halves[b] = (struct half){.to = arcs[i].from, .back = a};
		c->half_of[i] = a;
	}
	free(fill);
	return c;
}

void min_cut_free(struct min_cut *c)
{
	if (!c)
		return;
	free(c->first);
	free(c->halves);
	free(c->half_of);
	free(c->supply);
	free(c->level);
	free(c->next);
	free(c->queue);
	free(c->path);
	free(c);
}

/* Returns 0 when no path leads from the source to the sink. */
static int find_levels(struct min_cut *c)
{
	uint32_t n = 0;
	int found = 0;

	for (uint32_t v = 0; v < c->nnodes; v++) {
		c->next[v] = c->first[v];
		c->level[v] = c->supply[v] < 0 ? 0 : FAR;
		if (c->supply[v] < 0)
			c->queue[n++] = v;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = c->queue[i];

		found |= c->supply[v] > 0;
		c->steps += 1 + c->first[v + 1] - c->first[v];
		for (uint32_t h = c->first[v]; h < c->first[v + 1]; h++) {
			uint32_t u = c->halves[h].to;

			if (c->level[u] != FAR || !c->halves[c->halves[h].back].left)
				continue;
			c->level[u] = c->level[v] + 1;
			c->queue[n++] = u;
		}
	}
	return found;
}

/* The path from `v`, of n halves, ends at a node that the sink takes something from. Returns how many of them stay. */
static uint32_t augment(struct min_cut *c, uint32_t v, uint32_t n, uint32_t end)
{
	int64_t flow = c->supply[v] < -c->supply[end] ? c->supply[v] : -c->supply[end];
	uint32_t stay = n;

	for (uint32_t i = 0; i < n; i++)
		flow = c->halves[c->path[i]].left < flow ? c->halves[c->path[i]].left : flow;
	for (uint32_t i = n; i-- > 0;) {
		struct half *h = &c->halves[c->path[i]];

		h->left -= flow;
		c->halves[h->back].left += flow;
		if (!h->left)
			stay = i;
	}
	c->supply[v] -= flow;
	c->supply[end] += flow;
	return stay;
}

/* Whether the half leads one hop nearer to the sink. */
static int leads_on(const struct min_cut *c, uint32_t v, uint32_t half)
{
	return c->halves[half].left && c->level[c->halves[half].to] != FAR &&
	       c->level[c->halves[half].to] + 1 == c->level[v];
}

/* Lets flow as much as the levels allow from the source into `from`. */
static void push(struct min_cut *c, uint32_t from)
{
	uint32_t n = 0, v = from;

	while (c->supply[from] > 0) {
		if (c->supply[v] < 0) {
			n = augment(c, from, n, v);
			v = n ? c->halves[c->path[n - 1]].to : from;
			continue;
		}
		c->steps -= c->next[v];
		while (c->next[v] < c->first[v + 1] && !leads_on(c, v, c->next[v]))
			c->next[v]++;
		c->steps += c->next[v] + 1;
		if (c->next[v] < c->first[v + 1]) {
			c->path[n++] = c->next[v];
			v = c->halves[c->next[v]].to;
		} else if (n) {
			n--;
			v = c->halves[c->halves[c->path[n]].back].to;
			c->next[v]++;
		} else {
			return;
		}
	}
}

uint64_t min_cut_steps(const struct min_cut *c)
{
	return c->steps;
}

int64_t min_cut_find(struct min_cut *c, const int64_t (*costs)[2], const int64_t (*prices)[2], uint8_t *sides)
{
	int64_t value = 0;

	for (uint32_t i = 0; i < c->narcs; i++) {
		struct half *h = &c->halves[c->half_of[i]];

		h->left = prices[i][0];
		c->halves[h->back].left = prices[i][1];
	}
	for (uint32_t v = 0; v < c->nnodes; v++)
		c->supply[v] = costs[v][1] - costs[v][0];
	while (find_levels(c))
		for (uint32_t v = 0; v < c->nnodes; v++)
			if (c->supply[v] > 0 && c->level[v] != FAR)
				push(c, v);
	/* What can still reach the sink is on its side, which costs as little as the source's. */
	for (uint32_t v = 0; v < c->nnodes; v++) {
		sides[v] = c->level[v] != FAR;
		value += costs[v][sides[v]];
	}
	for (uint32_t i = 0; i < c->narcs; i++) {
		const struct half *h = &c->halves[c->half_of[i]];
		uint8_t from = sides[c->halves[h->back].to], to = sides[h->to];

		value += from == to ? 0 : prices[i][from];
	}
	return value;
}
