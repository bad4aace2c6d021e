/* sched/static/copier.c - the copies of a static schedule, each in the first free interval of its links. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A copy has its link, and with it a device's port, for itself from its start to its end. What it crosses together with
 * others (bottleneck.h) it has for itself only as long as its bytes would fill it, at any time in between: of two
 * copies over links of half the width of what they share neither waits for the other, and of three, all end when three
 * have gone through, as they do where rates are shared.
 */
#include "sched/static/copier.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/bottleneck.h"
#include "core/machine/machine.h"
#include "sched/static/gaps.h"

struct copier {
	const struct machine *m;
	struct bottlenecks b;
	struct gaps *free; /* of every link, after them of every node's port, after them of every bottleneck */
};

struct hop {
	int link, own[3], nown; /* whose time it has for itself */
	double latency, length; /* with nobody else on the way */
	double start, end, busy;
};

struct copier *copier_create(const struct machine *m)
{
	struct copier *c = ht_alloc(1, sizeof(*c));

	c->m = m;
	bottlenecks_init(&c->b, m);
	c->free = gaps_create(m->nlinks + m->nnodes + c->b.count);
	return c;
}

void copier_free(struct copier *c)
{
	if (!c)
		return;
	bottlenecks_fini(&c->b);
	gaps_free(c->free);
	free(c);
}

/*
 * Devices copy to each other only when nothing else is copied to either (replay/memory/network.h). A port is where a
 * device is copied to.
 */
static struct hop hop_over(const struct copier *c, const struct machine_link *l, double bytes)
{
	int link = (int)(l - c->m->links);
	int to_device = c->m->nodes[l->to].arch != ARCH_CPU, from_device = c->m->nodes[l->from].arch != ARCH_CPU;
	struct hop h = {.link = link, .latency = (double)c->b.links[link].latency_ns};

	h.length = h.latency + bytes / c->b.links[link].bytes_per_ns;
	h.own[h.nown++] = link;
	if (to_device)
		h.own[h.nown++] = c->m->nlinks + l->to;
	if (to_device && from_device)
		h.own[h.nown++] = c->m->nlinks + l->from;
	return h;
}

/* From when on everything that it has for itself is free for `length`. */
static double find_start(const struct copier *c, const struct hop *h, double ready, double length)
{
	double start = ready;

	for (int i = 0, since = 0; since < h->nown; i = (i + 1) % h->nown, since++) {
		double at = gaps_find(c->free, h->own[i], start, length);

		since = at > start ? 0 : since;
		start = at;
	}
	return start;
}

static double service(const struct copier *c, struct bottleneck_crossing x, double bytes)
{
	return bytes * x.times / c->b.bytes_per_ns[x.bottleneck];
}

static int shared(const struct copier *c, struct bottleneck_crossing x)
{
	return c->m->nlinks + c->m->nnodes + x.bottleneck;
}

/* The end of a hop that starts then. */
static double find_end(const struct copier *c, const struct hop *h, double bytes)
{
	const struct bottleneck_link *l = &c->b.links[h->link];
	double end = h->start + h->length;

	for (int k = 0; k < l->ncrossed; k++) {
		double length = service(c, l->crossed[k], bytes);

		end = fmax(end, gaps_find(c->free, shared(c, l->crossed[k]), h->start + h->latency, length) + length);
	}
	return end;
}

static void keep_hop(struct copier *c, const struct hop *h, double bytes)
{
	const struct bottleneck_link *l = &c->b.links[h->link];

	for (int i = 0; i < h->nown; i++)
		gaps_take(c->free, h->own[i], h->start, h->busy);
	for (int k = 0; k < l->ncrossed; k++) {
		double length = service(c, l->crossed[k], bytes);

		gaps_take(c->free, shared(c, l->crossed[k]),
		          gaps_find(c->free, shared(c, l->crossed[k]), h->start + h->latency, length), length);
	}
}

static double hop(struct copier *c, const struct machine_link *link, double bytes, double ready, int keep)
{
	struct hop h = hop_over(c, link, bytes);
	double start = find_start(c, &h, ready, h.length);

	do {
		h.start = start;
		h.end = find_end(c, &h, bytes);
		h.busy = h.end > h.start + h.length ? h.end - h.start : h.length;
		start = find_start(c, &h, h.start, h.busy);
	} while (start > h.start);
	if (keep)
		keep_hop(c, &h, bytes);
	return h.end;
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
