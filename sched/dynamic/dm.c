/* sched/dynamic/dm.c - StarPU's dm, dmda and their variants: a task goes where it is expected to end first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU 1.4.10, deque_modeling_policy_data_aware.c and fifo_queues.c. A task is given to a worker when it becomes
 * ready. What is expected of a worker has two parts: `len`, the work in its queue, and `pipeline`, what it has taken
 * and not finished; the queue starts at `start`. A task's predicted transfer and length enter `len` at the push; the
 * transfer moves to the pipeline when the worker takes the task and leaves it when the task starts, where its length
 * takes its place.
 *
 *   fitness = alpha (end - earliest end) + beta transfer
 *   end     = max(start + len, now + transfer) + length
 *
 * dm has no transfer and no factors. StarPU's third term, gamma times energy, is zero without models of energy, and
 * codelets' names and durations are all that a trace has. Tasks without a duration go to the shortest queue, by the
 * number of tasks. A worker takes the first task of its queue, but
 *
 *   dmdap   sorts the queue by priority
 *   dmdar   takes the task that lacks least at its node
 *   dmdas   sorts the queue by priority and takes of the first priority the task that lacks least
 *   dmdasd  the same; and `len` is what comes before the task: if the queue has tasks of lower priorities, `pipeline`
 *           and the lengths of the others (where it has none `start` counts the pipeline, too, as StarPU does). Of
 *           applications that announce the range of their priorities StarPU keeps sums by priority instead
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/dynamic/dm.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/queue/priority_sums.h"
#include "sched/queue/ready.h"
#include "sched/queue/taskq.h"
#include "sched/speed.h"

enum dm_variant { DM_LENGTH, DM_DATA, DM_PRIORITY, DM_READY, DM_SORTED, DM_DECISION };

struct dm_worker {
	struct taskq queue;          /* unless tasks are in `ready` */
	uint32_t pushed_unfinished;  /* StarPU's pipeline_ntasks counts from the push */
	double start, len, pipeline; /* ns */
	int like;                    /* the first worker of its kind: tasks take as long on both */
	int64_t length;              /* of the task that is being pushed; of the first of a kind */
	double end;                  /* the same, of each; NAN: cannot run here */
};

struct dm_predicted {
	double length, transfer; /* ns */
};

struct dm {
	struct policy_world world;
	enum dm_variant variant;
	double alpha, beta;
	int64_t (*expected_ns)(const struct policy_world *w, uint32_t task, int worker);
	struct taskq_links links; /* unless tasks are in `ready` */
	struct ready
		*ready; /* dmdar, dmdas, dmdasd: the tasks of each worker, in a queue of its number; NULL: in taskq */
	struct priority_sums queued; /* dmdasd: their lengths */
	int32_t *no_priority;        /* dmdar: per task, 0 */
	struct dm_worker *workers;
	double *transfer_of_node;       /* of the task that is being pushed; NAN: not asked yet */
	struct dm_predicted *predicted; /* per task, at its push */
};

/* What the choice of a worker gives. */
struct dm_choice {
	int worker;
	struct dm_predicted predicted;
};

static void dm_free(void *state)
{
	struct dm *s = state;

	if (!s)
		return;
	taskq_links_fini(&s->links);
	for (int i = 0; i < s->world.machine->nworkers; i++)
		taskq_fini(&s->workers[i].queue);
	ready_free(s->ready);
	priority_sums_fini(&s->queued);
	free(s->no_priority);
	free(s->workers);
	free(s->transfer_of_node);
	free(s->predicted);
	free(s);
}

/* Cores are alike; devices may have costs of their own. */
static int first_like(const struct machine *m, int worker)
{
	const struct machine_worker *x = &m->workers[worker];
	int i = 0;

	while (m->workers[i].arch != x->arch || (x->arch != ARCH_CPU && m->workers[i].devid != x->devid))
		i++;
	return i;
}

static struct dm *open_as(const struct policy_world *w, enum dm_variant variant, double alpha, double beta)
{
	struct dm *s = ht_alloc(1, sizeof(*s));

	s->world = *w;
	s->variant = variant;
	s->alpha = alpha;
	s->beta = beta;
	s->expected_ns = policy_expected_ns;
	s->workers = ht_alloc((size_t)w->machine->nworkers, sizeof(*s->workers));
	if (variant == DM_READY)
		s->no_priority = ht_alloc(w->dag->ntasks, sizeof(*s->no_priority));
	if (variant == DM_DECISION)
		priority_sums_init(&s->queued, w->dag, w->machine->nworkers);
	if (variant == DM_READY || variant == DM_SORTED || variant == DM_DECISION)
		s->ready = ready_create(&s->world, s->no_priority);
	else
		taskq_links_init(&s->links, w->dag);
	for (int i = 0; i < w->machine->nworkers; i++) {
		taskq_init(&s->workers[i].queue);
		s->workers[i].like = first_like(w->machine, i);
		if (s->ready)
			ready_queue(s->ready, i);
	}
	s->transfer_of_node = ht_alloc((size_t)w->machine->nnodes, sizeof(*s->transfer_of_node));
	s->predicted = ht_alloc(w->dag->ntasks, sizeof(*s->predicted));
	return s;
}

void *dm_open(const struct policy_world *w, double alpha, double beta)
{
	struct dm *s = open_as(w, DM_DATA, alpha, beta);

	s->expected_ns = policy_cost_ns;
	return s;
}

struct dm_knobs {
	double alpha, beta;
};

static const struct knob knobs[] = {
	NUMBER_KNOB(dm_knobs, alpha, "alpha", "NUMBER", 1, 1e9),
	NUMBER_KNOB(dm_knobs, beta, "beta", "NUMBER", 1, 1e9),
	LAST_KNOB,
};

static void *dm_create(const struct policy *self, const struct policy_world *w, const char *options, struct ht_err *err)
{
	struct dm_knobs k = {.alpha = 1}; /* of dm, which has no knobs */

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	return open_as(w, (enum dm_variant)self->variant, k.alpha, k.beta);
}

/* fmax() of what is a number, without a call. */
static double later(double a, double b)
{
	return a > b ? a : b;
}

static double now_of(const struct dm *s)
{
	return (double)s->world.now(s->world.ctx);
}

/* Workers of one memory node have one answer. */
static double transfer_to(struct dm *s, uint32_t task, int worker)
{
	double *known = &s->transfer_of_node[s->world.machine->workers[worker].node];

	if (s->variant == DM_LENGTH || !s->world.transfer_ns)
		return 0;
	if (isnan(*known))
		*known = (double)s->world.transfer_ns(s->world.ctx, task, worker);
	return *known;
}

static uint32_t waiting(const struct dm *s, int worker)
{
	return s->ready ? ready_waiting(s->ready, worker) : s->workers[worker].queue.count;
}

/* What the worker is expected to execute before the task, ns, and how many tasks that is. */
static double len_before(const struct dm *s, uint32_t task, int worker, uint32_t *tasks)
{
	const struct dm_worker *w = &s->workers[worker];
	struct priority_sum before;

	*tasks = waiting(s, worker) + w->pushed_unfinished;
	if (s->variant != DM_DECISION)
		return w->len;
	before = priority_sums_from(&s->queued, worker, s->world.dag->tasks[task].priority);
	if (!before.tasks)
		return w->pipeline;
	if (before.tasks == waiting(s, worker))
		return w->len;
	*tasks = (uint32_t)before.tasks + w->pushed_unfinished;
	return w->pipeline + (double)before.ns;
}

/* The expected end on each worker; returns the earliest. *unknown: whether a length is zero. */
static double expect_ends(struct dm *s, uint32_t task, int *unknown)
{
	double now = now_of(s), earliest = INFINITY;

	*unknown = 0;
	for (int i = 0; i < s->world.machine->nworkers; i++) {
		struct dm_worker *w = &s->workers[i];
		int64_t length;
		uint32_t tasks;

		if (w->like == i)
			w->length = s->expected_ns(&s->world, task, i);
		length = s->workers[w->like].length;
		w->end = NAN;
		if (length < 0)
			continue;
		*unknown |= length == 0;
		w->end = later(later(w->start, now) + len_before(s, task, i, &tasks), now + transfer_to(s, task, i)) +
		         (double)length;
		earliest = w->end < earliest ? w->end : earliest;
	}
	return earliest;
}

/* The worker with the shortest queue of those that can run the task. */
static int shortest_queue(const struct dm *s, uint32_t task)
{
	const struct machine *m = s->world.machine;
	double shortest_end = 0;
	int shortest = -1;

	for (int i = 0; i < m->nworkers; i++) {
		const struct dm_worker *w = &s->workers[i];
		uint32_t tasks;
		double end;

		if (s->workers[w->like].length < 0)
			continue;
		len_before(s, task, i, &tasks);
		end = tasks / speed_of_arch(m->workers[i].arch);
		if (shortest < 0 || end < shortest_end) {
			shortest = i;
			shortest_end = end;
		}
	}
	return shortest;
}

static struct dm_choice choose(struct dm *s, uint32_t task)
{
	const struct machine *m = s->world.machine;
	struct dm_choice c = {.worker = -1};
	double earliest, best = INFINITY;
	int unknown;

	for (int i = 0; i < m->nnodes; i++)
		s->transfer_of_node[i] = NAN;
	earliest = expect_ends(s, task, &unknown);
	if (unknown) { /* StarPU takes a length of zero for a model that knows nothing */
		c.worker = shortest_queue(s, task);
		return c;
	}
	for (int i = 0; i < m->nworkers; i++) {
		double fitness = s->alpha * (s->workers[i].end - earliest) + s->beta * transfer_to(s, task, i);

		if (fitness < best) { /* never with NAN */
			best = fitness;
			c.worker = i;
		}
	}
	c.predicted.length = (double)s->workers[s->workers[c.worker].like].length;
	c.predicted.transfer = transfer_to(s, task, c.worker);
	return c;
}

/* A task has come into the queue of a worker, n 1, or leaves it, -1. */
static void count(struct dm *s, uint32_t task, int worker, int n)
{
	const struct priority_sum x = {n * (int64_t)s->predicted[task].length, n};

	if (s->variant == DM_DECISION)
		priority_sums_add(&s->queued, worker, s->world.dag->tasks[task].priority, x);
}

int dm_give(void *dm, uint32_t task)
{
	struct dm *s = dm;
	double now = now_of(s);
	struct dm_choice c;
	struct dm_worker *w;

	/* Of a large graph these are in no cache; they will be when the worker is chosen. */
	__builtin_prefetch(&s->predicted[task], 1);
	if (s->ready)
		ready_expect(s->ready, task);
	c = choose(s, task);
	w = &s->workers[c.worker];
	w->start = later(w->start, now);
	/* The copy may be over before the worker comes to the task; only what is left of it then counts. */
	c.predicted.transfer = later(now + c.predicted.transfer - (w->start + w->len), 0);
	s->predicted[task] = c.predicted;
	w->len += c.predicted.transfer + c.predicted.length;
	w->pushed_unfinished++;
	if (s->world.prefetch)
		s->world.prefetch(s->world.ctx, task, c.worker);
	if (s->ready)
		ready_put(s->ready, c.worker, task);
	else if (s->variant == DM_PRIORITY)
		taskq_insert(&s->links, &w->queue, task);
	else
		taskq_append(&s->links, &w->queue, task);
	count(s, task, c.worker, 1);
	return c.worker;
}

static void dm_push(void *state, uint32_t task, int releaser)
{
	struct dm *s = state;

	(void)releaser;
	s->world.wake(s->world.ctx, dm_give(s, task));
}

/* It has left its queue. */
static void begin(struct dm *s, uint32_t task, int worker)
{
	struct dm_worker *w = &s->workers[worker];

	w->len -= s->predicted[task].transfer;
	w->pipeline += s->predicted[task].transfer;
	w->start = now_of(s) + w->pipeline;
}

void dm_take(void *dm, uint32_t task, int worker)
{
	struct dm *s = dm;

	taskq_remove(&s->links, &s->workers[worker].queue, task);
	begin(s, task, worker);
}

uint32_t dm_first(void *dm, int worker)
{
	struct dm *s = dm;
	struct dm_worker *w = &s->workers[worker];

	w->start = later(w->start, now_of(s));
	return w->queue.head;
}

static uint32_t dm_pop(void *state, int worker)
{
	uint32_t task = dm_first(state, worker);

	if (task != POLICY_NO_TASK)
		dm_take(state, task, worker);
	return task;
}

static uint32_t ready_pop(void *state, int worker)
{
	struct dm *s = state;
	struct dm_worker *w = &s->workers[worker];
	uint32_t task = ready_take(s->ready, worker);

	w->start = later(w->start, now_of(s));
	if (task == POLICY_NO_TASK)
		return task;
	count(s, task, worker, -1);
	begin(s, task, worker);
	return task;
}

static void dm_moved(void *state, uint32_t handle, uint64_t nodes)
{
	ready_moved(((struct dm *)state)->ready, handle, nodes);
}

static void dm_started(void *state, uint32_t task, int worker)
{
	struct dm *s = state;
	struct dm_worker *w = &s->workers[worker];

	w->pipeline += s->predicted[task].length - s->predicted[task].transfer;
	w->len -= s->predicted[task].length;
	w->start = now_of(s) + w->pipeline;
}

static void dm_done(void *state, uint32_t task, int worker)
{
	struct dm *s = state;
	struct dm_worker *w = &s->workers[worker];

	w->pipeline -= s->predicted[task].length;
	w->pushed_unfinished--;
	w->start = later(now_of(s) + w->pipeline, w->start);
}

#define DM_POLICY(policy, text, which, ...) \
	{ \
		.name = policy, .summary = text " (StarPU 1.4.10)", .variant = which, .create = dm_create, \
		.free = dm_free, .push = dm_push, .started = dm_started, .done = dm_done, __VA_ARGS__ \
	}

const struct policy policy_dm = DM_POLICY("dm", "the worker that ends the task first", DM_LENGTH, .pop = dm_pop,
                                          .priority = policy_no_priority);

const struct policy policy_dmda = DM_POLICY("dmda", "dm that counts the copies of data", DM_DATA, .knobs = knobs,
                                            .pop = dm_pop, .priority = policy_no_priority);

const struct policy policy_dmdap = DM_POLICY("dmdap", "dmda with queues sorted by priority", DM_PRIORITY,
                                             .knobs = knobs, .pop = dm_pop);

const struct policy policy_dmdar = DM_POLICY("dmdar", "dmda that takes first what has its data", DM_READY,
                                             .knobs = knobs, .pop = ready_pop, .moved = dm_moved,
                                             .priority = policy_no_priority);

const struct policy policy_dmdas = DM_POLICY("dmdas", "dmda with both: by priority, then by data", DM_SORTED,
                                             .knobs = knobs, .pop = ready_pop, .moved = dm_moved);

const struct policy policy_dmdasd = DM_POLICY("dmdasd", "dmdas that counts what comes before a task", DM_DECISION,
                                              .knobs = knobs, .pop = ready_pop, .moved = dm_moved);
