/* core/execution/execution_ready.c - when a task was ready that a worker could have taken. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/execution/execution_ready.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

struct interval {
	int64_t from, to;
};

/* Those of the workers of one architecture of one rank: apart from each other, by time. */
struct ready_group {
	struct interval *at;
	size_t n;
};

struct execution_ready {
	const struct machine *machine;
	struct ready_group *groups; /* [rank * ARCH_COUNT + architecture] */
	size_t ngroups;
};

static size_t group_of(const struct machine *m, int worker)
{
	const struct machine_worker *w = &m->workers[worker];

	return (size_t)m->nodes[w->node].rank * ARCH_COUNT + w->arch;
}

static int can_run(const struct execution *e, const struct execution_task *t, size_t group)
{
	const struct dag_task *task = &e->dag->tasks[t->item];

	return (size_t)task->rank == group / ARCH_COUNT &&
	       dag_class_archs(&e->dag->classes[task->class_id]) >> (group % ARCH_COUNT) & 1;
}

static void find_intervals(const struct execution *e, struct ready_group *g, size_t group, struct radix_item *order)
{
	size_t n = 0;

	for (size_t i = 0; i < e->ntasks; i++) {
		const struct execution_task *t = &e->tasks[i];

		if (t->ready_ns < t->start_ns - t->held_ns && can_run(e, t, group))
			order[n++] = (struct radix_item){(uint64_t)(t->ready_ns + TIME_LIMIT), i};
	}
	radix_sort(order, n);
	g->at = ht_alloc(n, sizeof(*g->at));
	for (size_t i = 0; i < n; i++) {
		const struct execution_task *t = &e->tasks[order[i].value];
		int64_t taken = t->start_ns - t->held_ns;

		if (!g->n || t->ready_ns > g->at[g->n - 1].to)
			g->at[g->n++] = (struct interval){t->ready_ns, taken};
		else if (taken > g->at[g->n - 1].to)
			g->at[g->n - 1].to = taken;
	}
}

struct execution_ready *execution_ready_create(const struct execution *e)
{
	struct execution_ready *x = ht_alloc(1, sizeof(*x));
	struct radix_item *order = ht_alloc(e->ntasks, sizeof(*order));

	x->machine = e->machine;
	x->ngroups = (size_t)machine_ranks(e->machine) * ARCH_COUNT;
	x->groups = ht_alloc(x->ngroups, sizeof(*x->groups));
	for (int w = 0; w < e->machine->nworkers; w++) {
		size_t group = group_of(e->machine, w);

		if (!x->groups[group].at)
			find_intervals(e, &x->groups[group], group, order);
	}
	free(order);
	return x;
}

void execution_ready_free(struct execution_ready *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->ngroups; i++)
		free(x->groups[i].at);
	free(x->groups);
	free(x);
}

int execution_ready_for(const struct execution_ready *x, int worker, int64_t ns, int64_t *until)
{
	const struct ready_group *g = &x->groups[group_of(x->machine, worker)];
	size_t low = 0, high = g->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (g->at[middle].to <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	*until = INT64_MAX;
	if (low == g->n)
		return 0;
	*until = g->at[low].from <= ns ? g->at[low].to : g->at[low].from;
	return g->at[low].from <= ns;
}
