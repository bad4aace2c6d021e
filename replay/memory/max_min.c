/* replay/memory/max_min.c - the rates of simultaneous copies over a shared bus: max-min fair sharing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progressive filling: the copy that is limited first gets its share, and the others share what is left.
 */
#include "replay/memory/max_min.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/bottleneck.h"

/* A bottleneck during max_min_find(). */
struct resource {
	double left;   /* bytes per ns */
	double demand; /* sum of weights of the copies that have no rate yet, by times crossed */
};

struct max_min {
	struct bottlenecks b;
	struct resource *resources;
	double *alone; /* per link: its own width per unit of weight */
};

struct max_min *max_min_create(const struct machine *m)
{
	struct max_min *s = ht_alloc(1, sizeof(*s));

	bottlenecks_init(&s->b, m);
	s->resources = ht_alloc((size_t)s->b.count, sizeof(*s->resources));
	s->alone = ht_alloc((size_t)s->b.nlinks, sizeof(*s->alone));
	for (int i = 0; i < s->b.nlinks; i++)
		s->alone[i] = s->b.links[i].bytes_per_ns / s->b.links[i].weight;
	return s;
}

void max_min_free(struct max_min *s)
{
	if (!s)
		return;
	bottlenecks_fini(&s->b);
	free(s->resources);
	free(s->alone);
	free(s);
}

double max_min_limit(const struct max_min *s, int link)
{
	return s->b.links[link].bytes_per_ns;
}

int64_t max_min_latency_ns(const struct max_min *s, int link)
{
	return s->b.links[link].latency_ns;
}

/* As fmin() and fmax(), which are calls. */
static double lesser(double a, double b)
{
	return b < a ? b : a;
}

static double greater(double a, double b)
{
	return b > a ? b : a;
}

static void give(struct max_min *s, struct bottleneck_link *l, double rate)
{
	for (int k = 0; k < l->ncrossed; k++) {
		struct resource *r = &s->resources[l->crossed[k].bottleneck];

		r->left = greater(0, r->left - rate * l->crossed[k].times);
		r->demand -= l->weight * l->crossed[k].times;
	}
}

/* The rate per unit of weight at which the first of what limits the link (its own width, each bottleneck) is full. */
static double level(const struct max_min *s, int link)
{
	const struct bottleneck_link *l = &s->b.links[link];
	double most = s->alone[link];

	for (int k = 0; k < l->ncrossed; k++) {
		const struct resource *r = &s->resources[l->crossed[k].bottleneck];

		most = lesser(most, r->left / r->demand);
	}
	return most;
}

static void add_demand(struct max_min *s, const int *links, int n)
{
	for (int i = 0; i < n; i++) {
		const struct bottleneck_link *l = &s->b.links[links[i]];

		for (int k = 0; k < l->ncrossed; k++) {
			struct resource *r = &s->resources[l->crossed[k].bottleneck];

			r->left = s->b.bytes_per_ns[l->crossed[k].bottleneck];
			r->demand = 0;
		}
	}
	for (int i = 0; i < n; i++) {
		const struct bottleneck_link *l = &s->b.links[links[i]];

		for (int k = 0; k < l->ncrossed; k++)
			s->resources[l->crossed[k].bottleneck].demand += l->weight * l->crossed[k].times;
	}
}

void max_min_find(struct max_min *s, const int *links, int n, double *rates)
{
	int left = n;

	add_demand(s, links, n);
	for (int i = 0; i < n; i++)
		rates[i] = 0;
	while (left) {
		double least = INFINITY;

		for (int i = 0; i < n; i++) {
			if (!(rates[i] > 0))
				least = lesser(least, level(s, links[i]));
		}
		for (int i = 0; i < n; i++) {
			struct bottleneck_link *l = &s->b.links[links[i]];

			if (rates[i] > 0 || level(s, links[i]) > least * (1 + 1e-12))
				continue;
			rates[i] = greater(1e-12, least * l->weight);
			give(s, l, rates[i]);
			left--;
		}
	}
}
