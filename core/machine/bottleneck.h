/* core/machine/bottleneck.h - what the links of a machine let through, and what several of them share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_MACHINE_BOTTLENECK_H
#define CORE_MACHINE_BOTTLENECK_H

#include <stdint.h>

struct machine;

/* A link crosses a bottleneck, so many times. */
struct bottleneck_crossing {
	int bottleneck;
	int times;
};

/* One a link of the machine. */
struct bottleneck_link {
	double bytes_per_ns; /* of a copy that is alone */
	double weight;       /* of a copy's share where it is not */
	int64_t latency_ns;
	struct bottleneck_crossing *crossed;
	int ncrossed;
};

/*
 * What several links cross is a bottleneck; a segment that only one link crosses is part of its limit, and one that all
 * its links together cannot fill is none.
 *
 * Where the machine says what its links cross (machine.segments), weights are those of SimGrid: the inverse of a copy's
 * latency (3.32, network_cm02.cpp, with the weight-S of 0 that StarPU's platform.xml has). Where it does not, all links
 * to or from a device, whatever their direction, cross one host link as wide as the widest of those between main memory
 * and a device, and weigh the same.
 */
struct bottlenecks {
	struct bottleneck_link *links;
	int nlinks;
	double *bytes_per_ns; /* per bottleneck; some are crossed by nobody */
	int count;
};

/* `m` need not stay. bottlenecks_fini() frees. */
void bottlenecks_init(struct bottlenecks *b, const struct machine *m);
void bottlenecks_fini(struct bottlenecks *b);

#endif
