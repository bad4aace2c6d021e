/* core/machine/route.h - what a copy between two memory nodes takes when nobody else is on the way. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_MACHINE_ROUTE_H
#define CORE_MACHINE_ROUTE_H

struct machine;

/*
 * Over the direct link, else through main memory (node 0), where the two hops add up. Nodes without any way between
 * them, such as those of a machine whose bus was never measured, copy in no time, as everywhere in the tool. This is
 * the model of static schedulers: no contention, both ways at once.
 */
struct routes {
	int nnodes;
	double *latency_ns, *ns_per_byte;         /* [from * nnodes + to]; 0 from a node to itself */
	double mean_latency_ns, mean_ns_per_byte; /* over ordered pairs of different nodes that have workers; else 0 */
};

void routes_init(struct routes *r, const struct machine *m);
void routes_fini(struct routes *r);

static inline double route_ns(const struct routes *r, int from, int to, double bytes)
{
	int i = from * r->nnodes + to;

	return r->latency_ns[i] + bytes * r->ns_per_byte[i];
}

#endif
