/* sched/modular/modular_heteroprio.c - a modular scheduler's decision by how much a GPU speeds a task up. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * component_heteroprio.c of StarPU 1.4.10. Tasks that every worker can execute are classed by their acceleration, the
 * time of the slowest worker over that of the fastest; a class takes what is within a tenth of its first task. In turn,
 * until nothing moves: one task that not every worker can execute goes where it would end first; else the first task
 * of the most accelerated class does, if that is a device, and if not the first task of the least accelerated one, if
 * that is a CPU. Whatever has been looked at this way has the highest priority from then on.
 *
 * When the first of the one class would end first on a CPU and that of the other on a device, nothing moves, and when
 * then nobody executes anything, nothing ever will: StarPU 1.4.10 hangs (two kinds of independent tasks, one with much
 * data, are enough), and here the simulator says that nobody takes the task.
 */
#include <math.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "sched/modular/modular.h"

#define WITHIN    0.10
#define BIT(arch) ((arch_mask)(1u << (arch)))

static const arch_mask DEVICES = BIT(ARCH_CUDA) | BIT(ARCH_HIP) | BIT(ARCH_OPENCL);
static const arch_mask HOSTS = BIT(ARCH_MPI_MS) | BIT(ARCH_CPU);

/* 0: some worker cannot execute it, or takes a time that is not known. */
static double acceleration_of(const struct modular *s, uint32_t task)
{
	double fastest = INFINITY, slowest = 0;

	for (int w = 0; w < s->world.machine->nworkers; w++) {
		int64_t cost = policy_expected_ns(&s->world, task, w);

		if (cost <= 0)
			return 0;
		fastest = fmin(fastest, (double)cost);
		slowest = fmax(slowest, (double)cost);
	}
	return slowest / fastest;
}

/* The class of an acceleration, a new one in its place where there is none; most accelerated first. */
static struct modular_class *class_of(struct modular *s, double acceleration)
{
	int at = 0;

	for (int i = 0; i < s->nclasses; i++) {
		if (acceleration >= s->classes[i].acceleration * (1 - WITHIN) &&
		    acceleration <= s->classes[i].acceleration * (1 + WITHIN))
			return &s->classes[i];
	}
	while (at < s->nclasses && acceleration <= s->classes[at].acceleration)
		at++;
	s->classes = ht_realloc(s->classes, (size_t)s->nclasses + 1, sizeof(*s->classes));
	memmove(&s->classes[at + 1], &s->classes[at], (size_t)(s->nclasses - at) * sizeof(*s->classes));
	s->nclasses++;
	s->classes[at] = (struct modular_class){.acceleration = (float)acceleration};
	return &s->classes[at];
}

/* Its first task goes down, if the worker that would end it first is one of `archs` and its child is not full. */
static int progress_class(struct modular *s, struct modular_class *class, arch_mask archs)
{
	uint32_t task = scoreheap_take(&class->tasks);
	struct modular_choice c;

	s->priority[task] = INT32_MAX;
	c = modular_choose(s, task);
	if (s->children[c.child].archs & archs && modular_place(s, &c, task))
		return 1;
	scoreheap_put_front(&class->tasks, s->priority[task], task);
	return 0;
}

static int progress_one(struct modular *s)
{
	uint32_t task = modular_first(&s->partial);
	int first = 0, last = s->nclasses - 1;

	if (task != POLICY_NO_TASK && !modular_mct_workers.push(s, task))
		scoreheap_put_front(&s->partial, s->priority[task], task);
	while (first <= last && !s->classes[first].tasks.count)
		first++;
	while (last > first && !s->classes[last].tasks.count)
		last--;
	return first <= last &&
	       (progress_class(s, &s->classes[first], DEVICES) || progress_class(s, &s->classes[last], HOSTS));
}

static void progress(struct modular *s)
{
	while (progress_one(s))
		;
}

static int heteroprio_push(struct modular *s, uint32_t task)
{
	double acceleration = acceleration_of(s, task);

	scoreheap_put(acceleration > 0 ? &class_of(s, acceleration)->tasks : &s->partial, s->priority[task], task);
	progress(s);
	return 1;
}

const struct modular_decision modular_heteroprio = {
	.per_worker = 1,
	.push = heteroprio_push,
	.progress = progress,
};
