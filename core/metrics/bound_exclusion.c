/* core/metrics/bound_exclusion.c - the longest chain where tasks that commute on a piece of data do so in turn. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/trace/access.h"

enum { NO_GROUP = UINT32_MAX };

/* The search for members that are before a task looks at all predecessors of that, and at so many edges beyond them. */
enum { SEARCH_EDGES = 256 };

/* Tasks that commute on one piece of data, with none between them, in the order of submission, that does not. */
struct group {
	uint32_t first, count, known; /* members[first] .. members[first + count - 1]; the start of `known` is known */
	uint32_t place;               /* of the first of these in the order of the graph */
	uint32_t task, found;         /* 1 + the task of the last search; how many members that has found */
	int64_t end_ns;               /* when all can have ended; -1: not computed */
};

struct member {
	int64_t start_ns, cost_ns;
	uint32_t group;
};

struct exclusion {
	const struct dag *d;
	const int64_t *least;     /* per class: what its tasks take at least */
	uint32_t *group;          /* per access: its own, or, of one that does not commute, the last one before it */
	unsigned char *commuting; /* per access */
	unsigned char *after_all; /* per access that does not commute: all members of the group are before its task */
	struct group *groups;
	size_t ngroups, cap_groups;
	struct member *members;
	int64_t *end_ns;        /* per task */
	uint32_t *place, *seen; /* per task: in the order of the graph; 1 + the task of the last search that met it */
	/* The search for the members that are before a task. */
	uint32_t *queue; /* tasks whose predecessors it looks at */
	size_t nqueue, cap_queue;
	uint32_t missing;      /* groups of which it has not found all members */
	uint32_t earliest;     /* no member of these has a place before this */
	struct member *before; /* what it has found */
	size_t nbefore, cap_before;
};

/* Which of a task's accesses commute: none to data that it names more than once. seen[], twice[]: per handle. */
static void find_commuting(struct exclusion *e, uint32_t t, uint32_t *seen, unsigned char *twice)
{
	const struct dag_task *task = &e->d->tasks[t];
	const struct data_access *x = e->d->accesses;
	uint32_t end = task->first_access + task->naccesses;

	for (uint32_t a = task->first_access; a < end; a++) {
		twice[x[a].handle] = seen[x[a].handle] == t + 1;
		seen[x[a].handle] = t + 1;
	}
	for (uint32_t a = task->first_access; a < end; a++)
		e->commuting[a] = x[a].mode & ACCESS_COMMUTE && x[a].mode & ACCESS_W && !twice[x[a].handle];
}

static void find_groups(struct exclusion *e)
{
	const struct dag *d = e->d;
	uint32_t *current = ht_alloc((size_t)d->nhandles + 1, sizeof(*current)); /* per handle: 1 + its last group */
	unsigned char *is_open = ht_alloc((size_t)d->nhandles + 1, sizeof(*is_open));
	uint32_t *seen = ht_alloc((size_t)d->nhandles + 1, sizeof(*seen));
	unsigned char *twice = ht_alloc((size_t)d->nhandles + 1, sizeof(*twice));
	uint32_t at = 0;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		const struct dag_task *task = &d->tasks[t];

		find_commuting(e, t, seen, twice);
		for (uint32_t a = task->first_access; a < task->first_access + task->naccesses; a++) {
			uint32_t h = d->accesses[a].handle;

			if (e->commuting[a] && !is_open[h]) {
				*VEC_PUSH(e->groups, e->ngroups, e->cap_groups) = (struct group){.end_ns = -1};
				current[h] = (uint32_t)e->ngroups;
			}
			is_open[h] = e->commuting[a];
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
	free(twice);
	free(seen);
	free(is_open);
	free(current);
}

static int by_group_and_start(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return x->group != y->group ? (x->group > y->group) - (x->group < y->group) :
	                              (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* When members can have ended: those of each group in the order in which they can start, one after the other. */
static int64_t end_of(struct member *members, size_t n)
{
	int64_t end = 0, last = 0;

	qsort(members, n, sizeof(*members), by_group_and_start);
	for (size_t i = 0; i < n; i++) {
		if (i && members[i].group != members[i - 1].group)
			end = 0;
		end = (members[i].start_ns > end ? members[i].start_ns : end) + members[i].cost_ns;
		last = end > last ? end : last;
	}
	return last;
}

static int64_t end_of_all(struct exclusion *e, struct group *g)
{
	if (g->end_ns < 0)
		g->end_ns = end_of(e->members + g->first, g->count);
	return g->end_ns;
}

/* Task `p` is before task `t`: what that says of the groups that `t` waits for. */
static void look_at(struct exclusion *e, uint32_t t, uint32_t p)
{
	const struct dag_task *task = &e->d->tasks[p];
	int64_t cost = e->least[task->class_id];

	for (uint32_t a = task->first_access; a < task->first_access + task->naccesses; a++) {
		struct group *g = e->group[a] == NO_GROUP ? NULL : &e->groups[e->group[a]];

		if (!g || g->task != t + 1 || g->found == g->count)
			continue;
		if (e->commuting[a])
			*VEC_PUSH(e->before, e->nbefore, e->cap_before) = (struct member){e->end_ns[p] - cost, cost,
			                                                                  e->group[a]};
		else if (!e->after_all[a])
			continue;
		g->found = e->commuting[a] ? g->found + 1 : g->count;
		e->missing -= g->found == g->count;
	}
}

/* Finds the members before task `t` of the groups that it waits for. */
static void find_before(struct exclusion *e, uint32_t t)
{
	const struct dag *d = e->d;
	uint32_t edges = 0;

	e->nqueue = 0;
	*VEC_PUSH(e->queue, e->nqueue, e->cap_queue) = t;
	for (size_t i = 0; i < e->nqueue; i++) {
		uint32_t v = e->queue[i];

		for (uint32_t k = d->pred_first[v]; k < d->pred_first[v + 1]; k++) {
			uint32_t p = d->pred[k];

			if (!e->missing || (i && edges++ == SEARCH_EDGES))
				return;
			if (e->seen[p] == t + 1 || e->place[p] < e->earliest)
				continue;
			e->seen[p] = t + 1;
			*VEC_PUSH(e->queue, e->nqueue, e->cap_queue) = p;
			look_at(e, t, p);
		}
	}
}

/*
 * When task `t` can start at the earliest, by its accesses that do not commute: it waits for the members of their
 * groups that are before it in the graph.
 */
static int64_t start_by_data(struct exclusion *e, uint32_t t)
{
	const struct dag_task *task = &e->d->tasks[t];
	uint32_t end = task->first_access + task->naccesses;
	int64_t start;

	e->nbefore = e->missing = 0;
	e->earliest = UINT32_MAX;
	for (uint32_t a = task->first_access; a < end; a++) {
		struct group *g = e->group[a] == NO_GROUP || e->commuting[a] ? NULL : &e->groups[e->group[a]];

		if (!g || !g->known || g->task == t + 1)
			continue;
		g->task = t + 1;
		g->found = 0;
		e->missing++;
		e->earliest = g->place < e->earliest ? g->place : e->earliest;
	}
	if (!e->missing)
		return 0;
	find_before(e, t);
	start = e->missing && e->nbefore ? end_of(e->before, e->nbefore) : 0;
	for (uint32_t a = task->first_access; a < end; a++) {
		struct group *g = e->group[a] == NO_GROUP || e->commuting[a] ? NULL : &e->groups[e->group[a]];

		if (!g || g->task != t + 1 || g->found < g->count)
			continue;
		e->after_all[a] = 1;
		start = end_of_all(e, g) > start ? end_of_all(e, g) : start;
	}
	return start;
}

static void join_groups(struct exclusion *e, uint32_t t, int64_t start)
{
	const struct dag_task *task = &e->d->tasks[t];

	for (uint32_t a = task->first_access; a < task->first_access + task->naccesses; a++) {
		struct group *g;

		if (!e->commuting[a])
			continue;
		g = &e->groups[e->group[a]];
		if (!g->known)
			g->place = e->place[t];
		e->members[g->first + g->known++] = (struct member){start, e->least[task->class_id], e->group[a]};
	}
}

static int64_t length_of(struct exclusion *e)
{
	const struct dag *d = e->d;
	int64_t length = 0;

	e->end_ns = ht_alloc((size_t)d->ntasks + 1, sizeof(*e->end_ns));
	e->place = ht_alloc((size_t)d->ntasks + 1, sizeof(*e->place));
	e->seen = ht_alloc((size_t)d->ntasks + 1, sizeof(*e->seen));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i);
		int64_t start = start_by_data(e, t);

		e->place[t] = i;
		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			start = e->end_ns[d->pred[k]] > start ? e->end_ns[d->pred[k]] : start;
		e->end_ns[t] = start + e->least[d->tasks[t].class_id];
		length = e->end_ns[t] > length ? e->end_ns[t] : length;
		join_groups(e, t, start);
	}
	for (size_t i = 0; i < e->ngroups; i++) {
		int64_t last = end_of_all(e, &e->groups[i]);

		length = last > length ? last : length;
	}
	return length;
}

int64_t bound_exclusion_ns(const struct dag *d, arch_mask archs)
{
	struct exclusion e = {.d = d, .group = ht_alloc((size_t)d->naccesses + 1, sizeof(*e.group))};
	int64_t *least = bound_least_costs(d, archs), length = -1;

	e.least = least;
	e.commuting = ht_alloc((size_t)d->naccesses + 1, sizeof(*e.commuting));
	e.after_all = ht_alloc((size_t)d->naccesses + 1, sizeof(*e.after_all));
	find_groups(&e);
	if (e.ngroups)
		length = length_of(&e);
	free(e.before);
	free(e.queue);
	free(e.seen);
	free(e.place);
	free(e.end_ns);
	free(e.members);
	free(e.groups);
	free(e.after_all);
	free(e.commuting);
	free(e.group);
	free(least);
	return length;
}
