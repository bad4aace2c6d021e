/* sched/dynamic/critical_path.c - a list scheduler: the ready task that is most critical goes first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What MulTreePrio's authors compare with (Tayeb, Bramas, Guermouche, Faverge, COMPAS 2022, section 3.3): the degree of
 * criticality of a task is
 *
 *   1 - latest_start(t) / length of the critical path
 *
 * from a forward and a backward pass through the whole graph, with every task on its fastest workers (rank.h). A
 * worker takes the ready task of the highest degree that it can run, however slow it is there: no worker is idle while
 * there is one. rank=upward takes HEFT's upward rank instead (Topcuoglu et al., IEEE TPDS 13(3), 2002, equation 6).
 *
 * Ready tasks are one heap per set of architectures that tasks can run on: logarithmic time.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/queue/scoreheap.h"
#include "sched/waiters.h"

struct critical {
	struct policy_world world;
	struct waiters waiters;
	struct scoreheap ready[1 << ARCH_COUNT]; /* by set of architectures */
	arch_mask used[1 << ARCH_COUNT];         /* the sets that there are */
	int nused;
	arch_mask *archs_of; /* per class */
	double *score;       /* per task */
};

static void critical_free(void *state)
{
	struct critical *s = state;

	if (!s)
		return;
	waiters_fini(&s->waiters);
	for (int i = 0; i < s->nused; i++)
		scoreheap_fini(&s->ready[s->used[i]]);
	free(s->archs_of);
	free(s->score);
	free(s);
}

static int make_scores(struct critical *s, int upward, struct ht_err *err)
{
	const struct dag *d = s->world.dag;
	struct start_times times;
	struct ranks ranks;
	struct worker_kinds kinds;
	int status;

	if (upward) {
		if (ranks_init(&ranks, d, s->world.machine, err) < 0)
			return -1;
		for (uint32_t t = 0; t < d->ntasks; t++)
			s->score[t] = ranks.upward_ns[t];
		ranks_fini(&ranks);
		return 0;
	}
	worker_kinds_init(&kinds, d, s->world.machine);
	status = start_times_init(&times, d, &kinds, err);
	worker_kinds_fini(&kinds);
	if (status < 0)
		return -1;
	for (uint32_t t = 0; t < d->ntasks; t++)
		s->score[t] = -(double)times.latest_ns[t];
	start_times_fini(&times);
	return 0;
}

static void make_sets(struct critical *s)
{
	const struct dag *d = s->world.dag;
	arch_mask of_machine = machine_archs(s->world.machine);

	for (uint32_t c = 0; c < d->nclasses; c++) {
		int i = 0;

		s->archs_of[c] = of_machine & dag_class_archs(&d->classes[c]);
		while (i < s->nused && s->used[i] != s->archs_of[c])
			i++;
		if (i == s->nused)
			s->used[s->nused++] = s->archs_of[c];
	}
}

enum { RANK_LATEST_START, RANK_UPWARD };

struct critical_knobs {
	int rank;
};

static const struct knob knobs[] = {WORD_KNOB(critical_knobs, rank, "rank", "latest-start|upward", 0), LAST_KNOB};

static void *critical_create(const struct policy *self, const struct policy_world *w, const char *options,
                             struct ht_err *err)
{
	struct critical_knobs k;
	struct critical *s;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	waiters_init(&s->waiters, &s->world, WAITERS_POLLING);
	s->archs_of = ht_alloc(w->dag->nclasses, sizeof(*s->archs_of));
	s->score = ht_alloc(w->dag->ntasks, sizeof(*s->score));
	make_sets(s);
	if (make_scores(s, k.rank == RANK_UPWARD, err) != 0) {
		critical_free(s);
		return NULL;
	}
	return s;
}

static void critical_push(void *state, uint32_t task, int releaser)
{
	struct critical *s = state;
	arch_mask archs = s->archs_of[s->world.dag->tasks[task].class_id];

	(void)releaser;
	scoreheap_put(&s->ready[archs], s->score[task], task);
	waiters_notify_all(&s->waiters, archs);
}

static uint32_t critical_pop(void *state, int worker)
{
	struct critical *s = state;
	enum arch arch = s->world.machine->workers[worker].arch;
	struct scoreheap *best = NULL;

	for (int i = 0; i < s->nused; i++) {
		struct scoreheap *h = &s->ready[s->used[i]];

		if (s->used[i] >> arch & 1 && h->count && (!best || h->items[0].score > best->items[0].score))
			best = h;
	}
	if (best)
		return scoreheap_take(best);
	waiters_searched(&s->waiters, worker);
	return POLICY_NO_TASK;
}

const struct policy policy_critical_path = {
	.name = "critical-path",
	.summary = "the ready task that has to start earliest, on whoever is free",
	.knobs = knobs,
	.create = critical_create,
	.free = critical_free,
	.push = critical_push,
	.pop = critical_pop,
};
