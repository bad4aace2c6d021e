/* core/trace/reductions.c - what the tasks by which StarPU reduces wait for, and what waits for them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/reductions.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/trace/trace_build.h"

/* The names that StarPU gives them. */
static const char *const names[] = {"redux_task_between_replicates", "redux_task_reduction", "redux_task_empty"};

enum { NNAMES = sizeof(names) / sizeof(*names) };

/* An access of the application to data that is reduced. */
struct use {
	uint32_t handle, task, is_contribution;
	int64_t ns;
	uint64_t job;
};

/* Contributions uses[first] to uses[end - 1], and their reader; TRACE_NONE: no task. */
struct group {
	uint32_t first, end, reader;
	int64_t over_ns; /* the last contribution has ended */
};

struct reductions {
	struct trace_builder *b;
	struct trace *t;
	uint32_t *tasks; /* that reduce */
	size_t ntasks, cap_tasks;
	struct idmap index;   /* of these: task -> index */
	struct idmap handles; /* that are reduced */
	struct use *uses;
	size_t nuses, cap_uses;
	struct group *groups;
	size_t ngroups, cap_groups;
	uint32_t *group_of; /* by index: TRACE_NONE where it is not known */
};

static int by_handle_and_submission(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->handle != y->handle)
		return x->handle < y->handle ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static void find_tasks(struct reductions *r)
{
	const struct trace *t = r->t;
	uint32_t ids[NNAMES];

	for (int k = 0; k < NNAMES; k++)
		ids[k] = intern_str(t->strings, names[k]);
	for (uint32_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *x = &t->tasks[i];

		if (x->submit_order || x->start_ns == TIME_NONE || !x->naccesses ||
		    (x->name != ids[0] && x->name != ids[1] && x->name != ids[2]))
			continue;
		idmap_put(&r->index, i, (uint32_t)r->ntasks);
		*VEC_PUSH(r->tasks, r->ntasks, r->cap_tasks) = i;
		if (t->accesses[x->first_access].handle != TRACE_NONE)
			idmap_put(&r->handles, t->accesses[x->first_access].handle, 0);
	}
}

static void find_uses(struct reductions *r)
{
	const struct trace *t = r->t;

	for (uint32_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *x = &t->tasks[i];

		if (x->submit_ns == TIME_NONE || idmap_get(&r->index, i) != IDMAP_NONE)
			continue;
		for (uint32_t k = x->first_access; k < x->first_access + x->naccesses; k++) {
			const struct data_access *a = &t->accesses[k];

			if (a->handle != TRACE_NONE && idmap_get(&r->handles, a->handle) != IDMAP_NONE)
				*VEC_PUSH(r->uses, r->nuses, r->cap_uses) =
					(struct use){a->handle, i, (a->mode & ACCESS_REDUX) != 0, x->submit_ns, x->job};
		}
	}
	if (r->nuses)
		qsort(r->uses, r->nuses, sizeof(*r->uses), by_handle_and_submission);
}

static void find_groups(struct reductions *r)
{
	const struct trace *t = r->t;

	for (uint32_t i = 0; i < r->nuses; i++) {
		const struct use *u = &r->uses[i];
		struct group *g;

		if (!u->is_contribution)
			continue;
		g = VEC_PUSH(r->groups, r->ngroups, r->cap_groups);
		*g = (struct group){.first = i, .end = i, .reader = TRACE_NONE, .over_ns = INT64_MIN};
		for (; g->end < r->nuses && r->uses[g->end].handle == u->handle && r->uses[g->end].is_contribution;
		     g->end++) {
			int64_t end_ns = t->tasks[r->uses[g->end].task].end_ns;

			g->over_ns = end_ns > g->over_ns ? end_ns : g->over_ns;
		}
		if (g->end < r->nuses && r->uses[g->end].handle == u->handle)
			g->reader = r->uses[g->end].task;
		i = g->end - 1;
	}
}

/*
 * The last group of its data that was over when StarPU submitted it. Groups are by data, and those of one by time: each
 * begins when the reader of the one before has ended.
 */
static uint32_t group_of_task(const struct reductions *r, const struct trace_task *x)
{
	uint32_t handle = r->t->accesses[x->first_access].handle;
	size_t low = 0, high = r->ngroups;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t of = r->uses[r->groups[middle].first].handle;

		if (of < handle || (of == handle && r->groups[middle].over_ns <= x->submit_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && r->uses[r->groups[low - 1].first].handle == handle ? (uint32_t)low - 1 : TRACE_NONE;
}

/* Those between two replicates are of the group of one that waits for them. */
static void spread_groups(struct reductions *r)
{
	for (int is_changed = 1; is_changed;) {
		is_changed = 0;
		for (size_t i = 0; i < r->t->ndeps; i++) {
			uint32_t from = idmap_get(&r->index, r->t->deps[i].pred), to;

			if (from == IDMAP_NONE || r->group_of[from] != TRACE_NONE)
				continue;
			to = idmap_get(&r->index, r->t->deps[i].succ);
			if (to == IDMAP_NONE || r->group_of[to] == TRACE_NONE)
				continue;
			r->group_of[from] = r->group_of[to];
			is_changed = 1;
		}
	}
}

/* Reducing tasks by their group: next[] of each, after first[] of the group; TRACE_NONE: the last. */
static void chain(const struct reductions *r, uint32_t *first, uint32_t *next)
{
	for (size_t g = 0; g < r->ngroups; g++)
		first[g] = TRACE_NONE;
	for (uint32_t i = 0; i < r->ntasks; i++) {
		uint32_t g = r->group_of[i];

		if (g == TRACE_NONE)
			continue;
		next[i] = first[g];
		first[g] = i;
	}
}

/* Recordings are in order of time, and so are dependencies: whatever a recording has, none of these closes a cycle. */
static void add_dependency(struct reductions *r, uint32_t pred, uint32_t succ, enum trace_dep_kind kind)
{
	const struct trace_task *p = &r->t->tasks[pred], *s = &r->t->tasks[succ];

	if (p->end_ns == TIME_NONE || s->start_ns == TIME_NONE || p->end_ns <= s->start_ns)
		trace_build_dep(r->b, pred, succ, kind);
}

/* What readers wait for, their reducing tasks do: the reader's own dependencies are those recorded so far. */
static void share_dependencies(struct reductions *r, const uint32_t *first, const uint32_t *next)
{
	struct idmap group_of_reader = {0};
	size_t recorded = r->t->ndeps;

	for (size_t g = 0; g < r->ngroups; g++)
		if (r->groups[g].reader != TRACE_NONE && first[g] != TRACE_NONE)
			idmap_put(&group_of_reader, r->groups[g].reader, (uint32_t)g);
	for (size_t i = 0; i < recorded; i++) {
		const struct trace_dep d = r->t->deps[i];
		uint32_t g = idmap_get(&group_of_reader, d.succ);

		if (g == IDMAP_NONE || idmap_get(&r->index, d.pred) != IDMAP_NONE || d.kind == DEP_END)
			continue;
		for (uint32_t k = first[g]; k != TRACE_NONE; k = next[k])
			add_dependency(r, d.pred, r->tasks[k], d.kind);
	}
	idmap_fini(&group_of_reader);
}

static void complete(struct reductions *r, const uint32_t *first, const uint32_t *next)
{
	struct trace *t = r->t;

	share_dependencies(r, first, next);
	for (size_t g = 0; g < r->ngroups; g++) {
		const struct group *x = &r->groups[g];

		for (uint32_t k = first[g]; k != TRACE_NONE; k = next[k]) {
			for (uint32_t u = x->first; u < x->end; u++)
				add_dependency(r, r->uses[u].task, r->tasks[k], DEP_TASK);
			if (x->reader != TRACE_NONE)
				add_dependency(r, r->tasks[k], x->reader, DEP_TASK);
			t->tasks[r->tasks[k]].submit_ns =
				t->tasks[x->reader != TRACE_NONE ? x->reader : r->uses[x->end - 1].task].submit_ns;
		}
	}
}

void reductions_complete(struct trace_builder *b)
{
	struct reductions r = {.b = b, .t = b->t};
	uint32_t *first, *next;

	find_tasks(&r);
	if (r.ntasks) {
		find_uses(&r);
		find_groups(&r);
		r.group_of = ht_alloc(r.ntasks, sizeof(*r.group_of));
		for (size_t i = 0; i < r.ntasks; i++)
			r.group_of[i] = group_of_task(&r, &r.t->tasks[r.tasks[i]]);
		spread_groups(&r);
		first = ht_alloc(r.ngroups, sizeof(*first));
		next = ht_alloc(r.ntasks, sizeof(*next));
		chain(&r, first, next);
		complete(&r, first, next);
		free(first);
		free(next);
		free(r.group_of);
	}
	free(r.tasks);
	free(r.uses);
	free(r.groups);
	idmap_fini(&r.index);
	idmap_fini(&r.handles);
}
