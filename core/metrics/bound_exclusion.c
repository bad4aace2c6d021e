/* core/metrics/bound_exclusion.c - the longest chain where tasks that commute on a piece of data do so in turn. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/trace/access.h"

enum { NO_GROUP = UINT32_MAX };

/* Tasks that commute on one piece of data, with none between them, in the order of submission, that does not. */
struct group {
	uint32_t first, count, known; /* members[]; of them those whose start is known */
};

struct member {
	int64_t start_ns, cost_ns;
};

struct exclusion {
	const struct dag *d;
	uint32_t *group; /* per access: its own, or, of one that does not commute, the one that it waits for */
	struct group *groups;
	size_t ngroups, cap_groups;
	struct member *members;
};

/* By its access `a`; one that names the data again does not. */
static int commutes(const struct dag *d, const struct dag_task *task, uint32_t a)
{
	const struct data_access *x = &d->accesses[a];

	if (!(x->mode & ACCESS_COMMUTE && x->mode & ACCESS_W))
		return 0;
	for (uint32_t k = task->first_access; k < task->first_access + task->naccesses; k++)
		if (k != a && d->accesses[k].handle == x->handle)
			return 0;
	return 1;
}

static void find_groups(struct exclusion *e)
{
	const struct dag *d = e->d;
	uint32_t *current = ht_alloc((size_t)d->nhandles + 1, sizeof(*current)); /* per handle: 1 + its last group */
	unsigned char *is_open = ht_alloc((size_t)d->nhandles + 1, sizeof(*is_open));
	uint32_t at = 0;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		const struct dag_task *task = &d->tasks[t];

		for (uint32_t a = task->first_access; a < task->first_access + task->naccesses; a++) {
			uint32_t h = d->accesses[a].handle;

			int is_commuting = commutes(d, task, a);

			if (is_commuting && !is_open[h]) {
				*VEC_PUSH(e->groups, e->ngroups, e->cap_groups) = (struct group){0};
				current[h] = (uint32_t)e->ngroups;
			}
			is_open[h] = is_commuting != 0;
			e->group[a] = current[h] ? current[h] - 1 : NO_GROUP;
			if (is_open[h])
				e->groups[e->group[a]].count++;
		}
	}
	for (size_t i = 0; i < e->ngroups; i++) {
		e->groups[i].first = at;
		at += e->groups[i].count;
	}
	e->members = ht_alloc((size_t)at + 1, sizeof(*e->members));
	free(is_open);
	free(current);
}

static int by_start(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* When all members of a group can have ended: in the order in which they can start, one after the other. */
static int64_t end_of(struct exclusion *e, struct group *g)
{
	struct member *members = e->members + g->first;
	int64_t end = 0;

	qsort(members, g->known, sizeof(*members), by_start);
	for (uint32_t i = 0; i < g->known; i++)
		end = (members[i].start_ns > end ? members[i].start_ns : end) + members[i].cost_ns;
	return end;
}

/* What the accesses of a task have it wait for. */
static int64_t start_by_data(struct exclusion *e, const struct dag_task *task, int64_t *ends)
{
	int64_t start = 0;

	for (uint32_t a = task->first_access; a < task->first_access + task->naccesses; a++) {
		uint32_t g = e->group[a];

		if (g == NO_GROUP || commutes(e->d, task, a))
			continue;
		if (ends[g] < 0)
			ends[g] = end_of(e, &e->groups[g]);
		start = ends[g] > start ? ends[g] : start;
	}
	return start;
}

static void join_groups(struct exclusion *e, const struct dag_task *task, struct member member)
{
	for (uint32_t a = task->first_access; a < task->first_access + task->naccesses; a++) {
		struct group *g;

		if (!commutes(e->d, task, a))
			continue;
		g = &e->groups[e->group[a]];
		e->members[g->first + g->known++] = member;
	}
}

static int64_t length_of(struct exclusion *e, const int64_t *least)
{
	const struct dag *d = e->d;
	int64_t *end = ht_alloc((size_t)d->ntasks + 1, sizeof(*end)), length = 0;
	int64_t *ends = ht_alloc(e->ngroups, sizeof(*ends)); /* per group; -1: not looked at */

	for (size_t i = 0; i < e->ngroups; i++)
		ends[i] = -1;
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i);
		const struct dag_task *task = &d->tasks[t];
		int64_t start = start_by_data(e, task, ends), cost = least[task->class_id];

		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			start = end[d->pred[k]] > start ? end[d->pred[k]] : start;
		end[t] = start + cost;
		length = end[t] > length ? end[t] : length;
		join_groups(e, task, (struct member){start, cost});
	}
	for (size_t i = 0; i < e->ngroups; i++) {
		int64_t last = end_of(e, &e->groups[i]);

		length = last > length ? last : length;
	}
	free(ends);
	free(end);
	return length;
}

int64_t bound_exclusion_ns(const struct dag *d, arch_mask archs)
{
	struct exclusion e = {.d = d, .group = ht_alloc((size_t)d->naccesses + 1, sizeof(*e.group))};
	int64_t *least = bound_least_costs(d, archs), length = -1;

	find_groups(&e);
	if (e.ngroups)
		length = length_of(&e, least);
	free(least);
	free(e.members);
	free(e.groups);
	free(e.group);
	return length;
}
