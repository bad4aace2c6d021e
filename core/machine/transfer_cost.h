/* core/machine/transfer_cost.h - what a copy between two memory nodes takes when nobody else is on the way. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_MACHINE_TRANSFER_COST_H
#define CORE_MACHINE_TRANSFER_COST_H

struct machine;

/*
 * Over the direct link, else through main memory (node 0), where the two hops add up. Nodes without any way between
 * them, such as those of a machine whose bus was never measured, copy in no time, as everywhere in the tool. This is
 * the model of static schedulers: both ways at once, and no contention but for the factor that all links are given.
 */
struct transfer_costs {
	int nnodes;
	double *latency_ns, *ns_per_byte;         /* [from * nnodes + to]; 0 from a node to itself */
	double mean_latency_ns, mean_ns_per_byte; /* over ordered pairs of different nodes that have workers; else 0 */
};

/* `sharing`: how many copies share each link, 1: it is free. */
void transfer_costs_init(struct transfer_costs *r, const struct machine *m, double sharing);
void transfer_costs_fini(struct transfer_costs *r);

static inline double transfer_cost_ns(const struct transfer_costs *r, int from, int to, double bytes)
{
	int i = from * r->nnodes + to;

	return r->latency_ns[i] + bytes * r->ns_per_byte[i];
}

#endif
