/* analyze/data/task_metrics.c - every metric of every task, and their means over the tasks of a type. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/task_metrics.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"

double task_metrics_nod_bonus(const struct task_metrics *k, uint32_t t, enum arch a)
{
	if (isnan(released_speedup(&k->released, k->dag->tasks[t].class_id, (int)a)))
		return NAN;
	return k->nod_highest[a] > 0 ? k->released.nod[t] / k->nod_highest[a] : 0;
}

void task_metrics_nrt(const struct task_metrics *k, uint32_t t, double nrt[ARCH_COUNT])
{
	const struct dag *d = k->dag;

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		nrt[a] = 0;
	for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
		uint32_t s = d->succ[e];
		const struct metrics_class *c = &k->classes[d->tasks[s].class_id];

		for (enum arch a = 0; a < ARCH_COUNT; a++)
			nrt[a] += c->freed[a] / dag_npred(d, s);
	}
}

static void add_task(struct task_metrics *k, uint32_t t, uint32_t (*able)[ARCH_COUNT])
{
	const struct dag_task *task = &k->dag->tasks[t];
	struct type_means *m = &k->types[dag_type_of(k->dag, t)];
	int64_t slack = k->start_times.latest_ns[t] - k->start_times.earliest_ns[t];

	m->successors += dag_nsucc(k->dag, t);
	m->ability += k->ability.transitive[t];
	m->efficiency += k->efficiency.counts[t];
	m->released_ns += k->released.work_ns[t];
	m->upward_ns += k->ranks.upward_ns[t];
	m->downward_ns += k->ranks.downward_ns[t];
	m->slack_ns += (double)slack;
	m->critical += slack == 0;
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double speedup = released_speedup(&k->released, task->class_id, (int)a);

		if (k->released.work_on_ns[a])
			m->arch[a].released_ns += k->released.work_on_ns[a][t];
		if (isnan(speedup))
			continue;
		m->arch[a].speedup += speedup;
		m->arch[a].nod_bonus += task_metrics_nod_bonus(k, t, a);
		able[dag_type_of(k->dag, t)][a]++;
	}
}

static void divide(struct type_means *m, uint32_t count, const uint32_t able[ARCH_COUNT], arch_mask archs)
{
	double n = count ? count : 1;

	m->successors /= n;
	m->ability /= n;
	m->efficiency /= n;
	m->released_ns /= n;
	m->upward_ns /= n;
	m->downward_ns /= n;
	m->slack_ns /= n;
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		m->arch[a].released_ns = archs >> a & 1 ? m->arch[a].released_ns / n : NAN;
		m->arch[a].speedup = able[a] ? m->arch[a].speedup / able[a] : NAN;
		m->arch[a].nod_bonus = able[a] ? m->arch[a].nod_bonus / able[a] : NAN;
	}
}

static void mean_types(struct task_metrics *k)
{
	uint32_t(*able)[ARCH_COUNT] = ht_alloc(k->dag->ntypes, sizeof(*able));

	k->types = ht_alloc(k->dag->ntypes, sizeof(*k->types));
	for (uint32_t t = 0; t < k->dag->ntasks; t++)
		add_task(k, t, able);
	for (uint32_t p = 0; p < k->dag->ntypes; p++)
		divide(&k->types[p], k->dag->types[p].count, able[p], k->metrics->archs);
	free(able);
}

int task_metrics_init(struct task_metrics *k, const struct dag *d, const struct machine *m, const struct metrics *x,
                      struct ht_err *err)
{
	struct worker_kinds archs, kinds;
	int status;

	*k = (struct task_metrics){.dag = d, .metrics = x};
	if (ranks_init(&k->ranks, d, m, err) != 0) {
		k->ranks = (struct ranks){0};
		return -1;
	}
	worker_kinds_init(&kinds, d, m); /* as the bounds: on the fastest device */
	status = start_times_init(&k->start_times, d, &kinds, err);
	worker_kinds_fini(&kinds);
	if (status != 0)
		return -1;
	worker_kinds_of_archs(&archs, x->archs); /* as types */
	released_init(&k->released, d, &archs);
	worker_kinds_fini(&archs);
	k->classes = ht_alloc(d->nclasses, sizeof(*k->classes));
	for (uint32_t c = 0; c < d->nclasses; c++)
		metrics_class_of(&k->classes[c], x, &d->classes[c]);
	ability_init(&k->ability, d);
	efficiency_init(&k->efficiency, d, x->archs);
	for (uint32_t t = 0; t < k->dag->ntasks; t++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			if (!isnan(released_speedup(&k->released, k->dag->tasks[t].class_id, (int)a)))
				k->nod_highest[a] = fmax(k->nod_highest[a], k->released.nod[t]);
	mean_types(k);
	return 0;
}

void task_metrics_fini(struct task_metrics *k)
{
	free(k->classes);
	free(k->types);
	released_fini(&k->released);
	ranks_fini(&k->ranks);
	start_times_fini(&k->start_times);
	ability_fini(&k->ability);
	efficiency_fini(&k->efficiency);
	*k = (struct task_metrics){0};
}
