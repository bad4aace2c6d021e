/* generate/graph.h - a task graph while it is made: types, tasks in the order of submission, data and accesses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_GRAPH_H
#define GENERATE_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "core/dag/dag.h"
#include "core/machine/arch.h"

struct costs;
struct ht_err;
struct machine;
struct mix;

enum { GRAPH_MAX_TASKS = 1 << 25, GRAPH_MAX_ACCESSES = 1 << 28, GRAPH_NAME = 256 };

/* Of a type whose tasks the application does not submit: it waits there for what they access, or for all before. */
enum graph_wait { GRAPH_NO_WAIT = 0, GRAPH_WAIT_FOR_DATA, GRAPH_WAIT_FOR_ALL };

struct graph_type {
	char name[GRAPH_NAME];
	char model[GRAPH_NAME];     /* symbol of its model; "": its name */
	double cost_us[ARCH_COUNT]; /* -1: cannot run there */
	uint32_t footprint;         /* 0: of its name and data; one class of costs a type */
	arch_mask narrowed;         /* it stands for tasks that can run on these alone; 0: wherever its codelet can */
	uint32_t count;
	int given;            /* the costs are the user's */
	int has_no_model;     /* StarPU's schedulers do not know what it takes */
	enum graph_wait wait; /* other than GRAPH_NO_WAIT: no worker executes it, and it has no costs */
};

/*
 * Everything is an array; nothing per task is malloc'ed. Task t accesses accesses[access_first[t]] up to, not
 * including, accesses[access_first[t + 1]] (of the newest task: up to naccesses), and after graph_infer() waits for
 * pred[pred_first[t]] up to pred[pred_first[t + 1]], ascending, each below t, and as often as there are pieces of data
 * for which it does.
 */
struct graph {
	struct graph_type *types;
	size_t ntypes, captypes;
	const struct dag_device *devices; /* those that have costs of their own; borrowed */
	uint32_t ndevices;
	double *device_cost_us; /* [type * ndevices + device]; negative: that of the architecture */
	size_t ndevice_costs, cap_device_costs;
	uint32_t *task_type;
	size_t ntasks, captasks;
	uint32_t *access_first;
	size_t nfirst, capfirst;
	struct data_access *accesses;
	size_t naccesses, capaccesses;
	uint64_t *handle_bytes;
	size_t nhandles, caphandles;
	int32_t *handle_home; /* memory node where the datum is before the first task, -1: nowhere; GRAPH_HOME */
	size_t nhomes, caphomes;
	uint32_t *pred_first, *pred;
	size_t npreds, cappreds;
	uint32_t *depth;   /* tasks on the longest path that begins with this one, itself included */
	int32_t *priority; /* of each task; NULL: its depth */
	size_t npriority, cappriority;
	int64_t submit_ns;   /* from one submission to the next */
	int64_t best_ns;     /* a makespan that some schedule is known to have; 0: not known */
	struct costs *costs; /* the costs that the user gave; borrowed, may be NULL */
};

struct graph *graph_create(struct costs *costs);
void graph_free(struct graph *g);

/*
 * Another type. Its costs are those of `costs` where the user gave some, else cost_us, negative where it cannot run.
 * Returns its index. A name longer than GRAPH_NAME - 1 is a programming error.
 */
uint32_t graph_type(struct graph *g, const char *name, const double cost_us[ARCH_COUNT]);

/* The same for the usual two architectures; negative: cannot run there. */
uint32_t graph_type_pair(struct graph *g, const char *name, double cpu_us, double cuda_us);

/* What a task of the type takes on a device of an architecture; negative: it cannot run there. */
double graph_cost_us(const struct graph *g, size_t type, enum arch a, int devid);

/* In main memory if the first task that uses it reads it, else nowhere. */
#define GRAPH_HOME (-2)

/* The next `n` pieces of data, each of so many bytes, with GRAPH_HOME: the first of their numbers. */
uint32_t graph_data(struct graph *g, size_t n, double bytes);

/* The next task of the program, and what the newest task accesses, in that order. */
uint32_t graph_task(struct graph *g, uint32_t type);
void graph_use(struct graph *g, uint32_t handle, uint32_t mode);

/* The next task with the first of its accesses: graph_add(g, type, READS(a), UPDATES(b)). */
#define READS(handle)   ((struct data_access){(handle), ACCESS_R})
#define WRITES(handle)  ((struct data_access){(handle), ACCESS_W})
#define UPDATES(handle) ((struct data_access){(handle), ACCESS_R | ACCESS_W})
#define graph_add(g, type, ...) \
	graph_add_task((g), (type), (const struct data_access[]){__VA_ARGS__}, \
	               sizeof((const struct data_access[]){__VA_ARGS__}) / sizeof(struct data_access))
void graph_add_task(struct graph *g, uint32_t type, const struct data_access *accesses, size_t n);

/* Returns 0 if a graph of that size can be made, else -1; graph_kind.make() calls it first. */
int graph_fits(double ntasks, double naccesses, struct ht_err *err);

/*
 * Dependencies from accesses (generate/dependencies.c). Fails when there are more than DAG_MAX_EDGES.
 *
 * The rule is that of StarPU's sequential consistency (src/core/dependencies/implicit_data_deps.c of 1.4): tasks that
 * one after the other read the same data, or that write it with COMMUTE, or that reduce into it (REDUX alone) form a
 * group; every other access is a group of its own; a member of a group waits for every member of the group before.
 * SCRATCH orders nothing. Where StarPU puts an empty task between two groups, that task is left out and every task
 * of the second group waits for every task of the first, which is the same order.
 */
int graph_infer(struct graph *g, struct ht_err *err);

/* Footprints, depth and homes; after graph_infer(). */
void graph_finish(struct graph *g);

/* The number of distinct edges: pred[] less the repetitions. */
size_t graph_edges(const struct graph *g);

/* Of what the application submits, tasks and types of tasks. */
size_t graph_ntasks(const struct graph *g);
size_t graph_ntypes(const struct graph *g);

static inline enum graph_wait graph_waits(const struct graph *g, size_t task)
{
	return g->types[g->task_type[task]].wait;
}

/* The longest path, in tasks. */
uint32_t graph_critical_tasks(const struct graph *g);

/*
 * The input of graph_kind.make(): knob[i] is the value of graph_kind.knobs[i].
 */
struct graph_input {
	const double *knob;
	uint64_t seed;
	const struct machine *machine;
	const struct mix *mix; /* for a kind that takes one; NULL: none */
};

struct graph_knob {
	const char *name; /* of the option that sets it; NULL ends the list */
	double fallback, min, max;
};

enum { GRAPH_SEED = 1, GRAPH_MIX = 2 };

struct graph_kind {
	const char *name, *summary;
	const struct graph_knob *knobs;
	int random; /* the seed matters: GRAPH_SEED; and types may be given: GRAPH_MIX too */
	int (*make)(struct graph *g, const struct graph_input *in, struct ht_err *err);
};

/* All kinds of graphs, NULL-terminated: generate/graph_kinds.c. */
extern const struct graph_kind *const graph_kinds[];

/* NULL: err lists the names. */
const struct graph_kind *graph_kind_find(const char *name, struct ht_err *err);

/* The whole of it: make, infer, finish, and every cost that the user gave belongs to a type. NULL on failure. */
struct graph *graph_make(const struct graph_kind *kind, const struct graph_input *in, struct costs *costs,
                         struct ht_err *err);

extern const struct graph_kind graph_cholesky, graph_lu, graph_qr, graph_heat, graph_stencil, graph_out_tree,
	graph_in_tree, graph_fmm, graph_nbody, graph_layered, graph_random, graph_pipeline;

#endif
