/* sched/policy.h - scheduling policies as pure state machines. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_POLICY_H
#define SCHED_POLICY_H

#include <stdint.h>

#include "core/machine/arch.h"

struct config;
struct dag;
struct ht_err;
struct knob;
struct machine;

#define POLICY_NO_TASK UINT32_MAX

/* What a worker's node lacks of a task's data. */
struct policy_missing {
	uint64_t invalid_bytes;     /* the task reads it, and there is no valid copy */
	uint64_t unrequested_bytes; /* of those: nor is one on its way */
	uint64_t unallocated_bytes; /* read or written: there is no memory for it */
};

/*
 * What a policy may ask of the world, and all that it sees. The simulator fills it in, and so does the scheduler
 * library inside StarPU (plugin/world.c). `dag` and `machine` are those of the run or of the machine it is replayed on
 * (read-only).
 */
struct policy_world {
	const struct dag *dag;
	const struct machine *machine;
	const struct config *config; /* the tuned setting; NULL for policies that take none */
	const void *data;            /* what only the caller and this policy know of; else NULL */
	int64_t (*now)(void *ctx);   /* ns */
	int64_t (*cost_ns)(void *ctx, uint32_t task, int worker); /* NULL: that of the architecture; policy_cost_ns() */
	void (*wake)(void *ctx, int worker); /* an idle worker asks again; a busy one is not disturbed */
	/* NULL, or: the worker will execute the task later, and its data may be copied there before. */
	void (*prefetch)(void *ctx, uint32_t task, int worker);
	/* NULL, or: the same for one handle, by `priority` among other such copies. */
	void (*prefetch_data)(void *ctx, uint32_t handle, int worker, int32_t priority);
	/*
	 * NULL, never, or: while the worker executes the task it takes another one and asks for its data, as far as its
	 * pipeline has room.
	 */
	int (*takes_ahead)(void *ctx, uint32_t task, int worker);
	int (*ahead)(void *ctx, int worker); /* NULL: none, or: tasks that it has taken and not begun to execute */
	/*
	 * NULL, or: what StarPU would predict now for the copies of what the task reads and the worker's node lacks; 0
	 * where copies take no time.
	 */
	int64_t (*transfer_ns)(void *ctx, uint32_t task, int worker);
	void (*missing)(void *ctx, uint32_t task, int worker, struct policy_missing *missing); /* or NULL */
	void (*where)(void *ctx, uint32_t handle, uint64_t *valid, uint64_t *coming); /* nodes with data; or NULL */
	int (*is_submitted)(void *ctx, uint32_t task);                                /* or NULL: all are */
	/*
	 * NULL, or, where the graph grows while it is executed (plugin/world.c): the upward rank of a task in what is
	 * submitted, ns; and a copy of that graph, with edges and an order and the indices of `dag`, which dag_free()
	 * frees; and one of its live tasks and their data alone, whose indices in `dag` are in arrays of the copy's
	 * (core/dag/live_dag.h, live_dag_part()). `dag` has neither edges nor an order there, indices are given to
	 * other tasks later, and ntasks, naccesses and nhandles are how many there is room for.
	 */
	double (*rank_ns)(void *ctx, uint32_t task);
	struct dag *(*snapshot)(void *ctx);
	struct dag *(*part)(void *ctx, const uint32_t **task, const uint32_t **handle);
	uint64_t (*data_bytes)(void *ctx);                   /* NULL, or there: of all data that live tasks access */
	uint64_t (*data_number)(void *ctx, uint32_t handle); /* NULL, or there: another one for each data of an index */
	/*
	 * NULL, or there: visit() is called for each successor that is submitted, with how many predecessors it had
	 * then, and for how many successors it stands (core/dag/live_dag.h); the place of a task among all submissions,
	 * from 1; and how many there were.
	 */
	void (*successors)(void *ctx, uint32_t task,
	                   void (*visit)(void *arg, uint32_t successor, uint32_t npreds, uint32_t times), void *arg);
	uint64_t (*submission)(void *ctx, uint32_t task);
	uint64_t (*submissions)(void *ctx);
	int (*bucket)(void *ctx, uint32_t task); /* NULL, or there: the task's in `config`; -1: that has none */
	/*
	 * NULL, or there: a worker of the device that the data belongs to by a plan for the graph that is being
	 * submitted; -1: there is none.
	 */
	int (*owner)(void *ctx, uint32_t handle);
	int (*planned_worker)(void *ctx, uint32_t task); /* the same: where the plan has the task itself go */
	const char *(*plan_options)(void *ctx); /* the same: the options for that graph; NULL: those of create() */
	int simulated;                          /* StarPU runs over SimGrid */
	int copies_take_time;                   /* reading what is on another node has to wait for it */
	void *ctx;
};

/*
 * push: `task` has become ready, released by `releaser` (worker index; -1: the main thread). pop: worker wants a task:
 * its id, or POLICY_NO_TASK, after which it sleeps until it is woken, or has begun a task. started:
 * it has its data, and the worker nothing else to do first. done: it has finished, and has released nobody yet, or a
 * policy with added() is to forget it, worker -1 where it has not been popped. Options come as text
 * ("alpha=1.3,variant=paper").
 */
struct policy {
	const char *name;
	const char *summary;
	const struct knob *knobs; /* ends with a row without a name; NULL: the policy has none */
	int variant;              /* which of the policies that share a file this one is; the file's own enum */
	/*
	 * The state, which free() frees; NULL with the sentence. `self` is this struct. What `w` points to has to
	 * stay.
	 */
	void *(*create)(const struct policy *self, const struct policy_world *w, const char *options,
	                struct ht_err *err);
	void (*free)(void *state);
	/*
	 * May be NULL. A hash of all that create() has read and that can make a difference: states on one graph and
	 * machine with the same signature() decide the same.
	 */
	uint64_t (*signature)(const void *state);
	/*
	 * A task with this index is submitted. Where the graph grows room for tasks and data may be more than at
	 * create(); of a policy where it is NULL another state is made then. With any policy classes may be more, and
	 * what they cost may be less or more, at each call.
	 */
	void (*added)(void *state, uint32_t task);
	/* May be NULL. Where the graph grows: the program waits now for what it has submitted. */
	void (*whole)(void *state);
	void (*push)(void *state, uint32_t task, int releaser);
	uint32_t (*pop)(void *state, int worker);
	/*
	 * May be NULL. Of a worker whose last pop() has returned no task: whether another one would do so too, and
	 * change nothing, and the same for all such workers of its architecture; 0 where that is not known.
	 */
	int (*is_empty)(void *state, int worker);
	void (*started)(void *state, uint32_t task, int worker); /* may be NULL */
	void (*done)(void *state, uint32_t task, int worker);    /* may be NULL */
	/*
	 * What StarPU's task->priority is once it has been pushed, by which copies of its data are requested: the
	 * application's where NULL.
	 */
	int32_t (*priority)(void *state, uint32_t task);
	/* May be NULL: what the nodes (a bit each) have of the handle has changed (where(), missing()). */
	void (*moved)(void *state, uint32_t handle, uint64_t nodes);
	int (*finish)(void *state, struct ht_err *err); /* all tasks are done: what it leaves behind; may be NULL */
};

/* What a task is expected to take on a worker, whose device may have a cost of its own; -1: it cannot run there. */
int64_t policy_cost_ns(const struct policy_world *w, uint32_t task, int worker);

/* The same for schedulers that know what StarPU's models say, and no more; 0: its codelet has none. */
int64_t policy_expected_ns(const struct policy_world *w, uint32_t task, int worker);

/* For policies that take no priorities: an application that asks for their range gives none. */
int32_t policy_no_priority(void *state, uint32_t task);

/* NULL-terminated: all of them (sched/policies.c), or those that work in the scheduler library (plugin/policies.c). */
extern const struct policy *const policies[];

/*
 * "heteroprio:variant=paper" -> the policy and the options after the colon ("" for none); NULL: err lists the names.
 */
const struct policy *policy_find(const char *text, const char **options, struct ht_err *err);

extern const struct policy policy_eager, policy_prio, policy_heteroprio, policy_laheteroprio, policy_autoheteroprio;
extern const struct policy policy_dm, policy_dmda, policy_dmdap, policy_dmdar, policy_dmdas, policy_dmdasd;
extern const struct policy policy_lws, policy_ws, policy_random;
extern const struct policy policy_modular_heft, policy_modular_heft_prio, policy_modular_heteroprio;
extern const struct policy policy_heft, policy_cpop, policy_cluster_heft, policy_online_heft, policy_critical_path;
extern const struct policy policy_multreeprio, policy_inspirit, policy_placement;

#endif
