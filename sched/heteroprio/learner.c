/* sched/heteroprio/learner.c - updates AutoHeteroprio's statistics of types from execution events. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * As push_task_heteroprio_policy() and the hooks around executions of StarPU 1.4.10 do it
 * (src/sched_policies/heteroprio.c). A successor's predecessors are those of StarPU's graph: what had finished before
 * it was submitted is not in it, and one that waits for another for the sake of two pieces of data is its successor
 * twice (src/common/graph.c).
 */
#include "sched/heteroprio/learner.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

enum { UNKNOWN = -1 };

static const char *name_of(const struct learner *l, const struct dag_type *t)
{
	const char *first = l->grouping == BY_NAME ? t->codelet : t->model;
	const char *second = l->grouping == BY_NAME ? t->model : t->codelet;

	return *first ? first : second;
}

static int known_type(const struct learner *l, const char *name, arch_mask where)
{
	for (int i = 0; i < l->autoheteroprio_data.ntypes; i++) {
		const struct autoheteroprio_type *t = &l->autoheteroprio_data.types[i];

		if ((t->where & l->view.present) == (where & l->view.present) &&
		    !strncmp(t->name, *name ? name : "NO_NAME", AUTOHETEROPRIO_MAX_NAME))
			return i;
	}
	return UNKNOWN;
}

/* More types than there may be are an error before the first task: all are looked up in a copy. */
static int check_types(struct learner *l, struct ht_err *err)
{
	const struct dag *d = l->view.dag;
	struct autoheteroprio_data *all = ht_alloc(1, sizeof(*all));
	int rc = 0;

	*all = l->autoheteroprio_data;
	for (uint32_t i = 0; rc == 0 && i < d->ntypes; i++) {
		const struct dag_type *t = &d->types[i];

		if (t->count && known_type(l, name_of(l, t), l->view.where[i]) == UNKNOWN &&
		    autoheteroprio_type_of(all, name_of(l, t), l->view.where[i]) < 0)
			rc = ht_err_set(err,
			                "more than %d types of tasks, which StarPU does not take: %s is one too "
			                "many",
			                AUTOHETEROPRIO_MAX_TYPES, t->name);
	}
	free(all);
	return rc;
}

int learner_init(struct learner *l, const struct learner_view *view, struct ht_err *err)
{
	const struct dag *d = view->dag;

	l->view = *view;
	if (check_types(l, err) < 0)
		return -1;
	l->type_of = ht_alloc(d->ntypes, sizeof(*l->type_of));
	for (uint32_t i = 0; i < d->ntypes; i++)
		l->type_of[i] = UNKNOWN;
	l->done_ns = ht_alloc(d->ntasks, sizeof(*l->done_ns));
	memset(l->done_ns, -1, d->ntasks * sizeof(*l->done_ns));
	l->npred = ht_alloc(d->ntasks, sizeof(*l->npred));
	l->hook_ns = ht_alloc((size_t)view->nworkers, sizeof(*l->hook_ns));
	return 0;
}

void learner_fini(struct learner *l)
{
	free(l->type_of);
	free(l->done_ns);
	free(l->npred);
	free(l->hook_ns);
}

int learner_type(struct learner *l, uint32_t task)
{
	uint32_t i = dag_type_of(l->view.dag, task);
	int *type = &l->type_of[i];

	if (*type == UNKNOWN) {
		const char *name = name_of(l, &l->view.dag->types[i]);

		*type = known_type(l, name, l->view.where[i]);
		if (*type == UNKNOWN)
			*type = autoheteroprio_type_of(&l->autoheteroprio_data, name, l->view.where[i]);
	}
	return *type;
}

/* Predecessors that were there when the task was submitted; at least one, or nobody would ask. */
static uint32_t predecessors(struct learner *l, uint32_t task)
{
	const struct dag *d = l->view.dag;
	uint32_t n = 0;

	if (l->npred[task])
		return l->npred[task];
	for (uint32_t i = d->pred_first[task]; i < d->pred_first[task + 1]; i++) {
		int64_t done_ns = l->done_ns[d->pred[i]];

		if (done_ns < 0 || done_ns > dag_submit_ns(d, task))
			n += dag_times(d->pred_times, i);
	}
	return l->npred[task] = n ? n : 1;
}

/* One successor: sums over what it releases grow. */
static void add_successor(struct learner *l, uint32_t next, double unit_us, struct learning_released *r)
{
	double npred = predecessors(l, next);
	int type = learner_type(l, next);
	const struct autoheteroprio_type *t = &l->autoheteroprio_data.types[type];

	r->nod += 1 / npred;
	r->best_us += learning_best_us(&l->autoheteroprio_data, type);
	for (int a = 0; a < ARCH_COUNT; a++) {
		double time = 1;

		if (!t->nshares || !(t->arch[a].share > 0))
			continue;
		if (unit_us > 0)
			time = learning_time_us(&l->autoheteroprio_data, type, (enum arch)a, l->estimate) / unit_us;
		r->nrt[a] += t->arch[a].share * time / npred;
	}
}

/* starpu_data_wont_use() is a task of StarPU's own, of which that writes the data is the only predecessor. */
static uint32_t own_successors(const struct dag *d, uint32_t task)
{
	const struct dag_task *t = &d->tasks[task];
	uint32_t n = 0;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++)
		n += (d->accesses[i].mode & ACCESS_WONT_USE) != 0;
	return n;
}

void learner_ready(struct learner *l, uint32_t task)
{
	const struct dag *d = l->view.dag;
	struct learning_released r = {0};
	int type = learner_type(l, task), seen = d->succ_first[task] == d->succ_first[task + 1];
	double unit_us;

	learning_ready(&l->autoheteroprio_data, type);
	unit_us = learning_unit_us(&l->autoheteroprio_data);
	for (uint32_t i = d->succ_first[task]; i < d->succ_first[task + 1]; i++) {
		if (l->view.is_submitted && !l->view.is_submitted(l->view.ctx, d->succ[i]))
			continue;
		for (uint32_t k = 0; k < dag_times(d->succ_times, i); k++)
			add_successor(l, d->succ[i], unit_us, &r);
		seen = 1;
	}
	if (seen) /* else no successor of the task has been submitted yet */
		r.nod += own_successors(d, task);
	learning_releases(&l->autoheteroprio_data, type, &r);
}

void learner_started(struct learner *l, int worker, enum arch a, int64_t now_ns)
{
	l->free_us[a] += (double)(now_ns - l->hook_ns[worker]) / 1e3;
	l->hook_ns[worker] = now_ns;
}

int learner_done(struct learner *l, uint32_t task, int worker, enum arch a, int64_t now_ns)
{
	int64_t busy_ns = now_ns - l->hook_ns[worker];
	int type = learner_type(l, task);

	l->hook_ns[worker] = now_ns;
	l->done_ns[task] = now_ns;
	l->busy_us[a] += (double)busy_ns / 1e3;
	/* A clock may give 0 for a very short task, and a time is divided by: then it is the clock's resolution. */
	learning_executed(&l->autoheteroprio_data, type, a, (double)(busy_ns > 0 ? busy_ns : 1) / 1e3);
	return type;
}

void learner_finish(struct learner *l)
{
	for (int a = 0; a < ARCH_COUNT; a++)
		learning_worked(&l->autoheteroprio_data, (enum arch)a, l->busy_us[a], l->free_us[a]);
}
