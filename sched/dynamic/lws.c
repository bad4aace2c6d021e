/* sched/dynamic/lws.c - StarPU's ws and lws: each worker has a deque, and one without a task steals. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU 1.4.10, work_stealing_policy.c and prio_deque.c. A task goes to the deque of the worker that released it;
 * where that one cannot execute it, and from the main thread, to the next in turn that can. A worker takes the
 * oldest of its own tasks of the highest priority; else it steals the newest of the highest priority that it can
 * execute from one victim: the first one that has a task queued and executes another one. Where that gives
 * nothing it does not search further, but sleeps until the next push, which wakes every worker.
 *
 * ws looks for victims in turn, from the one after the last victim. lws begins with the nearest, by StarPU's tree of
 * the machine (hwloc); a recorded machine has the cores that workers are bound to, so near is a core with a near
 * number.
 *
 * The first worker that pops has the task that was pushed. With drivers=polling that may be any of them: here the order
 * is drawn, always the same way. With drivers=blocking, as over SimGrid, it is the order of workers; and StarPU has no
 * hwloc there, without which its lws is ws.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/mix.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/queue/taskq.h"
#include "sched/waiters.h"

enum lws_variant { STEAL_IN_TURN, STEAL_NEARBY };

struct lws_worker {
	struct taskq queue;
	int busy;                  /* its last pop gave it a task */
	int is_victim;             /* it is, and has a task queued */
	int last;                  /* ws: where it looks for a victim next */
	int place;                 /* lws: in `near` */
	int core;                  /* lws: it is bound to; the worker's number where one is not known */
	uint32_t able[ARCH_COUNT]; /* of the tasks in its queue, those that can be executed there */
};

struct lws {
	struct policy_world world;
	struct taskq_links links;
	struct lws_worker *workers;
	int *near;        /* lws: the workers in the order of their cores; ws: NULL */
	int *order;       /* in which they look */
	arch_mask *archs; /* per task: where it can be executed, as of its push */
	enum waiters_mode drivers;
	uint64_t draws;
	int last_push, nvictims;
};

static void lws_free(void *state)
{
	struct lws *s = state;

	if (!s)
		return;
	taskq_links_fini(&s->links);
	for (int i = 0; i < s->world.machine->nworkers; i++)
		taskq_fini(&s->workers[i].queue);
	free(s->workers);
	free(s->near);
	free(s->order);
	free(s->archs);
	free(s);
}

static int by_core(const void *a, const void *b, void *arg)
{
	const struct lws_worker *workers = arg;
	int x = *(const int *)a, y = *(const int *)b;

	if (workers[x].core != workers[y].core)
		return workers[x].core < workers[y].core ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* lws: workers in the order of their cores; where a core is not known, of their numbers. */
static void sort_by_core(struct lws *s)
{
	const struct machine *m = s->world.machine;
	int n = m->nworkers, known = 1;

	for (int i = 0; i < n; i++)
		known &= m->workers[i].binding >= 0;
	s->near = ht_alloc((size_t)n, sizeof(*s->near));
	for (int i = 0; i < n; i++) {
		s->workers[i].core = known ? m->workers[i].binding : i;
		s->near[i] = i;
	}
	qsort_r(s->near, (size_t)n, sizeof(*s->near), by_core, s->workers);
	for (int i = 0; i < n; i++)
		s->workers[s->near[i]].place = i;
}

struct lws_knobs {
	int drivers;
};

static const struct knob knobs[] = {WAITERS_KNOB(lws_knobs, drivers), LAST_KNOB};

static void *lws_create(const struct policy *self, const struct policy_world *w, const char *options,
                        struct ht_err *err)
{
	int n = w->machine->nworkers;
	struct lws_knobs k;
	struct lws *s;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	s->drivers = waiters_mode_of(k.drivers, w);
	taskq_links_init(&s->links, w->dag);
	s->order = ht_alloc((size_t)n, sizeof(*s->order));
	s->archs = ht_alloc(w->dag->ntasks, sizeof(*s->archs));
	s->workers = ht_alloc((size_t)n, sizeof(*s->workers));
	for (int i = 0; i < n; i++) {
		s->order[i] = i;
		taskq_init(&s->workers[i].queue);
	}
	if (self->variant == STEAL_NEARBY && s->drivers == WAITERS_POLLING)
		sort_by_core(s);
	return s;
}

/* After a change of its queue or of `busy`. */
static void update_victim(struct lws *s, struct lws_worker *w)
{
	int is_victim = w->queue.count && w->busy;

	s->nvictims += is_victim - w->is_victim;
	w->is_victim = is_victim;
}

static void count_able(const struct lws *s, struct lws_worker *w, uint32_t task, uint32_t change)
{
	for (int a = 0; s->archs[task] >> a; a++)
		if (s->archs[task] >> a & 1)
			w->able[a] += change;
}

static void put(struct lws *s, struct lws_worker *w, uint32_t task)
{
	s->archs[task] = dag_class_archs(&s->world.dag->classes[s->world.dag->tasks[task].class_id]);
	count_able(s, w, task, 1);
	taskq_insert(&s->links, &w->queue, task);
	update_victim(s, w);
}

static void take(struct lws *s, struct lws_worker *w, uint32_t task)
{
	count_able(s, w, task, (uint32_t)-1);
	taskq_remove(&s->links, &w->queue, task);
	update_victim(s, w);
}

static int can_execute(const struct lws *s, int worker, uint32_t task)
{
	return dag_cost(s->world.dag, task, s->world.machine->workers[worker].arch) >= 0;
}

/* Durstenfeld 1964. */
static void shuffle(struct lws *s, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int k = (int)(mix64(++s->draws * MIX_GAMMA) % (uint64_t)(i + 1)), x = s->order[i];

		s->order[i] = s->order[k];
		s->order[k] = x;
	}
}

static void lws_push(void *state, uint32_t task, int releaser)
{
	struct lws *s = state;
	int n = s->world.machine->nworkers, to = releaser;

	if (to < 0 || !can_execute(s, to, task)) {
		do
			s->last_push = (s->last_push + 1) % n;
		while (!can_execute(s, s->last_push, task)); /* some worker can: the simulator and StarPU see to it */
		to = s->last_push;
	}
	put(s, &s->workers[to], task);
	if (s->drivers == WAITERS_POLLING)
		shuffle(s, n);
	for (int i = 0; i < n; i++)
		s->world.wake(s->world.ctx, s->order[i]);
}

/* -1: nobody. */
static int victim_in_turn(struct lws *s, int worker)
{
	int n = s->world.machine->nworkers, first = s->workers[worker].last, at = first;

	if (!s->nvictims) {
		s->workers[worker].last = (first + 1) % n;
		return -1;
	}
	while (!s->workers[at].is_victim)
		at = (at + 1) % n;
	s->workers[worker].last = (at + 1) % n;
	return at;
}

/* From the worker's place outwards to both sides, the smaller core first where both are as near. */
static int victim_nearby(const struct lws *s, int worker)
{
	int n = s->world.machine->nworkers, core = s->workers[worker].core;
	int down = s->workers[worker].place - 1, up = down + 2;

	while (s->nvictims) {
		int64_t below = down >= 0 ? (int64_t)core - s->workers[s->near[down]].core : INT64_MAX;
		int64_t above = up < n ? (int64_t)s->workers[s->near[up]].core - core : INT64_MAX;
		int at = below <= above ? s->near[down--] : s->near[up++];

		if (s->workers[at].is_victim)
			return at;
	}
	return -1;
}

/* The newest of the highest priority that the worker can execute. */
static uint32_t steal(const struct lws *s, const struct lws_worker *from, int worker)
{
	enum arch a = s->world.machine->workers[worker].arch;
	uint32_t first = from->able[a] ? from->queue.head : POLICY_NO_TASK, before = POLICY_NO_TASK;

	while (first != POLICY_NO_TASK) {
		uint32_t last = taskq_last_alike(&s->links, &from->queue, first);

		for (uint32_t t = last; t != before; t = s->links.prev[t]) {
			if (s->archs[t] >> a & 1)
				return t;
		}
		before = last;
		first = s->links.next[last];
	}
	return POLICY_NO_TASK;
}

static uint32_t lws_pop(void *state, int worker)
{
	struct lws *s = state;
	struct lws_worker *w = &s->workers[worker], *from = w;
	uint32_t task = w->queue.head; /* what is in its own deque it can execute */
	int victim;

	w->busy = 0;
	update_victim(s, w);
	if (task == POLICY_NO_TASK) {
		victim = s->near ? victim_nearby(s, worker) : victim_in_turn(s, worker);
		if (victim < 0)
			return POLICY_NO_TASK;
		from = &s->workers[victim];
		task = steal(s, from, worker);
	}
	if (task == POLICY_NO_TASK)
		return POLICY_NO_TASK;
	take(s, from, task);
	w->busy = 1;
	update_victim(s, w);
	return task;
}

const struct policy policy_ws = {
	.name = "ws",
	.summary = "a deque per worker, steals in turn (StarPU 1.4.10)",
	.knobs = knobs,
	.variant = STEAL_IN_TURN,
	.create = lws_create,
	.free = lws_free,
	.push = lws_push,
	.pop = lws_pop,
};

const struct policy policy_lws = {
	.name = "lws",
	.summary = "a deque per worker, steals nearby (StarPU 1.4.10)",
	.knobs = knobs,
	.variant = STEAL_NEARBY,
	.create = lws_create,
	.free = lws_free,
	.push = lws_push,
	.pop = lws_pop,
};
