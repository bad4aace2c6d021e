/* sched/dynamic/inspirit.c - INSPIRIT: dmda whose workers choose their next task by what it inspires. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wang et al., "INSPIRIT: Optimizing Heterogeneous Task Scheduling through Adaptive Priority in Task-based Runtime
 * Systems", 2024. A task goes to a worker when it becomes ready, as in dmda (dm.h). Which of a worker's tasks it
 * takes next depends on how the number of ready tasks goes (sched/nready.h): the first one, the one with the highest
 * inspiring ability (ability.h), or the one with the highest inspiring efficiency (efficiency.h) "and
 * locality": of the `locality` most efficient ones that which lacks least at the worker's node. Among equals the one
 * that came first is taken.
 *
 * Defaults: s_inc and s_dec are the number of workers, k_inc what all of them execute in a second, workers / mean
 * duration, where the duration of a task is the mean over workers. ability=direct takes the number of successors.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/ability.h"
#include "core/metrics/efficiency.h"
#include "core/metrics/rank.h"
#include "sched/dynamic/dm.h"
#include "sched/knob.h"
#include "sched/nready.h"
#include "sched/policy.h"
#include "sched/queue/ready.h"
#include "sched/queue/scoreheap.h"

enum { LOCALITY_MAX = 64 };

struct inspirit_queue {
	struct scoreheap able, efficient; /* what was taken from one stays in the other until it comes to the top */
};

struct inspirit {
	struct policy_world world;
	void *dm;
	struct nready nready;
	struct ability ability;
	struct efficiency efficiency;
	int direct; /* ability is the number of successors */
	int locality;
	struct inspirit_queue *queues; /* per worker */
	unsigned char *taken;          /* per task */
};

static void inspirit_free(void *state)
{
	struct inspirit *s = state;

	if (!s)
		return;
	for (int i = 0; i < s->world.machine->nworkers; i++) {
		scoreheap_fini(&s->queues[i].able);
		scoreheap_fini(&s->queues[i].efficient);
	}
	policy_dmda.free(s->dm);
	if (!s->direct)
		ability_fini(&s->ability);
	efficiency_fini(&s->efficiency);
	free(s->queues);
	free(s->taken);
	free(s);
}

/* Workers over the mean duration: tasks per second. */
static double default_k_inc(const struct policy_world *w)
{
	double *length = rank_class_lengths(w->dag, w->machine), sum = 0;

	for (uint32_t c = 0; c < w->dag->nclasses; c++)
		sum += isnan(length[c]) ? 0 : length[c] * w->dag->classes[c].count;
	free(length);
	return sum > 0 ? w->machine->nworkers / (sum / w->dag->ntasks) * 1e9 : 0;
}

struct inspirit_knobs {
	double alpha, beta, s_inc, s_dec, k_inc, window_us, locality;
	int direct;
};

static const struct knob knobs[] = {
	NUMBER_KNOB(inspirit_knobs, alpha, "alpha", "NUMBER", 1, 1e9),
	NUMBER_KNOB(inspirit_knobs, beta, "beta", "NUMBER", 1, 1e9),
	NUMBER_KNOB(inspirit_knobs, s_inc, "s_inc", "TASKS", -1, 1e9),
	NUMBER_KNOB(inspirit_knobs, s_dec, "s_dec", "TASKS", -1, 1e9),
	NUMBER_KNOB(inspirit_knobs, k_inc, "k_inc", "TASKS/S", -1, 1e18),
	WORD_KNOB(inspirit_knobs, direct, "ability", "transitive|direct", 0),
	NUMBER_KNOB(inspirit_knobs, window_us, "window", "US", 0, 1e12),
	NUMBER_KNOB(inspirit_knobs, locality, "locality", "N", 8, LOCALITY_MAX),
	LAST_KNOB,
};

static void *inspirit_create(const struct policy *self, const struct policy_world *w, const char *options,
                             struct ht_err *err)
{
	arch_mask archs = machine_archs(w->machine);
	struct inspirit_knobs k;
	struct inspirit *s;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	s->nready.s_inc = k.s_inc < 0 ? w->machine->nworkers : k.s_inc;
	s->nready.s_dec = k.s_dec < 0 ? w->machine->nworkers : k.s_dec;
	s->nready.k_inc = (k.k_inc < 0 ? default_k_inc(w) : k.k_inc) / 1e9;
	s->locality = k.locality < 1 ? 1 : (int)k.locality;
	s->direct = k.direct;
	if (!s->direct)
		ability_init(&s->ability, w->dag);
	if (k.window_us > 0)
		efficiency_within(&s->efficiency, w->dag, archs, (int64_t)(k.window_us * 1000));
	else
		efficiency_init(&s->efficiency, w->dag, archs);
	s->queues = ht_alloc((size_t)w->machine->nworkers, sizeof(*s->queues));
	s->taken = ht_alloc(w->dag->ntasks, sizeof(*s->taken));
	s->dm = dm_open(w, k.alpha, k.beta);
	return s;
}

static void inspirit_push(void *state, uint32_t task, int releaser)
{
	struct inspirit *s = state;
	int worker = dm_give(s->dm, task);
	double ability = s->direct ? dag_nsucc(s->world.dag, task) : s->ability.transitive[task];

	(void)releaser;
	nready_push(&s->nready);
	scoreheap_put(&s->queues[worker].able, ability, task);
	scoreheap_put(&s->queues[worker].efficient, s->efficiency.counts[task], task);
	s->world.wake(s->world.ctx, worker);
}

static uint32_t take_able(const struct inspirit *s, struct scoreheap *h)
{
	uint32_t task = scoreheap_take(h);

	while (s->taken[task])
		task = scoreheap_take(h);
	return task;
}

/* Of the most efficient tasks the one that lacks least; the others go back. There is a task. */
static uint32_t take_efficient(struct inspirit *s, struct scoreheap *h, int worker)
{
	struct policy_missing least = {0}, missing;
	struct scoreheap_item seen[LOCALITY_MAX];
	int n = 0, best = 0;

	while (n < s->locality && h->count) {
		struct scoreheap_item top = h->items[0];

		scoreheap_take(h);
		if (s->taken[top.task])
			continue;
		seen[n++] = top;
		if (!s->world.missing)
			break;
		s->world.missing(s->world.ctx, top.task, worker, &missing);
		if (n == 1 || ready_lacks_less(&missing, &least)) {
			least = missing;
			best = n - 1;
		}
		if (!missing.invalid_bytes && !missing.unallocated_bytes)
			break;
	}
	for (int i = 0; i < n; i++) {
		if (i != best)
			scoreheap_return(h, seen[i]);
	}
	return seen[best].task;
}

static uint32_t inspirit_pop(void *state, int worker)
{
	struct inspirit *s = state;
	struct inspirit_queue *q = &s->queues[worker];
	uint32_t task = dm_first(s->dm, worker);
	enum nready_mode mode;

	if (task == POLICY_NO_TASK)
		return task;
	mode = nready_pop(&s->nready, (double)s->world.now(s->world.ctx));
	if (mode == NREADY_ABILITY)
		task = take_able(s, &q->able);
	else if (mode == NREADY_EFFICIENCY)
		task = take_efficient(s, &q->efficient, worker);
	s->taken[task] = 1;
	dm_take(s->dm, task, worker);
	return task;
}

static void inspirit_started(void *state, uint32_t task, int worker)
{
	policy_dmda.started(((struct inspirit *)state)->dm, task, worker);
}

static void inspirit_done(void *state, uint32_t task, int worker)
{
	policy_dmda.done(((struct inspirit *)state)->dm, task, worker);
}

const struct policy policy_inspirit = {
	.name = "inspirit",
	.summary = "dmda, each worker's next task by what it inspires (INSPIRIT)",
	.knobs = knobs,
	.create = inspirit_create,
	.free = inspirit_free,
	.push = inspirit_push,
	.pop = inspirit_pop,
	.started = inspirit_started,
	.done = inspirit_done,
	.priority = policy_no_priority,
};
