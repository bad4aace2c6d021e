/* tune/settings/scores.c - mean scores of the tasks of a bucket under MulTreePrio and INSPIRIT. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/scores.h"

#include <math.h>
#include <string.h>

#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "tune/settings/granularity.h"

void scores_init(struct scores *s, const struct dag *d, const struct machine *m)
{
	arch_mask archs = machine_archs(m);

	struct worker_kinds kinds; /* a list holds for an architecture, whatever devices it has */

	*s = (struct scores){.dag = d};
	worker_kinds_of_archs(&kinds, archs);
	released_init(&s->released, d, &kinds);
	worker_kinds_fini(&kinds);
	ability_init(&s->ability, d);
	efficiency_init(&s->efficiency, d, archs);
	for (uint32_t t = 0; t < d->ntasks; t++) {
		s->work_highest_ns = fmax(s->work_highest_ns, s->released.work_ns[t]);
		for (int a = 0; a < ARCH_COUNT; a++)
			if (!isnan(released_speedup(&s->released, d->tasks[t].class_id, a)))
				s->nod_highest[a] = fmax(s->nod_highest[a], s->released.nod[t]);
	}
	for (uint32_t c = 0; c < d->nclasses; c++)
		for (int a = 0; a < ARCH_COUNT; a++)
			s->longest_ns[a] = fmax(s->longest_ns[a], (double)d->classes[c].cost_ns[a]);
}

void scores_fini(struct scores *s)
{
	released_fini(&s->released);
	ability_fini(&s->ability);
	efficiency_fini(&s->efficiency);
}

const char *score_name(enum score which)
{
	static const char *const names[SCORE_COUNT] = {"multreeprio", "inspirit-ability", "inspirit-efficiency"};

	return names[which];
}

static double multreeprio(const struct scores *s, uint32_t task, int arch)
{
	const struct released *r = &s->released;
	uint32_t class_id = s->dag->tasks[task].class_id;
	double speedup = released_speedup(r, class_id, arch), best = r->best_speedup[class_id];
	double sum = 1 - exp(-stats_ratio(r->work_ns[task], s->work_highest_ns, 0) * dag_nsucc(s->dag, task));

	sum += 1 - 1 / speedup;
	if (best > 1)
		sum += stats_ratio((double)s->dag->classes[class_id].cost_ns[arch], s->longest_ns[arch], 0) *
		       (speedup - 1) / (best - 1);
	sum += stats_ratio(r->nod[task], s->nod_highest[arch], 0);
	return (sum + 1) / 6;
}

static double score_of(const struct scores *s, enum score which, uint32_t task, int arch)
{
	switch (which) {
	case SCORE_MULTREEPRIO: return multreeprio(s, task, arch);
	case SCORE_ABILITY: return s->ability.transitive[task];
	default: return s->efficiency.counts[task];
	}
}

void scores_mean(const struct scores *s, const struct granularity *g, enum score which,
                 double mean[ARCH_COUNT][CONFIG_MAX_BUCKETS])
{
	memset(mean, 0, ARCH_COUNT * sizeof(mean[0]));
	for (uint32_t t = 0; t < s->dag->ntasks; t++) {
		const struct task_group *group = &g->groups[g->group_of[t]];

		for (int a = 0; a < ARCH_COUNT; a++)
			if (group->where >> a & 1)
				mean[a][g->group_of[t]] += score_of(s, which, t, a) / group->count;
	}
}
