/* sched/modular/modular.h - the components that StarPU's modular schedulers are trees of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_MODULAR_MODULAR_H
#define SCHED_MODULAR_MODULAR_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "sched/policy.h"
#include "sched/queue/scoreheap.h"
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
 * worker that takes a task from a child lets the decision push again (modular_can_push()).
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
	struct scoreheap tasks;
};

struct modular_choice {
	int child;
	double length, transfer;
};

/* push: a task from above goes to a child: 1; 0: refused. progress (or NULL): a child may have capacity again. */
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
	struct scoreheap above;
	struct modular_spread unknown; /* of tasks without a duration */
	int only_left; /* of the eager component that replaces the decision where there is one child: its `left` */
	struct modular_child *children;
	int nchildren;
	struct modular_worker *workers;
	int *everyone, *members;  /* workers, in their order and by child */
	int asking, again;        /* the worker that pops; a task came down for it since its last look */
	double *end;              /* per child, of the task that is being placed; NAN: cannot run there */
	double *transfer_of_node; /* of the same; NAN: not asked yet */
	struct modular_class *classes;
	int nclasses;
	struct scoreheap partial; /* what some workers cannot execute */
	int32_t *priority;        /* per task, all of them: StarPU's task->priority, predicted, ... */
	double *length, *transfer;
	unsigned char *prefetched;
	struct ready *sorted;     /* queues of children */
	struct taskq_links links; /* those of workers */
};

/* The first task of a queue by priority; POLICY_NO_TASK where it is empty. */
static inline uint32_t modular_first(struct scoreheap *q)
{
	return q->count ? scoreheap_take(q) : POLICY_NO_TASK;
}

/* A child has capacity again: the decision, and then what is above, push down what they can. */
void modular_can_push(struct modular *s);

/*
 * modular_child.c
 *
 * What the task takes below the child, in ns: that of its worker, or the shortest where workers are of several
 * architectures; negative where none of them can execute it.
 */
double modular_child_length(const struct modular *s, const struct modular_child *c, uint32_t task);

/* When the child is expected to have executed all that it has, in ns (component_prio.c, estimated_end). */
double modular_child_end(struct modular *s, const struct modular_child *c);

/* Queues the task in the child and wakes its workers: 1; 0 where the child is full, and nothing has changed. */
int modular_child_push(struct modular *s, struct modular_child *c, uint32_t task);

/*
 * Gives the task to the worker that pops, else to the first that can execute it: 1; 0 where no task may pass, or no
 * worker of `e` can execute this one.
 */
int modular_spread_push(struct modular *s, struct modular_spread *e, uint32_t task);

/*
 * `worker` pops and has no task of its own. A child of one worker returns its first task; a child of several spreads
 * one to the worker's queue and returns POLICY_NO_TASK.
 */
uint32_t modular_child_ask(struct modular *s, struct modular_child *c, int worker);

/* Requests the copies of a task's data to the worker's node, unless that was done before. */
void modular_prefetch(struct modular *s, uint32_t task, int worker);

/*
 * modular_worker.c: the queue of a worker and its expected times, in ns.
 *
 * When the worker is expected to have executed its queue (component_worker.c, simple_worker_estimated_end).
 */
double modular_worker_end(struct modular *s, int worker);

/* Appends a task to the worker's queue, with modular_worker_add(), and wakes the worker. */
void modular_worker_push(struct modular *s, int worker, uint32_t task);

/* Removes the first task from the worker's queue; POLICY_NO_TASK where it is empty, and expected times are reset. */
uint32_t modular_worker_take(struct modular *s, int worker);

/* Predicts length and transfer of a task on the worker, and adds both to its expected length. */
void modular_worker_add(struct modular *s, int worker, uint32_t task);

/* The worker has popped the task: its transfer moves from the expected length to the pipeline. */
void modular_worker_transfers(struct modular *s, int worker, uint32_t task);

/* policy.started(), of the struct: the task's length takes the place of its transfer in the pipeline, ... */
void modular_worker_started(void *modular, uint32_t task, int worker);

/* ... and policy.done(): its length leaves the pipeline. */
void modular_worker_done(void *modular, uint32_t task, int worker);

/*
 * modular_mct.c: the child with the least fitness (component_mct.c, helper_mct.c), with the length and the transfer
 * that were predicted there. Some child can execute the task.
 */
struct modular_choice modular_choose(struct modular *s, uint32_t task);

/* Pushes the task to the chosen child; 0 where that child is full. */
int modular_place(struct modular *s, const struct modular_choice *c, uint32_t task);

extern const struct modular_decision modular_mct_nodes, modular_mct_workers, modular_heteroprio;

static inline double modular_now(const struct modular *s)
{
	return (double)s->world.now(s->world.ctx);
}

#endif
