/* analyze/data/ready_times.c - when tasks that workers of one architecture can run became ready, and were popped. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/ready_times.h"

#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

size_t ready_times_ranks(const struct trace *t)
{
	size_t n = 1;

	for (size_t w = 0; w < t->nworkers; w++)
		n = (size_t)t->workers[w].rank >= n ? (size_t)t->workers[w].rank + 1 : n;
	return n;
}

static arch_mask suits_of(const struct dag_class *c, arch_mask archs)
{
	enum arch best = dag_class_best(c, archs);
	arch_mask suits = 0;

	for (enum arch a = 0; best != ARCH_NONE && a < ARCH_COUNT; a++)
		if (c->cost_ns[a] >= 0 && (double)c->cost_ns[a] <= 1.2 * (double)c->cost_ns[best])
			suits |= (arch_mask)(1 << a);
	return suits;
}

arch_mask *ready_times_suits(const struct dag *d, arch_mask archs)
{
	arch_mask *suits = ht_alloc(d->nclasses, sizeof(*suits));

	for (uint32_t c = 0; c < d->nclasses; c++)
		suits[c] = suits_of(&d->classes[c], archs);
	return suits;
}

/* Whether a task of the graph was ready for workers of `a` before it was popped; fills in *k. */
static int was_ready(const struct timeline *tl, const struct dag *d, uint32_t task, enum arch a,
                     struct timeline_task *k)
{
	const struct dag_task *x = &d->tasks[task];

	if (x->trace_task >= tl->trace->ntasks || d->classes[x->class_id].cost_ns[a] < 0)
		return 0;
	*k = timeline_task_of(tl, x->trace_task);
	return k->pop_ns != k->push_ns;
}

void ready_times_init(struct ready_times *x, const struct timeline *tl, const struct trace *t, const struct dag *d,
                      enum arch a, const arch_mask *suits)
{
	size_t nranks = ready_times_ranks(t), n = 0;
	struct timeline_task k;

	*x = (struct ready_times){.first = ht_alloc(nranks + 2, sizeof(*x->first))};
	for (uint32_t i = 0; i < d->ntasks; i++) {
		if (!was_ready(tl, d, i, a, &k))
			continue;
		x->first[t->workers[k.worker].rank + 2]++;
		n++;
	}
	for (size_t r = 2; r < nranks + 2; r++)
		x->first[r] += x->first[r - 1];
	x->ready = ht_alloc(n, sizeof(*x->ready));
	x->popped = ht_alloc(n, sizeof(*x->popped));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		size_t at;
		int64_t suited;

		if (!was_ready(tl, d, i, a, &k))
			continue;
		suited = suits ? suits[d->tasks[i].class_id] >> a & 1 : 0;
		at = x->first[t->workers[k.worker].rank + 1]++;
		x->ready[at] = k.push_ns * 2 + suited;
		x->popped[at] = k.pop_ns * 2 + suited;
	}
	for (size_t r = 0; r < nranks; r++) {
		stats_sort_i64(x->ready + x->first[r], x->first[r + 1] - x->first[r]);
		stats_sort_i64(x->popped + x->first[r], x->first[r + 1] - x->first[r]);
	}
}

void ready_times_fini(struct ready_times *x)
{
	free(x->ready);
	free(x->popped);
	free(x->first);
	*x = (struct ready_times){0};
}
