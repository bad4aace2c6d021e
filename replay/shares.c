/* replay/shares.c - what each of several copies at once gets of a bus that they share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What several links cross is a resource; a segment that only one link crosses is part of its limit, and one that all
 * its links together cannot fill is none. Shares are weighted max-min fair: whoever is limited first gets his share,
 * and the others share the rest.
 */
#include "replay/shares.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/machine.h"

/* A link crosses a resource, so many times. */
struct crossing {
	int resource;
	int times;
};

struct resource {
	double limit;        /* bytes per ns */
	double left, demand; /* while shares are found: of those that have none yet, at one unit of weight */
};

struct link {
	double limit;        /* bytes per ns */
	double weight;
	int64_t latency_ns;
	struct crossing *crossed;
	int ncrossed;
};

struct shares {
	const struct machine *m;
	struct link *links;
	struct resource *resources;
	int nresources;
};

static int is_host(const struct machine *m, int node)
{
	return m->nodes[node].arch == ARCH_CPU;
}

static void cross(struct link *l, int resource)
{
	for (int i = 0; i < l->ncrossed; i++) {
		if (l->crossed[i].resource == resource) {
			l->crossed[i].times++;
			return;
		}
	}
	l->crossed[l->ncrossed++] = (struct crossing){ .resource = resource, .times = 1 };
}

/* Without routes: all links to and from devices share the host's. */
static void share_host(struct shares *s)
{
	const struct machine *m = s->m;

	s->resources = ht_alloc(1, sizeof(*s->resources));
	s->nresources = 1;
	s->resources[0].limit = machine_host_bytes_per_s(m) * 1e-9;
	for (int i = 0; i < m->nlinks; i++) {
		s->links[i].crossed = ht_alloc(1, sizeof(struct crossing));
		if (!is_host(m, m->links[i].from) || !is_host(m, m->links[i].to))
			cross(&s->links[i], 0);
	}
}

/* With them: each link takes what its own segments let through, over what it shares. */
static void share_segments(struct shares *s)
{
	const struct machine *m = s->m;
	int *users = ht_alloc((size_t)m->nsegments, sizeof(*users));
	int *last = ht_alloc((size_t)m->nsegments, sizeof(*last));

	s->resources = ht_alloc((size_t)m->nsegments, sizeof(*s->resources));
	s->nresources = m->nsegments;
	for (int i = 0; i < m->nsegments; i++)
		s->resources[i].limit = m->segments[i].bytes_per_s * 1e-9;
	for (int i = 0; i < m->nlinks; i++) {
		const struct machine_link *l = &m->links[i];

		s->links[i].crossed = ht_alloc((size_t)l->ncrossings, sizeof(struct crossing));
		for (int k = 0; k < l->ncrossings; k++) {
			int segment = m->crossings[l->first_crossing + k];

			cross(&s->links[i], segment);
			users[segment] += last[segment] != i + 1;
			last[segment] = i + 1;
		}
	}
	for (int i = 0; i < m->nlinks; i++) {
		struct link *l = &s->links[i];
		int64_t latency_ns = 0;

		if (!m->links[i].ncrossings)
			continue;
		l->limit = INFINITY;
		for (int k = 0; k < l->ncrossed; k++) {
			struct crossing c = l->crossed[k];

			latency_ns += c.times * m->segments[c.resource].latency_ns;
			l->limit = fmin(l->limit, s->resources[c.resource].limit / c.times);
			if (users[c.resource] < 2)
				l->crossed[k--] = l->crossed[--l->ncrossed];
		}
		if (latency_ns)
			l->latency_ns = latency_ns;
		l->weight = 1.0 / (double)(l->latency_ns ? l->latency_ns : 1);
	}
	free(users);
	free(last);
}

/* What all that cross it cannot fill is no resource to share. */
static void drop_wide_resources(struct shares *s)
{
	for (int r = 0; r < s->nresources; r++) {
		double most = 0;

		for (int pass = 0; pass < 2; pass++) {
			for (int i = 0; i < s->m->nlinks; i++) {
				struct link *l = &s->links[i];

				for (int k = 0; k < l->ncrossed; k++) {
					if (l->crossed[k].resource != r)
						continue;
					most += pass ? 0 : l->limit * l->crossed[k].times;
					if (pass && most <= s->resources[r].limit)
						l->crossed[k--] = l->crossed[--l->ncrossed];
				}
			}
		}
	}
}

struct shares *shares_create(const struct machine *m)
{
	struct shares *s = ht_alloc(1, sizeof(*s));
	int routes = 0;

	s->m = m;
	s->links = ht_alloc((size_t)m->nlinks, sizeof(*s->links));
	for (int i = 0; i < m->nlinks; i++) {
		s->links[i] = (struct link){ .limit = m->links[i].bytes_per_s * 1e-9, .weight = 1,
		                             .latency_ns = m->links[i].latency_ns };
		routes += m->links[i].ncrossings;
	}
	if (routes)
		share_segments(s);
	else
		share_host(s);
	drop_wide_resources(s);
	return s;
}

void shares_free(struct shares *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->m->nlinks; i++)
		free(s->links[i].crossed);
	free(s->links);
	free(s->resources);
	free(s);
}

double shares_limit(const struct shares *s, int link)
{
	return s->links[link].limit;
}

int64_t shares_latency_ns(const struct shares *s, int link)
{
	return s->links[link].latency_ns;
}

static void give(struct shares *s, struct link *l, double rate)
{
	for (int k = 0; k < l->ncrossed; k++) {
		struct resource *r = &s->resources[l->crossed[k].resource];

		r->left = fmax(r->left - rate * l->crossed[k].times, 0);
		r->demand -= l->weight * l->crossed[k].times;
	}
}

/* The rate a unit of weight gets where the link is limited first: by itself, or by something it shares. */
static double level(const struct shares *s, const struct link *l)
{
	double most = l->limit / l->weight;

	for (int k = 0; k < l->ncrossed; k++) {
		const struct resource *r = &s->resources[l->crossed[k].resource];

		most = fmin(most, r->left / r->demand);
	}
	return most;
}

static void add_demand(struct shares *s, const int *links, int n)
{
	for (int i = 0; i < n; i++) {
		const struct link *l = &s->links[links[i]];

		for (int k = 0; k < l->ncrossed; k++) {
			struct resource *r = &s->resources[l->crossed[k].resource];

			r->left = r->limit;
			r->demand = 0;
		}
	}
	for (int i = 0; i < n; i++) {
		const struct link *l = &s->links[links[i]];

		for (int k = 0; k < l->ncrossed; k++)
			s->resources[l->crossed[k].resource].demand += l->weight * l->crossed[k].times;
	}
}

void shares_find(struct shares *s, const int *links, int n, double *rates)
{
	int left = n;

	add_demand(s, links, n);
	for (int i = 0; i < n; i++)
		rates[i] = 0;
	while (left) {
		double least = INFINITY;

		for (int i = 0; i < n; i++) {
			if (!(rates[i] > 0))
				least = fmin(least, level(s, &s->links[links[i]]));
		}
		for (int i = 0; i < n; i++) {
			struct link *l = &s->links[links[i]];

			if (rates[i] > 0 || level(s, l) > least * (1 + 1e-12))
				continue;
			rates[i] = fmax(least * l->weight, 1e-12);
			give(s, l, rates[i]);
			left--;
		}
	}
}
