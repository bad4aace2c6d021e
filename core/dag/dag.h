/* core/dag/dag.h - the task graph: what has to be finished before what, and what each task costs where. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_DAG_H
#define CORE_DAG_DAG_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"
#include "core/trace/access.h"

struct arena;
struct dag_messages;
struct ht_err;
struct model_set;
struct trace;

/*
 * Nodes are the executed tasks with a codelet, in submission order; internal and control tasks are contracted out
 * (their predecessors become those of their successors). CSR in both directions, without duplicate edges, acyclic.
 * Contraction keeps which task waits for which, not every edge: one that another predecessor implies may be missing.
 *
 * A cost class is a codelet, a footprint, and where its tasks can run: they take the same time, as StarPU's history
 * models have it. Where a model is a function of the program, which may look at more than data, its footprints are
 * those of lengths.tsv (heterotune-run.5).
 */
struct dag_class {
	uint32_t codelet; /* type index: dag_type_of() */
	uint32_t footprint;
	uint32_t count;                   /* tasks */
	int64_t cost_ns[ARCH_COUNT];      /* mean duration; -1: cannot run there */
	int64_t deviation_ns[ARCH_COUNT]; /* of what was measured in the run; -1: nothing was */
	uint8_t source[ARCH_COUNT];       /* enum dag_cost_source */
	int64_t model_ns[ARCH_COUNT];     /* what StarPU's model says, and its schedulers expect; 0: nothing */
	/* dag_timings.c; 0: nothing that the run shows. By how much the first execution of each worker is longer. */
	float warm_up_ns[ARCH_COUNT];
	/* By how much each CPU that executes when a task starts on another one lengthens it, of these numbers. */
	float company_ns;
	uint16_t company_least, company_most;
	uint32_t data_footprint; /* where is_refined: that of its data, which tasks of other classes have too */
	uint8_t is_refined;
	arch_mask where; /* of tasks that can run on fewer architectures than their codelet; 0: where that can */
};

/* COST_RATIO: never seen there with this footprint; taken from the class's other costs by the ratios of its type. */
enum dag_cost_source { COST_NONE = 0, COST_RUN, COST_MODEL, COST_GIVEN, COST_RATIO };

enum { DAG_MAX_EDGES = 1 << 28 }; /* more is an error of dag_from_trace(): the graph would not fit */

struct dag_task {
	uint32_t class_id;
	uint32_t trace_task; /* index in the trace; its own index in a made graph */
	int32_t priority;    /* the application's */
	int32_t rank;        /* MPI rank */
	uint32_t first_access, naccesses;
};

struct dag_type {
	const char *name;
	const char *codelet, *model;         /* codelet name and model symbol; "" where there is none */
	arch_mask where;                     /* architectures it can run on, and on which it has a cost */
	arch_mask declared;                  /* those that its codelet has functions for; 0: not recorded */
	uint8_t has_no_model;                /* recorded: StarPU's schedulers do not know what it takes */
	arch_mask synchronous, asynchronous; /* on devices; neither: conditions.synchronous */
	uint32_t count;
};

/* One of several devices of an architecture, whose costs may differ: GPUs that are not alike. */
struct dag_device {
	enum arch arch;
	int devid;
};

/*
 * An architecture that the models of a type know and that it is taken not to run on: none of its tasks did, though so
 * many had a chance there, as many tasks of other types had, of which a number ran there (core/dag/dag_where.c).
 */
struct dag_absence {
	uint32_t type;
	enum arch arch;
	uint32_t tasks, others, others_there;
	double probability; /* that none would have run there if it could */
};

/*
 * The application submits nothing more until tasks have ended, and where it has acquired a datum, until that is in the
 * memory of its home: starpu_data_acquire(), starpu_task_wait(), starpu_task_wait_for_all().
 */
struct dag_wait {
	uint32_t before;       /* the task that is submitted next */
	uint32_t first, count; /* into wait_tasks: the tasks that it waits for */
	uint32_t handle;       /* DAG_NO_HANDLE: none */
	int64_t until_ns;      /* from the submission before until it waits */
	int64_t after_ns;      /* from when it has what it waits for until the next submission */
};

#define DAG_NO_HANDLE UINT32_MAX

/* In the part of one MPI rank: what the task has written is sent to another rank. */
struct dag_send {
	uint32_t task;
	uint32_t before; /* place in the order of the task that is submitted next; ntasks: none is */
};

/* Once so many accesses are over, since the time before if there was one, no memory has the datum any more. */
struct dag_invalidated {
	uint32_t handle, accesses;
};

struct dag {
	struct dag_task *tasks;
	int64_t *submit_ns; /* per task, from the first submission of the graph; NULL: dag_submit_ns() is 0 */
	uint32_t ntasks;
	uint32_t *succ_first, *succ; /* successors of t: succ[succ_first[t]] .. succ[succ_first[t+1] - 1] */
	uint32_t *pred_first, *pred;
	uint8_t *succ_times, *pred_times; /* dependencies that an edge stands for, at most 255; NULL: one each */
	uint32_t nedges;
	uint32_t *order; /* a topological order, smallest index first: dag_in_order(); NULL: that of the indices */
	struct dag_class *classes;
	uint32_t nclasses;
	struct dag_device *devices; /* those that have costs of their own; none in a made graph */
	uint32_t ndevices;
	int64_t *device_cost_ns; /* [class * ndevices + device]; -1: that of the architecture */
	struct dag_type *types;
	uint32_t ntypes;
	struct dag_absence *absences; /* by type and architecture */
	uint32_t nabsences;
	struct data_access *accesses; /* the trace's, where they are the same */
	uint32_t naccesses;
	uint64_t *handle_bytes; /* per data handle */
	int32_t *handle_home;   /* memory node of its rank, -1: none */
	uint32_t nhandles;
	int nranks;
	struct dag_messages *messages; /* core/dag/dag_messages.h; NULL where there is one rank */
	struct dag_wait *waits;        /* by `before`, those of one task in the order of time */
	uint32_t nwaits;
	uint32_t *wait_tasks;
	struct dag_send *sends; /* by `before`; where the graph grows (live_dag.h) nsends alone, of all so far */
	uint32_t nsends;
	struct dag_invalidated *invalidated; /* by handle, those of one in their order; none in a part of the tasks */
	uint32_t ninvalidated;
	struct arena *arena;
};

/* Task `i` of the topological order. */
static inline uint32_t dag_in_order(const struct dag *d, uint32_t i)
{
	return d->order ? d->order[i] : i;
}

/* From the first submission of the graph; 0 where not recorded, or where all tasks are submitted at once. */
static inline int64_t dag_submit_ns(const struct dag *d, uint32_t t)
{
	return d->submit_ns ? d->submit_ns[t] : 0;
}

/* The type of a task, which is that of its class. */
static inline uint32_t dag_type_of(const struct dag *d, uint32_t t)
{
	return d->classes[d->tasks[t].class_id].codelet;
}

static inline uint32_t dag_nsucc(const struct dag *d, uint32_t t)
{
	return d->succ_first[t + 1] - d->succ_first[t];
}

static inline uint32_t dag_npred(const struct dag *d, uint32_t t)
{
	return d->pred_first[t + 1] - d->pred_first[t];
}

/* StarPU makes a dependency for each piece of data: of two tasks that share several there is one edge. */
static inline uint32_t dag_times(const uint8_t *times, uint32_t edge)
{
	return times ? times[edge] : 1;
}

static inline int64_t dag_cost(const struct dag *d, uint32_t t, enum arch a)
{
	return d->classes[d->tasks[t].class_id].cost_ns[a];
}

/* On a device by its index, where it has a cost of its own; `device` -1: the architecture's. */
static inline int64_t dag_class_cost_on(const struct dag *d, uint32_t c, enum arch a, int device)
{
	int64_t own = device < 0 ? -1 : d->device_cost_ns[c * (size_t)d->ndevices + (size_t)device];

	return own >= 0 ? own : d->classes[c].cost_ns[a];
}

static inline int64_t dag_cost_on(const struct dag *d, uint32_t t, enum arch a, int device)
{
	return dag_class_cost_on(d, d->tasks[t].class_id, a, device);
}

/*
 * What StarPU's schedulers expect a task of the class to take there, which is not what it takes where the model was
 * calibrated under other conditions: of a device as much more or less than of its architecture as its cost is.
 */
static inline int64_t dag_class_expected_on(const struct dag *d, uint32_t c, enum arch a, int device)
{
	int64_t cost = dag_class_cost_on(d, c, a, device), model = d->classes[c].model_ns[a];
	double ns = (double)model * ((double)cost / (double)d->classes[c].cost_ns[a]);

	return cost > 0 && model && ns < (double)INT64_MAX ? (int64_t)ns : cost;
}

/* The index of a device in dag.devices; -1: it is none of them. */
int dag_device(const struct dag *d, enum arch arch, int devid);

/* The least that a task of a class takes on an architecture, of its devices the fastest; -1: it cannot run there. */
int64_t dag_class_least(const struct dag *d, uint32_t class_id, enum arch a);

/* What StarPU's starpu_task_data_footprint() says of tasks of the class. */
static inline uint32_t dag_class_data_footprint(const struct dag_class *c)
{
	return c->is_refined ? c->data_footprint : c->footprint;
}

/* Per class the first one of its codelet and data, which is the class itself unless it is refined. free() it. */
uint32_t *dag_data_classes(const struct dag *d);

/* Where a task of the class has a cost. */
arch_mask dag_class_archs(const struct dag_class *c);

/* The fastest architecture of `archs`; ARCH_NONE when it can run on none of them. */
enum arch dag_class_best(const struct dag_class *c, arch_mask archs);

/*
 * What a codelet may run on is not in the trace: it is what the collector has recorded, else where it ran and where its
 * models have samples, without what is improbable under a scheduler that does not look at durations. Costs are the
 * mean of the run's own durations where the class ran on that architecture at least `min_samples` times, else the
 * model's mean, else the run's. A class without a cost on an architecture its type can run on gets its cost elsewhere
 * times the mean ratio of its type's other classes (COST_RATIO); it stays -1 where no class has both. Where an
 * architecture has several devices, each has its own cost, found in the same way, beside that of all together.
 */
struct dag_options {
	uint32_t min_samples; /* default 1 */
	int prefer_model;     /* the model first, the run's durations where it has none: for a simulated run */
	int by_turn;          /* the run's scheduler gave tasks to workers whatever they take there */
	/* NULL, or the trace: its dependencies, a large part of it, may be freed as soon as they have been read. */
	struct trace *drop_deps;
};

/*
 * models and o may be NULL, and the trace has to stay, but not its dependencies. Fails on a cycle (names a task on it)
 * and on a trace without an executed task.
 */
struct dag *dag_from_trace(const struct trace *t, const struct model_set *models, const struct dag_options *o,
                           struct ht_err *err);

/*
 * The first `n` tasks of the topological order (all, where there are less), in the order of their indices, and the
 * edges among them, without waits. Names and data are those of `d`, which has to stay; a type or class can be left
 * without tasks.
 */
struct dag *dag_prefix(const struct dag *d, uint32_t n);

/*
 * The tasks of one MPI rank, in the order of their indices, the edges among them, and what they send; names and data
 * are those of `d`, which has to stay. place[task] is the task's index there, UINT32_MAX of another rank's.
 */
struct dag *dag_of_rank(const struct dag *d, int rank, uint32_t *place);

/* The graph of `d`, which has to stay, with other homes of its data: home[handle], copied. Free with dag_free(). */
struct dag *dag_with_homes(const struct dag *d, const int32_t *home);

/* The same, but its codelets keep the threads of devices, or do not, as those of the same names in `other` do. */
struct dag *dag_with_drivers_of(const struct dag *d, const struct dag *other);

/* The same with other priorities of its tasks: priority[task], copied. */
struct dag *dag_with_priorities(const struct dag *d, const int32_t *priority);

/* The same with tasks of a type whose times on an architecture are multiplied by `by`, such as 0.5. */
struct dag *dag_with_faster(const struct dag *d, uint32_t type, enum arch a, double by);

void dag_free(struct dag *d);

#endif
