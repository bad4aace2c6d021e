/* sched/modular/modular.c - StarPU's modular schedulers: a tree of components over the workers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU 1.4.10, modular_ez.c, modular_heft.c, modular_heft_prio.c and modular_heteroprio.c; what the components are is
 * in modular.h. modular-heft-prio decides between memory nodes, the two others between workers. Where there is one
 * child only, StarPU puts an eager component in place of the decision: tasks come down one at a time, when a worker
 * asks.
 *
 * The tree acts at every push and at every pop, in no time. A worker that pops searches again when a task came down for
 * it during the search (state_keep_awake).
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/knob.h"
#include "sched/modular/modular.h"
#include "sched/queue/ready.h"

enum { THRESHOLD = 30, THRESHOLD_ALONE = 2 }; /* _STARPU_SCHED_NTASKS_THRESHOLD_HEFT, _DEFAULT */
#define THRESHOLD_US 1e9

static void modular_free(void *state)
{
	struct modular *s = state;

	if (!s)
		return;
	taskq_links_fini(&s->links);
	ready_free(s->sorted);
	scoreheap_fini(&s->above);
	scoreheap_fini(&s->partial);
	for (int i = 0; i < s->nclasses; i++)
		scoreheap_fini(&s->classes[i].tasks);
	free(s->children);
	free(s->workers);
	free(s->everyone);
	free(s->members);
	free(s->end);
	free(s->transfer_of_node);
	free(s->classes);
	free(s->priority);
	free(s->length);
	free(s->transfer);
	free(s->prefetched);
	free(s);
}

/* Memory nodes without a worker have no child. */
static void make_children(struct modular *s)
{
	const struct machine *m = s->world.machine;
	int ngroups = s->decision->per_worker ? m->nworkers : m->nnodes, placed = 0;

	s->children = ht_alloc((size_t)ngroups, sizeof(*s->children));
	for (int g = 0; g < ngroups; g++) {
		struct modular_child *c = &s->children[s->nchildren];

		*c = (struct modular_child){.spread = {.workers = s->members + placed, .target = -1, .left = -1}};
		for (int w = 0; w < m->nworkers; w++) {
			if ((s->decision->per_worker ? w : m->workers[w].node) != g)
				continue;
			s->members[placed++] = w;
			c->spread.nworkers++;
			c->archs |= (arch_mask)(1u << m->workers[w].arch);
			s->workers[w].child = s->nchildren;
		}
		if (!c->spread.nworkers)
			continue;
		c->queue = ready_queue(s->sorted, c->spread.workers[0]);
		s->nchildren++;
	}
}

static void make_workers(struct modular *s)
{
	const struct machine *m = s->world.machine;
	size_t n = (size_t)m->nworkers;

	s->archs = machine_archs(m);
	s->workers = ht_alloc(n, sizeof(*s->workers));
	s->everyone = ht_alloc(n, sizeof(*s->everyone));
	s->members = ht_alloc(n, sizeof(*s->members));
	for (int w = 0; w < m->nworkers; w++) {
		s->everyone[w] = w;
		taskq_init(&s->workers[w].queue);
	}
	s->unknown = (struct modular_spread){.workers = s->everyone, .nworkers = m->nworkers, .target = -1, .left = -1};
	s->asking = s->only_left = -1;
	make_children(s);
	s->end = ht_alloc((size_t)s->nchildren, sizeof(*s->end));
	s->transfer_of_node = ht_alloc((size_t)m->nnodes, sizeof(*s->transfer_of_node));
}

static void make_tasks(struct modular *s)
{
	const struct dag *d = s->world.dag;

	s->priority = ht_alloc(d->ntasks, sizeof(*s->priority));
	s->length = ht_alloc(d->ntasks, sizeof(*s->length));
	s->transfer = ht_alloc(d->ntasks, sizeof(*s->transfer));
	s->prefetched = ht_alloc(d->ntasks, sizeof(*s->prefetched));
	for (uint32_t t = 0; t < d->ntasks; t++) {
		s->priority[t] = d->tasks[t].priority;
		s->length[t] = s->transfer[t] = NAN;
	}
	taskq_links_init(&s->links, d);
	s->sorted = ready_create(&s->world, s->priority);
}

struct modular_knobs {
	double alpha, beta, ntasks_threshold, exp_len_threshold_us;
};

static const struct knob knobs[] = {
	NUMBER_KNOB(modular_knobs, alpha, "alpha", "NUMBER", 1, 1e9),
	NUMBER_KNOB(modular_knobs, beta, "beta", "NUMBER", 1, 1e9),
	NUMBER_KNOB(modular_knobs, ntasks_threshold, "ntasks_threshold", "NUMBER", -1, 1e9),
	NUMBER_KNOB(modular_knobs, exp_len_threshold_us, "exp_len_threshold", "NUMBER", THRESHOLD_US, 1e15),
	LAST_KNOB,
};

enum modular_variant { MODULAR_HEFT, MODULAR_HEFT_PRIO, MODULAR_HETEROPRIO };

static const struct modular_decision *const decisions[] = {&modular_mct_workers, &modular_mct_nodes,
                                                           &modular_heteroprio};

static void *modular_create(const struct policy *self, const struct policy_world *w, const char *options,
                            struct ht_err *err)
{
	struct modular_knobs k;
	struct modular *s;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	s->decision = decisions[self->variant];
	s->alpha = k.alpha;
	s->beta = k.beta;
	s->length_threshold = k.exp_len_threshold_us * 1e3;
	make_tasks(s);
	make_workers(s);
	s->ntasks_threshold = k.ntasks_threshold >= 0 ? k.ntasks_threshold :
	                      s->nchildren == 1       ? THRESHOLD_ALONE :
	                                                THRESHOLD;
	return s;
}

/* A duration on some architecture is enough. */
static int is_known(const struct modular *s, uint32_t task)
{
	if (s->world.dag->types[dag_type_of(s->world.dag, task)].has_no_model)
		return 0;
	for (int a = 0; s->archs >> a; a++) {
		if (s->archs >> a & 1 && dag_cost(s->world.dag, task, (enum arch)a) > 0)
			return 1;
	}
	return 0;
}

/* component_perfmodel_select.c. 0: refused. */
static int push_down(struct modular *s, uint32_t task)
{
	if (!is_known(s, task))
		return modular_spread_push(s, &s->unknown, task);
	if (s->nchildren > 1)
		return s->decision->push(s, task);
	if (!s->only_left)
		return 0;
	if (s->only_left > 0)
		s->only_left--;
	return modular_child_push(s, &s->children[0], task);
}

/* What is above goes down until a task is refused. */
static void pump(struct modular *s)
{
	uint32_t task;

	while ((task = modular_first(&s->above)) != POLICY_NO_TASK) {
		if (!push_down(s, task)) {
			scoreheap_put_front(&s->above, s->priority[task], task);
			break;
		}
	}
}

void modular_can_push(struct modular *s)
{
	if (s->nchildren == 1)
		s->only_left = 1;
	else if (s->decision->progress)
		s->decision->progress(s);
	pump(s);
	s->only_left = -1;
}

static void modular_push(void *state, uint32_t task, int releaser)
{
	struct modular *s = state;

	(void)releaser; /* one tree for all: the releasing worker makes no difference */
	scoreheap_put(&s->above, s->priority[task], task);
	if (s->nchildren == 1)
		modular_prefetch(s, task, 0);
	pump(s);
}

/* component_worker.c: the worker's own queue, its child, and what has no duration. */
static uint32_t ask(struct modular *s, int worker)
{
	uint32_t task = modular_worker_take(s, worker);

	if (task != POLICY_NO_TASK)
		return task;
	task = modular_child_ask(s, &s->children[s->workers[worker].child], worker);
	if (task == POLICY_NO_TASK) {
		s->unknown.target = worker;
		s->unknown.left = 1;
		pump(s);
		s->unknown.target = s->unknown.left = -1;
		return task;
	}
	modular_worker_add(s, worker, task);
	return task;
}

static uint32_t modular_pop(void *state, int worker)
{
	struct modular *s = state;
	uint32_t task;

	s->asking = worker;
	do {
		s->again = 0;
		task = ask(s, worker);
	} while (task == POLICY_NO_TASK && s->again);
	s->asking = -1;
	if (task != POLICY_NO_TASK)
		modular_worker_transfers(s, worker, task);
	return task;
}

static void modular_moved(void *state, uint32_t handle, uint64_t nodes)
{
	ready_moved(((struct modular *)state)->sorted, handle, nodes);
}

#define MODULAR_POLICY(policy, text, which) \
	{ \
		.name = policy, .summary = text " (StarPU 1.4.10)", .knobs = knobs, .variant = which, \
		.create = modular_create, .free = modular_free, .push = modular_push, .pop = modular_pop, \
		.started = modular_worker_started, .done = modular_worker_done, .moved = modular_moved, \
	}

const struct policy policy_modular_heft =
	MODULAR_POLICY("modular-heft", "the worker that ends the task first, by priority", MODULAR_HEFT);

const struct policy policy_modular_heft_prio =
	MODULAR_POLICY("modular-heft-prio", "the node that ends the task first, by priority", MODULAR_HEFT_PRIO);

const struct policy policy_modular_heteroprio =
	MODULAR_POLICY("modular-heteroprio", "GPUs take what they speed up most, CPUs least", MODULAR_HETEROPRIO);
