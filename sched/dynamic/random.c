/* sched/dynamic/random.c - StarPU's random: every task goes to some worker, more often to a fast one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU 1.4.10, random_policy.c: of the workers that can execute the task, each with a probability that is its
 * architecture's relative speed. Each takes its own tasks by priority, but the policy opens no range of priorities, so
 * that an application which asks for it gives none: the oldest first. The numbers are drand48's, as StarPU's are;
 * StarPU seeds them with the time.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/queue/taskq.h"
#include "sched/speed.h"

struct random_state {
	struct policy_world world;
	struct taskq_links links;
	struct taskq *queues; /* per worker */
	unsigned short seed[3];
};

static void random_free(void *state)
{
	struct random_state *s = state;

	if (!s)
		return;
	taskq_links_fini(&s->links);
	for (int i = 0; i < s->world.machine->nworkers; i++)
		taskq_fini(&s->queues[i]);
	free(s->queues);
	free(s);
}

struct random_knobs {
	int64_t seed;
};

static const struct knob knobs[] = {COUNT_KNOB(random_knobs, seed, "seed", "NUMBER", 0, 0, UINT32_MAX), LAST_KNOB};

static void *random_create(const struct policy *self, const struct policy_world *w, const char *options,
                           struct ht_err *err)
{
	struct random_state *s;
	struct random_knobs k;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	s->seed[0] = 0x330e; /* srand48() */
	s->seed[1] = (unsigned short)k.seed;
	s->seed[2] = (unsigned short)(k.seed >> 16);
	taskq_links_init(&s->links, w->dag);
	s->queues = ht_alloc((size_t)w->machine->nworkers, sizeof(*s->queues));
	for (int i = 0; i < w->machine->nworkers; i++)
		taskq_init(&s->queues[i]);
	return s;
}

static void random_push(void *state, uint32_t task, int releaser)
{
	struct random_state *s = state;
	const struct machine *m = s->world.machine;
	double sum = 0, drawn, before = 0;
	int to = -1;

	(void)releaser;
	for (int i = 0; i < m->nworkers; i++) {
		if (dag_cost(s->world.dag, task, m->workers[i].arch) >= 0)
			sum += speed_of_arch(m->workers[i].arch);
	}
	drawn = erand48(s->seed) * sum;
	for (int i = 0; i < m->nworkers; i++) {
		if (dag_cost(s->world.dag, task, m->workers[i].arch) < 0)
			continue;
		to = i;
		before += speed_of_arch(m->workers[i].arch);
		if (before >= drawn)
			break;
	}
	taskq_append(&s->links, &s->queues[to], task);
	s->world.wake(s->world.ctx, to);
}

static uint32_t random_pop(void *state, int worker)
{
	struct random_state *s = state;
	uint32_t task = s->queues[worker].head;

	if (task != POLICY_NO_TASK)
		taskq_remove(&s->links, &s->queues[worker], task);
	return task;
}

const struct policy policy_random = {
	.name = "random",
	.summary = "some worker, by relative speed (StarPU 1.4.10)",
	.knobs = knobs,
	.create = random_create,
	.free = random_free,
	.push = random_push,
	.pop = random_pop,
	.priority = policy_no_priority,
};
