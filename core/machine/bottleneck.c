/* core/machine/bottleneck.c - what the links of a machine let through, and what several of them share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/bottleneck.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"

static int is_host(const struct machine *m, int node)
{
	return m->nodes[node].arch == ARCH_CPU;
}

static void cross(struct bottleneck_link *l, int bottleneck)
{
	for (int i = 0; i < l->ncrossed; i++) {
		if (l->crossed[i].bottleneck == bottleneck) {
			l->crossed[i].times++;
			return;
		}
	}
	l->crossed[l->ncrossed++] = (struct bottleneck_crossing){.bottleneck = bottleneck, .times = 1};
}

/* With them: each link takes what its own segments let through, over what it shares. */
static void share_segments(struct bottlenecks *b, const struct machine *m)
{
	int *users = ht_alloc((size_t)m->nsegments, sizeof(*users));
	int *last = ht_alloc((size_t)m->nsegments, sizeof(*last));

	b->bytes_per_ns = ht_alloc((size_t)m->nsegments, sizeof(*b->bytes_per_ns));
	b->count = m->nsegments;
	for (int i = 0; i < m->nsegments; i++)
		b->bytes_per_ns[i] = m->segments[i].bytes_per_s * 1e-9;
	for (int i = 0; i < m->nlinks; i++) {
		const struct machine_link *l = &m->links[i];

		b->links[i].crossed = ht_alloc((size_t)l->ncrossings, sizeof(struct bottleneck_crossing));
		for (int k = 0; k < l->ncrossings; k++) {
			int segment = m->crossings[l->first_crossing + k];

			cross(&b->links[i], segment);
			users[segment] += last[segment] != i + 1;
			last[segment] = i + 1;
		}
	}
	for (int i = 0; i < m->nlinks; i++) {
		struct bottleneck_link *l = &b->links[i];
		int64_t latency_ns = 0;

		if (!m->links[i].ncrossings)
			continue;
		l->bytes_per_ns = INFINITY;
		for (int k = 0; k < l->ncrossed; k++) {
			struct bottleneck_crossing c = l->crossed[k];

			latency_ns += c.times * m->segments[c.bottleneck].latency_ns;
			l->bytes_per_ns = fmin(l->bytes_per_ns, b->bytes_per_ns[c.bottleneck] / c.times);
			if (users[c.bottleneck] < 2)
				l->crossed[k--] = l->crossed[--l->ncrossed];
		}
		if (latency_ns)
			l->latency_ns = latency_ns;
		l->weight = 1.0 / (double)(l->latency_ns ? l->latency_ns : 1);
	}
	free(users);
	free(last);
}

/* How often the link crosses the bottleneck. */
static int times_crossed(const struct bottleneck_link *l, int bottleneck)
{
	for (int k = 0; k < l->ncrossed; k++)
		if (l->crossed[k].bottleneck == bottleneck)
			return l->crossed[k].times;
	return 0;
}

static void uncross(struct bottleneck_link *l, int bottleneck)
{
	for (int k = 0; k < l->ncrossed; k++)
		if (l->crossed[k].bottleneck == bottleneck) {
			l->crossed[k] = l->crossed[--l->ncrossed];
			return;
		}
}

void bottlenecks_init(struct bottlenecks *b, const struct machine *m)
{
	int routes = 0;

	*b = (struct bottlenecks){.nlinks = m->nlinks};
	b->links = ht_alloc((size_t)m->nlinks, sizeof(*b->links));
	for (int i = 0; i < m->nlinks; i++) {
		b->links[i] = (struct bottleneck_link){.bytes_per_ns = m->links[i].bytes_per_s * 1e-9,
		                                       .weight = 1,
		                                       .latency_ns = m->links[i].latency_ns};
		routes += m->links[i].ncrossings;
	}
	if (routes) {
		share_segments(b, m);
	} else {
		/* Without routes: all links to and from devices share the host's. */
		b->bytes_per_ns = ht_alloc(1, sizeof(*b->bytes_per_ns));
		b->count = 1;
		b->bytes_per_ns[0] = machine_host_bytes_per_s(m) * 1e-9;
		for (int i = 0; i < m->nlinks; i++) {
			b->links[i].crossed = ht_alloc(1, sizeof(struct bottleneck_crossing));
			if (b->bytes_per_ns[0] > 0 && (!is_host(m, m->links[i].from) || !is_host(m, m->links[i].to)))
				cross(&b->links[i], 0);
		}
	}
	/* Drops the shared segments that all links across them together cannot fill. */
	for (int r = 0; r < b->count; r++) {
		double most = 0;

		for (int i = 0; i < b->nlinks; i++)
			most += b->links[i].bytes_per_ns * times_crossed(&b->links[i], r);
		for (int i = 0; most <= b->bytes_per_ns[r] && i < b->nlinks; i++)
			uncross(&b->links[i], r);
	}
}

void bottlenecks_fini(struct bottlenecks *b)
{
	for (int i = 0; i < b->nlinks; i++)
		free(b->links[i].crossed);
	free(b->links);
	free(b->bytes_per_ns);
}
