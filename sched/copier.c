/* sched/copier.c - the copies of a static schedule, each on its links by itself. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/copier.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/machine.h"
#include "sched/gaps.h"

struct copier {
	const struct machine *m;
	struct gaps *free;         /* of every link, and behind them of the host link */
	double host_bytes_per_ns;  /* as the widest link between main memory and a device; 0: no device has one */
};

struct copier *copier_create(const struct machine *m)
{
	struct copier *c = ht_alloc(1, sizeof(*c));

	c->m = m;
	c->free = gaps_create(m->nlinks + 1);
	for (int i = 0; i < m->nlinks; i++) {
		const struct machine_link *l = &m->links[i];

		if ((m->nodes[l->from].arch == ARCH_CPU) != (m->nodes[l->to].arch == ARCH_CPU))
			c->host_bytes_per_ns = fmax(c->host_bytes_per_ns, l->bytes_per_s / 1e9);
	}
	return c;
}

void copier_free(struct copier *c)
{
	if (!c)
		return;
	gaps_free(c->free);
	free(c);
}

/* The end of one hop. */
static double hop(struct copier *c, const struct machine_link *l, double bytes, double ready, int keep)
{
	int link = (int)(l - c->m->links), host = c->m->nlinks, device;
	double length = (double)l->latency_ns + bytes / l->bytes_per_s * 1e9, on_host, start, both;

	device = c->m->nodes[l->from].arch != ARCH_CPU || c->m->nodes[l->to].arch != ARCH_CPU;
	on_host = device && c->host_bytes_per_ns > 0 ? fmin(bytes / c->host_bytes_per_ns, length) : 0;
	start = gaps_find(c->free, link, ready, length);
	for (; on_host > 0; start = gaps_find(c->free, link, both, length)) {
		both = gaps_find(c->free, host, start, on_host);
		if (both <= start)
			break;
	}
	if (keep) {
		gaps_take(c->free, link, start, length);
		gaps_take(c->free, host, start, on_host);
	}
	return start + length;
}

double copier_copy(struct copier *c, int from, int to, double bytes, double ready, int keep)
{
	const struct machine_link *direct = machine_link_between(c->m, from, to), *out, *in;

	if (direct)
		return hop(c, direct, bytes, ready, keep);
	out = machine_link_between(c->m, from, 0);
	in = machine_link_between(c->m, 0, to);
	return out && in ? hop(c, in, bytes, hop(c, out, bytes, ready, keep), keep) : ready;
}
