/* plugin/live.c - what the program has submitted and not yet executed: StarPU's tasks as a live graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/live.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/mix.h"
#include "core/dag/live_dag.h"
#include "core/trace/trace.h"
#include "plugin/follow.h"
#include "plugin/starpu/can_run.h"
#include "plugin/starpu/codelet_key.h"
#include "plugin/starpu/codelet_name.h"
#include "plugin/starpu/guard.h"
#include "plugin/starpu/lock.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/starpu/task_model.h"
#include "sched/speed.h"

_Static_assert((int)STARPU_R == (int)ACCESS_R && (int)STARPU_W == (int)ACCESS_W &&
                       (int)STARPU_SCRATCH == (int)ACCESS_SCRATCH && (int)STARPU_REDUX == (int)ACCESS_REDUX &&
                       (int)STARPU_COMMUTE == (int)ACCESS_COMMUTE &&
                       ((int)STARPU_MPI_REDUX & ACCESS_MPI_REDUX) != 0, /* 1.5: with STARPU_RW and STARPU_COMMUTE */
               "StarPU's access modes are those of core/trace/trace.h");

enum {
	MODES = ACCESS_R | ACCESS_W | ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_COMMUTE | ACCESS_MPI_REDUX,
	OFTEN = 1 << 10,       /* a class asks its models again after 1, 2, 4, ... and then each so many tasks */
	RANK_UNIT_NS = 100,    /* of a priority: 214 s of rank fit into one */
	FEWEST_HANDLES = 4096, /* below that none is dropped */
	MOST_CLASSES = 4096,   /* of one footprint each */
	MOST_LEVELS = 1000,    /* of priorities of tasks that no data orders */
};

/* Workers that take the same time for all tasks. */
struct kind {
	enum starpu_worker_archtype arch;
	int devid;  /* -1: CPUs */
	int device; /* of the graph; -1: none */
	int worker, nworkers;
};

struct cost {
	int64_t ns; /* -1: cannot run there */
	unsigned implementation;
};

/* A class of the graph, by its index there; costs are in live.costs. */
struct class_tasks {
	uint64_t count, next; /* tasks so far, and how many there are when its models are asked again */
	int is_mixed;         /* some can run where others cannot */
};

/* StarPU's handle has index + 1 as its sched_data, which holds while `data` is that handle. */
struct handle {
	starpu_data_handle_t data; /* NULL: dropped */
	uint8_t is_loose;          /* without sequential consistency: accesses order nothing */
	uint8_t is_given_up;       /* its content, after the tasks that have been submitted */
	uint8_t is_partitioned;    /* or a part: StarPU submits more tasks where it is used otherwise than by a task */
	uint64_t last_use, number; /* number: that of its data among all that had an index, from 1 */
};

static struct {
	struct live_dag *graph;
	const struct config *config; /* NULL: none */
	int users, is_lost;
	struct kind *kinds;
	int nkinds, *kind_of; /* per worker */
	int nworkers;
	struct idmap types, classes; /* of the graph, by codelet_key() and class_key() */
	struct class_tasks *tasks_of;
	size_t cap_tasks_of;
	unsigned nmixed; /* classes */
	struct dag_device *devices;
	int64_t *device_cost_ns; /* [class * ndevices + device] */
	int ndevices;
	struct cost *costs; /* [class * nkinds + kind] */
	size_t cap_device_costs, cap_costs;
	struct starpu_task **task;
	struct followed *followed; /* per task */
	uint8_t *unordered;        /* per task: no data orders it */
	double highest_priority;   /* of all such tasks so far, without its sign */
	double longest_ns;         /* the longest of them */
	size_t cap_task, nlive;
	struct handle *handles;
	size_t nhandles, cap_handles, ndropped; /* ndropped: those whose index the next ones get */
	uint64_t last_number;
	uint64_t uses, next_drop;     /* of handles by submissions so far; when some may be dropped again */
	struct data_access *accesses; /* of the task that is submitted */
	size_t cap_accesses;
} live;

static void find_kinds(void)
{
	live.nworkers = (int)sp.starpu_worker_get_count();
	live.kind_of = ht_alloc((size_t)live.nworkers + 1, sizeof(*live.kind_of));
	live.kinds = ht_alloc((size_t)live.nworkers + 1, sizeof(*live.kinds));
	for (int w = 0; w < live.nworkers; w++) {
		struct kind k = {.arch = sp.starpu_worker_get_type(w), .worker = w};
		int i = 0;

		k.devid = k.arch == STARPU_CPU_WORKER ? -1 : sp.starpu_worker_get_devid(w);
		while (i < live.nkinds && (live.kinds[i].arch != k.arch || live.kinds[i].devid != k.devid))
			i++;
		if (i == live.nkinds)
			live.kinds[live.nkinds++] = k;
		live.kinds[i].nworkers++;
		live.kind_of[w] = i;
	}
	live.devices = ht_alloc((size_t)live.nkinds + 1, sizeof(*live.devices));
	for (int i = 0; i < live.nkinds; i++) {
		struct kind *k = &live.kinds[i];

		k->device = k->devid >= 0 && (int)k->arch < ARCH_COUNT ? live.ndevices : -1;
		if (k->device >= 0)
			live.devices[live.ndevices++] = (struct dag_device){(enum arch)k->arch, k->devid};
	}
}

/* The mean over pairs of different memory nodes, as core/machine/transfer_cost.h has it. */
static void mean_transfer(double *latency_ns, double *ns_per_byte)
{
	unsigned nodes = sp.starpu_memory_nodes_get_count();
	int pairs = 0;

	*latency_ns = *ns_per_byte = 0;
	for (unsigned from = 0; from < nodes; from++)
		for (unsigned to = 0; to < nodes; to++) {
			double bytes_per_us = from == to ? NAN : sp.starpu_transfer_bandwidth(from, to);
			double latency_us = from == to ? NAN : sp.starpu_transfer_latency(from, to);

			if (!(bytes_per_us > 0) || !(latency_us >= 0) || isinf(bytes_per_us))
				continue;
			*latency_ns += 1000 * latency_us;
			*ns_per_byte += 1000 / bytes_per_us;
			pairs++;
		}
	if (pairs) {
		*latency_ns /= pairs;
		*ns_per_byte /= pairs;
	}
}

static void make_graph(void *arg)
{
	double latency_ns, ns_per_byte;

	(void)arg;
	find_kinds();
	mean_transfer(&latency_ns, &ns_per_byte);
	live.graph = live_dag_create(latency_ns, ns_per_byte);
}

static void drop(void)
{
	/* Where there was no memory something may be half made: it is left as it is. */
	if (!live.is_lost) {
		live_dag_free(live.graph);
		free(live.kinds);
		free(live.kind_of);
		idmap_fini(&live.types);
		idmap_fini(&live.classes);
		free(live.tasks_of);
		free(live.costs);
		free(live.devices);
		free(live.device_cost_ns);
		free(live.task);
		free(live.followed);
		free(live.unordered);
		free(live.handles);
		free(live.accesses);
	}
	memset(&live, 0, sizeof(live));
}

int live_open(const struct config *c)
{
	if (live.users++)
		return live.is_lost ? -1 : 0;
	live.config = c;
	lock_init();
	live.is_lost = guarded(make_graph, NULL) != 0;
	return live.is_lost ? -1 : 0;
}

void live_close(void)
{
	if (--live.users == 0) {
		follow_end();
		report_line("left live=%zu", live.nlive);
		drop();
	}
}

struct live_dag *live_graph(void)
{
	return live.is_lost ? NULL : live.graph;
}

struct starpu_task *live_task(uint32_t index)
{
	return live.task[index];
}

uint64_t live_handle_number(uint32_t handle)
{
	return handle < live.nhandles ? live.handles[handle].number : 0;
}

starpu_data_handle_t live_handle(uint32_t handle)
{
	return live.handles[handle].data;
}

void live_lose(void)
{
	live.is_lost = 1;
}

uint32_t live_index(const struct starpu_task *task)
{
	uintptr_t data = (uintptr_t)*task_sched_data(task);

	return data && data <= live.cap_task && live.task[data - 1] == task ? (uint32_t)data - 1 : LIVE_NONE;
}

int live_is_internal(const struct starpu_task *task)
{
	const unsigned char *bytes = (const unsigned char *)task;

	return (*task_type(task) & STARPU_TASK_TYPE_INTERNAL) != 0 ||
	       (bytes[sp.layout->task.bits] & sp.layout->task.no_submitorder_bit) != 0;
}

int live_may_vanish(const struct starpu_task *task)
{
	return *task_transaction(task) || *task_prologue(task);
}

/* Of a task of which StarPU expects nothing. */
static int64_t cost_without_model(struct starpu_task *task, uint32_t footprint, const struct kind *k)
{
	int64_t ns = -1;

	if ((int)k->arch >= ARCH_COUNT)
		return (int64_t)1e6;
	if (live.config)
		ns = config_cost_ns(live.config, sp.starpu_task_get_name(task), sp.starpu_task_get_model_name(task),
		                    footprint, (enum arch)k->arch);
	return ns > 0 ? ns : (int64_t)(1e6 / speed_of_arch((enum arch)k->arch));
}

/* What StarPU expects of the kind of worker, with the fastest implementation. */
static struct cost find_cost(struct starpu_task *task, uint32_t footprint, const struct kind *k)
{
	unsigned can = can_run(task, k->worker);
	struct cost found = {.ns = -1};
	double us;

	if (!can)
		return found;
	while (!(can >> found.implementation & 1))
		found.implementation++;
	us = task_length_us(task, k->worker, can, &found.implementation);
	found.ns = us > 0 ? (int64_t)(1000 * us) : cost_without_model(task, footprint, k);
	return found;
}

/*
 * Costs by architecture are those of its fastest device. The length for ranks is PLACEMENT_RANK_GEOMETRIC of
 * sched/placement/plan.h: the mean over workers lets tasks of slow CPUs, which fast GPUs execute, outweigh all others.
 */
static void find_costs(struct starpu_task *task, uint32_t footprint, uint32_t class_id)
{
	struct dag_class *seen = &live_dag_view(live.graph)->classes[class_id];
	double sum = 0, least = INFINITY;
	int count = 0;
	int is_mixed = 0;
	unsigned nworkerids = *task_nworkerids(task);

	/* Costs are those of all tasks of the class. */
	*task_nworkerids(task) = 0;
	for (int a = 0; a < ARCH_COUNT; a++)
		seen->cost_ns[a] = -1;
	for (int i = 0; i < live.nkinds; i++) {
		const struct kind *k = &live.kinds[i];
		struct cost c = find_cost(task, footprint, k);

		if (live.tasks_of[class_id].next > 1)
			is_mixed |= (c.ns < 0) != (live.costs[class_id * (size_t)live.nkinds + (size_t)i].ns < 0);
		live.costs[class_id * (size_t)live.nkinds + (size_t)i] = c;
		if (k->device >= 0)
			live.device_cost_ns[class_id * (size_t)live.ndevices + (size_t)k->device] = c.ns;
		if (c.ns < 0)
			continue;
		sum += (double)c.ns * k->nworkers;
		count += k->nworkers;
		least = fmin(least, (double)c.ns);
		if ((int)k->arch < ARCH_COUNT && (seen->cost_ns[k->arch] < 0 || seen->cost_ns[k->arch] > c.ns))
			seen->cost_ns[k->arch] = c.ns;
	}
	*task_nworkerids(task) = nworkerids;
	live.nmixed += is_mixed && !live.tasks_of[class_id].is_mixed;
	live.tasks_of[class_id].is_mixed |= is_mixed;
	live_dag_set_length(live.graph, class_id, count ? sqrt(sum / count * least) : 0);
}

/* Each kind of device has costs of its own; the CPUs' are those of their architecture. */
static uint32_t add_class(uint32_t type)
{
	uint32_t c = live_dag_add_class(live.graph, type);
	struct dag *d = live_dag_view(live.graph);

	VEC_FIT(live.device_cost_ns, live.cap_device_costs, (c + 1) * (size_t)live.ndevices);
	VEC_FIT(live.costs, live.cap_costs, (c + 1) * (size_t)live.nkinds);
	VEC_FIT(live.tasks_of, live.cap_tasks_of, c);
	d->devices = live.devices;
	d->ndevices = (uint32_t)live.ndevices;
	d->device_cost_ns = live.device_cost_ns;
	live.tasks_of[c].next = 1;
	return c;
}

static uint64_t class_key(uint64_t type, int32_t where, uint32_t footprint)
{
	return mix64(type ^ mix64((uint64_t)footprint << 32 | (uint32_t)where));
}

/*
 * What the task's model may look at beside its data, as a number that tasks share which it says about the same of: of a
 * function of the program the lengths on each kind of worker. 0: it goes by the data.
 */
static uint64_t model_key(struct starpu_task *task)
{
	uint64_t h = task_model_size(task);
	unsigned nworkerids = *task_nworkerids(task);

	*task_nworkerids(task) = 0;
	for (int i = 0; task_model(task) == TASK_FUNCTION && i < live.nkinds; i++) {
		int worker = live.kinds[i].worker;

		h = mix64(h ^ task_length_step(task_length_us(task, worker, can_run(task, worker), NULL)));
	}
	*task_nworkerids(task) = nworkerids;
	return h;
}

static uint32_t type_of(uint64_t key)
{
	uint32_t type = idmap_get(&live.types, key);

	if (type == IDMAP_NONE) {
		type = live_dag_add_type(live.graph, "");
		idmap_put(&live.types, key, type);
	}
	return type;
}

/*
 * In place of the footprint, once there are MOST_CLASSES classes: a number that tasks with about as much data share.
 * From one number to the next the size grows by a quarter, so that a program with ever new sizes has few more classes.
 */
static uint32_t like_size(struct starpu_task *task)
{
	double bytes = 1;

	for (unsigned i = 0; i < task_nbuffers(task); i++)
		bytes += (double)sp.starpu_data_get_size(task_handle(task, i));
	return (uint32_t)(log2(bytes) * 3);
}

static uint32_t class_of(struct starpu_task *task)
{
	uint64_t type = codelet_key(task);
	uint32_t footprint = sp.starpu_task_data_footprint(task);
	uint64_t key = class_key(type ^ model_key(task), *task_where(task), footprint);
	uint32_t c = idmap_get(&live.classes, key);
	struct class_tasks *seen;

	if (c == IDMAP_NONE && live_dag_view(live.graph)->nclasses >= MOST_CLASSES) {
		key = class_key(type, *task_where(task), like_size(task));
		c = idmap_get(&live.classes, key);
	}
	if (c == IDMAP_NONE) {
		c = add_class(type_of(type));
		idmap_put(&live.classes, key, c);
	}
	seen = &live.tasks_of[c];
	if (++seen->count >= seen->next) {
		find_costs(task, footprint, c);
		seen->next += seen->next < OFTEN ? seen->next : OFTEN;
	}
	return c;
}

/*
 * A program that registers and unregisters data has handles that nobody will use again, which no function says: before
 * the arrays double, those go that were none of the last accesses, half as many as there are handles. Of handles that
 * are used once each these are half, so that each costs a few visits.
 */
static void drop_handles(void)
{
	live.next_drop = live.uses + live.nhandles / 4;
	for (uint32_t h = 0; h < live.nhandles; h++) {
		if (!live.handles[h].data || live_dag_uses(live.graph, h) ||
		    live.handles[h].last_use + live.nhandles / 2 > live.uses)
			continue;
		live_dag_drop_handle(live.graph, h);
		live.handles[h].data = NULL;
		live.ndropped++;
	}
}

static uint32_t add_handle(starpu_data_handle_t handle)
{
	uint32_t h;

	if (live.nhandles == live.cap_handles && live.cap_handles >= FEWEST_HANDLES && !live.ndropped &&
	    live.uses >= live.next_drop)
		drop_handles();
	h = live_dag_add_handle(live.graph, sp.starpu_data_get_size(handle), sp.starpu_data_get_home_node(handle));
	if (h >= live.cap_handles) {
		size_t cap = live.cap_handles ? 2 * live.cap_handles : 64;

		live.handles = ht_realloc(live.handles, cap, sizeof(*live.handles));
		memset(live.handles + live.cap_handles, 0, (cap - live.cap_handles) * sizeof(*live.handles));
		live.cap_handles = cap;
	}
	live.ndropped -= h < live.nhandles;
	live.nhandles = h < live.nhandles ? live.nhandles : h + 1;
	live.handles[h] = (struct handle){.data = handle,
	                                  .number = ++live.last_number,
	                                  .is_loose = !sp.starpu_data_get_sequential_consistency_flag(handle)};
	follow_forget(h);
	sp.starpu_data_set_sched_data(handle, (void *)((uintptr_t)h + 1));
	return h;
}

/* LIVE_NONE: it is not known. */
static uint32_t find_handle(starpu_data_handle_t handle)
{
	uintptr_t data = (uintptr_t)sp.starpu_data_get_sched_data(handle);

	return data && data <= live.nhandles && live.handles[data - 1].data == handle ? (uint32_t)data - 1 : LIVE_NONE;
}

static uint32_t handle_of(starpu_data_handle_t handle)
{
	uint32_t h = find_handle(handle);

	if (h == LIVE_NONE)
		h = add_handle(handle);
	live.handles[h].last_use = ++live.uses;
	return h;
}

static struct data_access access_of(const struct starpu_task *task, unsigned i)
{
	struct data_access a = {handle_of(task_handle(task, i)), task_mode(task, i) & MODES};

	live.handles[a.handle].is_given_up = 0;
	if (live.handles[a.handle].is_loose)
		a.mode |= ACCESS_UNORDERED;
	return a;
}

/* As the trace of a recorded run has it: the model's symbol, else the codelet's name. */
static const char *name_of(struct starpu_task *task)
{
	const char *model = sp.starpu_task_get_model_name(task), *name = model ? NULL : sp.starpu_task_get_name(task);

	return model ? model : name ? name : "";
}

struct submission {
	struct starpu_task *task;
	uint32_t index;
};

/* No task follows a plan any more; each has the rank that it has in what is live. */
static void lose_plans(void)
{
	unsigned long lost = 0;

	for (size_t i = 0; i < live.cap_task; i++)
		if (live.task[i] && live.followed[i].graph) {
			live.followed[i].graph = 0;
			lost++;
		}
	follow_lost(lost);
}

/* Its tasks have what another plan says of them. */
static void change_plan(uint32_t graph)
{
	for (size_t i = 0; i < live.cap_task; i++)
		if (live.task[i] && live.followed[i].graph == graph)
			follow_again(&live.followed[i]);
}

/* starpu_execute_on_each_worker() submits tasks that traces do not have, one for each (1.4.10, execute_on_all.c). */
static int is_recorded(struct starpu_task *task)
{
	const char *name = *task_name(task);

	return !name || strcmp(name, "execute_on_all_wrapper") != 0;
}

/* Whether data orders the task, whose accesses are live.accesses. */
static void note_order(uint32_t index, int priority, unsigned naccesses)
{
	live.unordered[index] = 1;
	for (unsigned i = 0; i < naccesses; i++)
		if (!(live.accesses[i].mode & (ACCESS_SCRATCH | ACCESS_UNORDERED)))
			live.unordered[index] = 0;
	if (!live.unordered[index])
		return;
	live.highest_priority = fmax(live.highest_priority, fabs((double)priority));
	live.longest_ns = fmax(live.longest_ns, live_dag_rank_ns(live.graph, index));
}

static void submit(void *arg)
{
	struct submission *s = arg;
	unsigned n = task_nbuffers(s->task);
	uint32_t c = class_of(s->task);
	struct followed followed = {.place = {ARCH_NONE, 0}};

	if (n > live.cap_accesses) {
		live.accesses = ht_realloc(live.accesses, 2 * n, sizeof(*live.accesses));
		live.cap_accesses = 2 * n;
	}
	for (unsigned i = 0; i < n; i++)
		live.accesses[i] = access_of(s->task, i);
	if (is_recorded(s->task))
		followed = follow_submit(name_of(s->task), live.accesses, n, *task_priority(s->task), live.nlive);
	s->index = live_dag_submit(live.graph, &(struct live_task){.class_id = c,
	                                                           .priority = *task_priority(s->task),
	                                                           .accesses = live.accesses,
	                                                           .naccesses = n});
	if (live_dag_view(live.graph)->ntasks > live.cap_task) {
		size_t cap = 2 * (size_t)live_dag_view(live.graph)->ntasks;

		live.task = ht_realloc(live.task, cap, sizeof(*live.task));
		memset(live.task + live.cap_task, 0, (cap - live.cap_task) * sizeof(*live.task));
		live.followed = ht_realloc(live.followed, cap, sizeof(*live.followed));
		live.unordered = ht_realloc(live.unordered, cap, sizeof(*live.unordered));
		live.cap_task = cap;
	}
	live.task[s->index] = s->task;
	live.followed[s->index] = followed;
	note_order(s->index, *task_priority(s->task), n);
	if (followed.lost)
		lose_plans();
	if (followed.changed)
		change_plan(followed.changed);
	live.nlive++;
	*task_sched_data(s->task) = (void *)((uintptr_t)s->index + 1);
}

uint32_t live_submit(struct starpu_task *task)
{
	struct submission s = {task, LIVE_NONE};

	if (live.is_lost || !*task_codelet(task))
		return LIVE_NONE;
	codelet_name_task(task);
	if (guarded(submit, &s) != 0) {
		live.is_lost = 1;
		return LIVE_NONE;
	}
	return s.index;
}

static void note_parts(void *any)
{
	const struct starpu_task *task = any;

	for (unsigned i = 0; i < task_nbuffers(task); i++) {
		uint32_t h = handle_of(task_handle(task, i)); /* the array may move */

		live.handles[h].is_partitioned = 1;
	}
}

static void note_send(void *handle)
{
	live_dag_send(live.graph, *(const uint32_t *)handle);
}

/*
 * What StarPU submits where the program acquires data later on, or gives up its content (1.4.10, user_interactions.c,
 * starpu_data_acquire_on_node_cb_...): its argument begins with the data and how it is accessed. StarPU-MPI reads so
 * what it sends, and writes what it receives.
 */
static int note_acquisition(struct starpu_task *task)
{
	const struct {
		starpu_data_handle_t data;
		enum starpu_data_access_mode mode;
	} *acquires = *task_callback_arg(task);
	const char *name = sp.starpu_task_get_name(task);
	uint32_t h;

	if (!(*task_type(task) & STARPU_TASK_TYPE_DATA_ACQUIRE) || !name ||
	    strcmp(name, "_starpu_data_acquire_cb_pre") != 0)
		return 0;
	h = find_handle(acquires->data);
	if (h != LIVE_NONE && acquires->mode == STARPU_R && sp.has_mpi && guarded(note_send, &h) != 0)
		live.is_lost = 1;
	if (h == LIVE_NONE || !(acquires->mode & STARPU_W) || live.handles[h].is_given_up)
		return 0;
	live.handles[h].is_given_up = 1;
	return 1;
}

int live_note(struct starpu_task *task)
{
	if (live.is_lost)
		return 0;
	if (!*task_codelet(task))
		return note_acquisition(task);
	if (guarded(note_parts, task) != 0)
		live.is_lost = 1;
	return 1;
}

int live_can_copy(uint32_t handle)
{
	return !live.handles[handle].is_given_up && !live.handles[handle].is_partitioned;
}

void live_done(struct starpu_task *task)
{
	uint32_t index = live_index(task);

	if (index == LIVE_NONE)
		return;
	*task_sched_data(task) = NULL;
	live.task[index] = NULL;
	live.nlive--;
	if (!live.is_lost)
		live_dag_done(live.graph, index);
}

int64_t live_cost_ns(uint32_t index, int worker, unsigned *implementation)
{
	uint32_t c = live_dag_view(live.graph)->tasks[index].class_id;
	const struct cost *cost = &live.costs[c * (size_t)live.nkinds + (size_t)live.kind_of[worker]];

	if (implementation)
		*implementation = cost->implementation;
	return cost->ns;
}

int live_is_mixed(uint32_t index)
{
	return live.tasks_of[live_dag_view(live.graph)->tasks[index].class_id].is_mixed;
}

unsigned live_mixed_classes(void)
{
	return live.nmixed;
}

uint32_t live_iteration(uint32_t index)
{
	return live.followed[index].iteration;
}

/*
 * Tasks that no data orders may be ordered by tags, or by dependencies that the program declares, of which the graph
 * knows nothing: of their order only the application's priorities are known. Most applications number the levels of
 * their graph so. Therefore each level counts as much time as the longest of these tasks takes, or less where there are
 * more than MOST_LEVELS.
 */
static double unordered_rank_ns(uint32_t index)
{
	double step = live.longest_ns * fmin(1, MOST_LEVELS / fmax(live.highest_priority, 1));

	return *task_priority(live.task[index]) * step + live_dag_rank_ns(live.graph, index) / 2;
}

double live_rank_ns(uint32_t index)
{
	if (live.followed[index].graph)
		return live.followed[index].rank_ns;
	return live.unordered[index] ? unordered_rank_ns(index) : live_dag_rank_ns(live.graph, index);
}

struct config_place live_place(uint32_t index)
{
	const struct followed *f = &live.followed[index];

	return f->graph ? f->place : (struct config_place){ARCH_NONE, 0};
}

int live_priority(uint32_t index)
{
	double rank = live_rank_ns(index) / RANK_UNIT_NS;

	if (live.unordered[index] && !live.followed[index].graph)
		return *task_priority(live.task[index]);
	return rank >= INT_MAX ? INT_MAX : rank <= INT_MIN ? INT_MIN : (int)rank;
}
