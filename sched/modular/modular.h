/* sched/modular/modular.h - the components that StarPU's modular schedulers are trees of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_MODULAR_MODULAR_H
#define SCHED_MODULAR_MODULAR_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "sched/policy.h"
#include "sched/queue/prioq.h"
#include "sched/queue/taskq.h"

/*
 * StarPU 1.4.10, modular_ez.c and component_*.c:
 *
 *            above                         every ready task, by priority
 *              |
 *       select by model --------+          tasks without a duration go right
 *              |                |
 *          decision             |          to which child: modular_mct.c, modular_heteroprio.c
 *          /   |   \            |
 *      child child child        |          queues of limited length, a memory node's or a worker's
 *        |     |     |          |
 *     [spread]...............spread        whichever worker asks, else the first that can
 *        |     |     |
 *       worker worker worker               what it has taken and not finished
 *
 * A child refuses a task when it is full. The decision then stops, and the task goes back to where it came from; a
 * worker that takes a task from a child tells the decision that there is room (modular_can_push()).
 */
struct modular;

/* component_eager.c. */
struct modular_spread {
	const int *workers;
	int nworkers;
	int target; /* the worker that asks; -1: nobody does */
	int left;   /* how many tasks it lets through while one asks; -1: any number */
};

/* component_worker.c; times are ns. */
struct modular_worker {
	struct taskq queue; /* spread to it, not yet taken */
	int child;
	double start, length, end, pipeline;
};

/* component_prio.c with the workers below it. */
struct modular_child {
	int queue;     /* in `sorted` */
	double length; /* expected, of all in it; ns */
	arch_mask archs;
	struct modular_spread spread;
};

/* component_heteroprio.c. */
struct modular_class {
	float acceleration; /* of slowest over fastest worker */
	struct prioq tasks;
};

struct modular_choice {
	int child;
	double length, transfer;
};

/* Where tasks go from above: 0 when it refuses one. `progress` (or NULL): there may be room below. */
struct modular_decision {
	int per_worker; /* a child for each worker, else for each memory node */
	int (*push)(struct modular *s, uint32_t task);
	void (*progress)(struct modular *s);
};

struct modular {
	struct policy_world world;
	const struct modular_decision *decision;
	double alpha, beta;      /* STARPU_SCHED_ALPHA, STARPU_SCHED_BETA */
	double ntasks_threshold; /* STARPU_NTASKS_THRESHOLD; 0: none */
	double length_threshold; /* STARPU_EXP_LEN_THRESHOLD, in ns; 0: none */
	arch_mask archs;         /* of the machine */
	struct prioq above;
	struct modular_spread unknown; /* of tasks without a duration */
	int only_left;                 /* with one child there is nothing to decide: the `left` of what is instead */
	struct modular_child *children;
	int nchildren;
	struct modular_worker *workers;
	int *everyone, *members;  /* workers, in their order and by child */
	int asking, again;        /* the worker that asks, and whether a task came down for it meanwhile */
	double *end;              /* per child, of the task that is being placed; NAN: cannot run there */
	double *transfer_of_node; /* of the same; NAN: not asked yet */
	struct modular_class *classes;
	int nclasses;
	struct prioq partial; /* what some workers cannot execute */
	int32_t *priority;    /* per task, all of them: StarPU's task->priority, predicted, ... */
	double *length, *transfer;
	unsigned char *prefetched;
	struct ready *sorted;     /* queues of children */
	struct taskq_links links; /* those of workers */
	struct prioq_links order; /* above, and in it */
};

/* Room in a child: tasks come down from the decision and from above. */
void modular_can_push(struct modular *s);

/* modular_child.c */
/* As policy_cost_ns(); the shortest on workers that are not alike. */
double modular_child_length(const struct modular *s, const struct modular_child *c, uint32_t task);
double modular_child_end(struct modular *s, const struct modular_child *c);
int modular_child_push(struct modular *s, struct modular_child *c, uint32_t task); /* 0: refused */
uint32_t modular_child_pull(struct modular *s, struct modular_child *c);
int modular_spread_push(struct modular *s, struct modular_spread *e, uint32_t task);

/* A task for the worker itself, where the child is its own. */
uint32_t modular_child_ask(struct modular *s, struct modular_child *c, int worker);
void modular_prefetch(struct modular *s, uint32_t task, int worker);

/* modular_worker.c */
double modular_worker_end(struct modular *s, int worker);
void modular_worker_push(struct modular *s, int worker, uint32_t task);
uint32_t modular_worker_take(struct modular *s, int worker); /* of those that were pushed to it */
void modular_worker_add(struct modular *s, int worker, uint32_t task);
void modular_worker_transfers(struct modular *s, int worker, uint32_t task);
void modular_worker_started(struct modular *s, int worker, uint32_t task);
void modular_worker_done(struct modular *s, int worker, uint32_t task);

/* modular_mct.c: the child that would end the task first. */
struct modular_choice modular_choose(struct modular *s, uint32_t task);
int modular_place(struct modular *s, const struct modular_choice *c, uint32_t task); /* 0: refused */

extern const struct modular_decision modular_mct, modular_heteroprio;

static inline double modular_now(const struct modular *s)
{
	return (double)s->world.now(s->world.ctx);
}

#endif
