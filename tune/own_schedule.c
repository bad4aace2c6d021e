/* tune/own_schedule.c - what the run's own schedule takes by the rules of a replay. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A replay leaves things out and takes mean durations; so a recorded makespan cannot be compared with a replayed one.
 * This one can: the recorded schedule is a policy too, which gives every worker its tasks in the order it executed
 * them.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/scenario.h"
#include "sched/policy.h"
#include "tune/tune.h"

struct started {
	int64_t start_ns;
	uint32_t place; /* in the topological order: tells tasks that start at the same time apart */
	uint32_t task;
	int32_t worker;
};

/* Tasks of worker w: tasks[first[w]] .. tasks[first[w + 1] - 1]. */
struct own_order {
	uint32_t *tasks, *first;
	int32_t *worker; /* per task */
	int prefetches;  /* data was copied as soon as a task was ready */
};

struct own {
	struct policy_world world;
	const struct own_order *order;
	uint32_t *next; /* per worker: into tasks[] */
	unsigned char *ready;
};

static int by_start(const void *pa, const void *pb)
{
	const struct started *a = pa, *b = pb;

	if (a->worker != b->worker)
		return a->worker < b->worker ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void own_free(void *state)
{
	struct own *o = state;

	if (!o)
		return;
	free(o->next);
	free(o->ready);
	free(o);
}

static void *own_create(const struct policy_world *w, const char *options, struct ht_err *err)
{
	struct own *o = ht_alloc(1, sizeof(*o));

	(void)options, (void)err;
	o->world = *w;
	o->order = w->data;
	o->ready = ht_alloc(w->dag->ntasks, 1);
	o->next = ht_alloc((size_t)w->machine->nworkers, sizeof(*o->next));
	for (int i = 0; i < w->machine->nworkers; i++)
		o->next[i] = o->order->first[i];
	return o;
}

static void own_push(void *state, uint32_t task, int releaser)
{
	struct own *o = state;
	int worker = o->order->worker[task];

	(void)releaser;
	o->ready[task] = 1;
	if (o->order->prefetches && o->world.prefetch)
		o->world.prefetch(o->world.ctx, task, worker);
	if (o->order->tasks[o->next[worker]] == task)
		o->world.wake(o->world.ctx, worker);
}

static uint32_t own_pop(void *state, int worker)
{
	struct own *o = state;
	uint32_t at = o->next[worker];

	if (at == o->order->first[worker + 1] || !o->ready[o->order->tasks[at]])
		return POLICY_NO_TASK;
	o->next[worker]++;
	return o->order->tasks[at];
}

static const struct policy policy_own = {
	.name = "own",
	.summary = "what every worker executed in the run, in that order",
	.knobs = "",
	.create = own_create,
	.free = own_free,
	.push = own_push,
	.pop = own_pop,
};

/* -1: a task was not executed by a worker that the machine has, or cannot run there. */
static int make_order(struct own_order *o, const struct trace *t, const struct dag *d, const struct machine *m)
{
	struct started *order = ht_alloc(d->ntasks, sizeof(*order));
	int rc = 0;

	for (uint32_t k = 0; k < d->ntasks && rc == 0; k++) {
		uint32_t task = d->order[k], trace_task = d->tasks[task].trace_task;
		const struct trace_task *tt = trace_task < t->ntasks ? &t->tasks[trace_task] : NULL;

		if (!tt || tt->worker < 0 || tt->worker >= m->nworkers || tt->start_ns == TIME_NONE ||
		    dag_cost(d, task, m->workers[tt->worker].arch) < 0)
			rc = -1;
		else
			order[k] = (struct started){tt->start_ns, k, task, tt->worker};
	}
	if (rc == 0) {
		uint32_t k = 0;

		qsort(order, d->ntasks, sizeof(*order), by_start);
		for (int w = 0; w <= m->nworkers; w++) {
			o->first[w] = k;
			for (; k < d->ntasks && order[k].worker == w; k++) {
				o->tasks[k] = order[k].task;
				o->worker[order[k].task] = w;
			}
		}
	}
	free(order);
	return rc;
}

/* Whether the run's scheduler asked for copies before a worker took the task. */
static int has_prefetched(const struct trace *t)
{
	for (size_t i = 0; i < t->ncopies; i++) {
		if (t->copies[i].cause == COPY_TASK_PREFETCH)
			return 1;
	}
	return 0;
}

int64_t own_schedule_ns(const struct trace *t, const struct dag *d, const struct machine *m,
                        const struct scenario *scenario)
{
	struct own_order order = {
		.tasks = ht_alloc((size_t)d->ntasks + 1, sizeof(*order.tasks)),
		.first = ht_alloc((size_t)m->nworkers + 2, sizeof(*order.first)),
		.worker = ht_alloc(d->ntasks, sizeof(*order.worker)),
		.prefetches = has_prefetched(t),
	};
	struct simulate_options o = {
		.policy = &policy_own,
		.policy_options = "",
		.policy_data = &order,
	};
	struct simulation *s;
	int64_t makespan;

	scenario_set(scenario, &o);
	s = make_order(&order, t, d, m) == 0 ? simulate(d, m, &o, NULL) : NULL;
	makespan = s ? s->makespan_ns : -1;
	simulation_free(s);
	free(order.tasks);
	free(order.first);
	free(order.worker);
	return makespan;
}
