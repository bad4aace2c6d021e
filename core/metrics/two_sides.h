/* core/metrics/two_sides.h - what has to cross between main memory and the devices, and how fast it can. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_TWO_SIDES_H
#define CORE_METRICS_TWO_SIDES_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct machine;

/* A machine with all its devices taken as one: nothing has to be copied between them. */
enum side { SIDE_MAIN, SIDE_DEVICES, SIDES };

#define TWO_SIDES_NOBODY UINT32_MAX

/*
 * What a datum holds from one writer to the next: made by a task, or in main memory from the start (producer
 * TWO_SIDES_NOBODY). Whoever of its readers is on the other side needs a copy, and one is enough for all of them.
 */
struct version {
	uint32_t producer;
	uint32_t first_reader, nreaders; /* into two_sides.readers */
	uint64_t bytes;
};

struct version_reader {
	uint32_t task;
	uint32_t edge; /* into dag.pred, from the producer; TWO_SIDES_NOBODY: there is none */
};

/*
 * A part of the bus that everything crosses that leaves a side, and how long that keeps it busy: [the side that is
 * left], each and per byte.
 */
struct passage {
	double each_ns[SIDES], ns_per_byte[SIDES];
};

struct two_sides {
	struct version *versions; /* that are read and have bytes */
	uint32_t nversions;
	struct version_reader *readers;
	uint32_t nreaders;
	uint64_t *edge_bytes; /* per edge of dag.pred: the largest version that goes along it */
	uint64_t *home_bytes; /* per task: the largest that it reads of what is in main memory from the start */
	struct passage *passages;
	int npassages;
	struct two_sides_link {
		double latency_ns, ns_per_byte;
	} * links[SIDES];  /* out of a side */
	int nlinks[SIDES]; /* 0: copies out of the side may take no time */
};

/*
 * Only what is so in every schedule counts: a version whose producer is certain, since the graph orders all writers of
 * the datum, for readers that the graph puts between its producer and the next writer. Not data of tasks
 * that commute, nor of reductions, nor such as is on a device at the start.
 *
 * Links and what they share are those of core/machine/bottleneck.h: each link does one copy at a time. A side has no
 * links where one of the memories of the other cannot be reached over them, which is then taken to need no time.
 */
void two_sides_init(struct two_sides *x, const struct dag *d, const struct machine *m);
void two_sides_fini(struct two_sides *x);

/* The least time that `bytes` take out of a side, over the best link; 0 where that may take none, or for no bytes. */
double two_sides_ns(const struct two_sides *x, enum side from, uint64_t bytes);

static inline enum side side_other(enum side s)
{
	return s == SIDE_MAIN ? SIDE_DEVICES : SIDE_MAIN;
}

#endif
