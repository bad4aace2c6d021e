/* sched/placement/plan.h - which memory each piece of data belongs to, and how urgent each task is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_PLAN_H
#define SCHED_PLACEMENT_PLAN_H

#include <stdint.h>

#include "sched/knob.h"
#include "sched/placement/data_graph.h"
#include "sched/placement/places.h"

struct dag;
struct ht_err;
struct machine;

enum { PLACEMENT_MAX_WINDOWS = 64, PLACEMENT_MOST_AHEAD = 3 };

#define PLACEMENT_ANY_RATIO 1e9 /* of the knobs q and r: all */

/*
 * Upward ranks are longest paths to the end of the graph. A task is as long as its mean over workers
 * (core/metrics/rank.h), as the least of them, as the geometric mean of these two, the least with the knob of that
 * name as its weight, or a millisecond, as every other one (HOPS). Copies along edges count where copies take time,
 * times the knob `transfers`, but not for HOPS.
 */
enum placement_rank { PLACEMENT_RANK_MEAN, PLACEMENT_RANK_LEAST, PLACEMENT_RANK_GEOMETRIC, PLACEMENT_RANK_HOPS };

/*
 * For what tasks data is asked for before a worker takes them, where workers take a task while they execute another
 * one: for none, for the first few in a queue, or for all.
 */
enum placement_prefetch { PLACEMENT_PREFETCH_LEAST, PLACEMENT_PREFETCH_NEXT, PLACEMENT_PREFETCH_ALL };

/*
 * What counts of the work that waits at the owner of a task: all of it, or, where paths are long, what is before the
 * task (destination.c).
 */
enum placement_waiting { PLACEMENT_WAITING_BEFORE, PLACEMENT_WAITING_ALL };

/* The knobs of the policy: what the owners depend on, and those by which the policy departs from them. */
struct placement_knobs {
	int rank; /* enum placement_rank */
	double least, transfers;
	int64_t windows;
	int objective;        /* enum partition_objective */
	double balance;       /* as in struct partition_options, */
	int64_t effort, seed; /* and these */
	int distribute;       /* data goes to its owners before tasks ask for it */
	int prefetch;         /* enum placement_prefetch */
	int64_t ahead;  /* the most tasks that a worker has and has not begun; 0: what StarPU's pipeline has room for */
	int64_t plan;   /* a number for a plan that was searched; 0: that of the cut */
	int waiting;    /* enum placement_waiting */
	double q, b, s; /* when CPUs take a task from its owner, and */
	double f, r;    /* when a worker steals it: placement.c */
};

/* Of struct placement_knobs. */
extern const struct knob placement_knob_table[];

/* The defaults where `options` does not name them. -1: the sentence. */
int placement_knobs_read(struct placement_knobs *k, const char *options, struct ht_err *err);

/* "rank=mean,windows=5,objective=cut,..."; free() it. */
char *placement_knobs_text(const struct placement_knobs *k);

/* Upward ranks of all tasks. */
struct placement_order {
	double *rank;      /* ns */
	int32_t *priority; /* whole numbers from 0, by which tasks are sorted: by rank, until a search changes them */
};

/* What does not depend on the knobs: found once for many plans. */
struct placement_base {
	const struct dag *dag;
	const struct machine *machine;
	struct places places;
	double *mean_ns;     /* per task: its mean over workers */
	double *transfer_ns; /* per edge; NULL: copies take no time */
	double *work_ns;     /* per task: on its fastest device; 0: it runs on CPUs only */
	int ndevices;
	int *device;   /* the places that are no CPUs */
	double *share; /* of the work that each can do in equal time; their sum is 1 */
	struct data_graph data;
};

/*
 * `d` and `m` have to stay. A task that no worker can run is an error that names it; nothing is to be freed then.
 * placement_base_fini() frees.
 */
int placement_base_init(struct placement_base *b, const struct dag *d, const struct machine *m, int copies_take_time,
                        struct ht_err *err);
/* Places and devices alone, of a graph that is not known yet. placement_base_fini() frees. */
void placement_base_init_places(struct placement_base *b, const struct dag *d, const struct machine *m);

void placement_base_fini(struct placement_base *b);

/* By the knobs; placement_order_fini() it. */
void placement_order_init(struct placement_order *o, const struct placement_base *b, const struct placement_knobs *k);

/*
 * The upward ranks of tasks of which it is known where they are executed: a task is as long as it takes there, and
 * copies along edges between places alone count, times `transfers`. place[task] is a place that can run it; `o` has
 * been an order of the graph.
 */
void placement_order_by_places(struct placement_order *o, const struct placement_base *b, const int *place,
                               double transfers);

/* Arrays for so many tasks, to be filled. */
void placement_order_alloc(struct placement_order *o, uint32_t ntasks);
void placement_order_fini(struct placement_order *o);

/* What policy_world.data of the policy is, where its owners are known: owner[handle] is a place or PLACES_NONE. */
struct placement_plan {
	const struct placement_base *base;
	struct placement_order order;
	int *owner;
	int *place;    /* per task: where it goes, PLACES_NONE: by its owner; NULL: all do */
	int fills_bus; /* bus_load_is_full(), of a graph that was cut */
};

/*
 * Cuts the graph of data into as many parts as there are devices, of sizes by their speed, in each of the windows
 * (data_graph_windows(), partition.h), and gives the parts to devices of that speed so that parts that exchange much
 * are near. placement_plan_fini() it.
 */
void placement_plan_init(struct placement_plan *p, const struct placement_base *b, const struct placement_knobs *k);
/* The same where data has owners already: owner[handle] is a place or PLACES_NONE. If most of it has, most stays. */
void placement_plan_init_again(struct placement_plan *p, const struct placement_base *b,
                               const struct placement_knobs *k, const int *owner);
/* The same with the owners of a plan by knobs that cut alike, which are copied. */
void placement_plan_init_owned(struct placement_plan *p, const struct placement_base *b,
                               const struct placement_knobs *k, const int *owner);
/* 1: plans by either have the same owners. */
int placement_knobs_cut_alike(const struct placement_knobs *a, const struct placement_knobs *b);
/* The same by an order of the tasks that is given, whose arrays the plan takes. */
void placement_plan_init_ordered(struct placement_plan *p, const struct placement_base *b,
                                 const struct placement_knobs *k, const struct placement_order *order);
void placement_plan_fini(struct placement_plan *p);

#endif
