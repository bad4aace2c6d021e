/* sched/dynamic/multreeprio.c - MulTreePrio: a tree of ready tasks for each memory node, by what a task is good for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tayeb, Bramas, Guermouche, Faverge, "MulTreePrio: Scheduling task-based applications for heterogeneous computing
 * systems", COMPAS 2022. A task that becomes ready goes into the tree of every memory node m whose workers can run it,
 * with a score in [0, 1] that stays (equation 8):
 *
 *   score(t,m) = (B1 + ... + B5 - P1 + 1) / (5 + 1)
 *
 *   B1 = 1 - exp(-Q(t)/Q_highest |succ(t)|)                                          released work        (12)
 *   B2 = sum over m' of (1 - exp(-Q(t,m')/Q_highest(m') |succ(t,m')|)) starving(m') / |M|
 *                                                                                    ... for nodes that starve (13)
 *   B3 = 1 - 1/sp(t,m)                                                               speed-up             (14)
 *   B4 = d(t,m)/longest(m) (sp(t,m) - 1)/(sp_best(t) - 1)                            length; 0 if sp_best is 1 (15)
 *   B5 = NOD(t)/NOD_highest(m)                                                       criticality          (16)
 *   P1 = sum over m' != m of (1 - 1/sp(t,m')) starving(m') / (|M| - 1)               others starve        (17)
 *
 * Q, NOD and sp are those of core/metrics/released.h; "highest" and "longest" are the largest of the tasks that became
 * ready so far, this one included; starving(m') is the share of its workers that are idle. critical-path=yes adds a
 * bonus (section 3.3): 1 - latest_start(t)/length of the critical path (core/metrics/rank.h).
 *
 * A worker takes the best task of its node's tree that passes the gate (section 3.3, "speedup factor"): where another
 * architecture b is faster, only if the work that is ready for b, the sum of d(t,b) over the tasks that b is best for,
 * exceeds what the task takes here. gate=worker divides that work by the workers of b; gate=off lets everything pass.
 *
 * Tasks of a class (a codelet and a footprint) have one duration, so a tree is made of classes, in a group for each
 * architecture that is best and by what they take here: those that pass are the shorter ones of a group (scoretree.h).
 * A push takes nodes times logarithmic time, a pop logarithmic time. A task that another node took stays in a tree
 * until it comes to the top, or most of the tree is such tasks.
 *
 * Where the graph grows while it is executed, what a task releases is what has been submitted of it when it becomes
 * ready, a class takes what it takes when one of its tasks, or a task before one, becomes ready, and the critical path
 * is the highest upward rank so far: 1 - latest_start(t)/length is a task's rank over it.
 *
 * trees=architecture has one tree for all nodes of an architecture instead: with 50 GPUs 2 instead of 51.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "core/metrics/released.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/queue/scoretree.h"

enum gate { GATE_WORK, GATE_WORKER, GATE_OFF };

enum { FEW = 64 };                   /* a heap with no more tasks may be full of those that were taken elsewhere */
enum { FREE = ARCH_COUNT, NGROUPS }; /* groups of classes by the architecture that is better at them; FREE: none is */

struct multree_class {
	int best;         /* the kind that is fastest; -1: nobody can run it */
	double length_ns; /* there */
	uint32_t nwaiting;
};

struct tree {
	int kind;
	struct scoretree tasks;
	int nworkers;
	int *idle, nidle; /* workers that found nothing, in any order */
	double longest_ns, nod_highest, work_highest_ns;
	double starving; /* of the task that is pushed */
};

struct multree {
	struct policy_world world;
	struct released released;
	struct released_sum sum; /* of the task that is pushed */
	int critical_path;
	double rank_highest_ns;
	struct start_times start_times; /* critical-path=yes of a graph that is known; else without arrays */
	enum gate gate;
	struct worker_kinds kinds;
	struct multree_class *classes;
	size_t cap_classes;
	int workers_of[ARCH_COUNT];
	double work_ns[ARCH_COUNT]; /* ready, for the architecture that is best at it */
	struct tree *trees;
	int ntrees, *tree_of; /* per worker */
	int *idle_at;         /* per worker: where in its tree's idle[], + 1; 0: not there */
	int64_t *waiting;     /* per task: the number of its push, from 1; 0: it is taken */
	double work_highest_ns;
	int64_t pushed;
};

static void multree_free(void *state)
{
	struct multree *s = state;

	if (!s)
		return;
	for (int i = 0; i < s->ntrees; i++) {
		scoretree_fini(&s->trees[i].tasks);
		free(s->trees[i].idle);
	}
	worker_kinds_fini(&s->kinds);
	released_sum_fini(&s->sum);
	released_fini(&s->released);
	start_times_fini(&s->start_times);
	free(s->classes);
	free(s->trees);
	free(s->tree_of);
	free(s->idle_at);
	free(s->waiting);
	free(s);
}

/* NAN: it cannot run there. */
static double length_on(const struct multree *s, uint32_t class_id, int kind)
{
	return s->released.length_ns[class_id * (size_t)s->kinds.n + (size_t)kind];
}

/* Devices of the architecture that is best at it are not kept from what another of them does a little faster. */
static int group_of(const struct multree *s, uint32_t class_id, int kind)
{
	const struct multree_class *c = &s->classes[class_id];
	enum arch best = s->kinds.kind[c->best].arch;

	return s->kinds.kind[kind].arch == best || length_on(s, class_id, kind) <= c->length_ns ? FREE : (int)best;
}

/* The work that is ready for the architecture that is best at the class. */
static double *work_for_best(struct multree *s, uint32_t class_id)
{
	return &s->work_ns[s->kinds.kind[s->classes[class_id].best].arch];
}

/* By what it takes now, with its tasks that wait. */
static void place_class(struct multree *s, uint32_t class_id)
{
	struct multree_class *c;

	VEC_FIT(s->classes, s->cap_classes, class_id);
	c = &s->classes[class_id];
	if (c->nwaiting)
		*work_for_best(s, class_id) -= c->nwaiting * c->length_ns;
	c->best = worker_kinds_class_best(&s->kinds, s->world.dag, class_id);
	if (c->best < 0)
		return;
	c->length_ns = length_on(s, class_id, c->best);
	*work_for_best(s, class_id) += c->nwaiting * c->length_ns;
	for (int i = 0; i < s->ntrees; i++) {
		struct tree *t = &s->trees[i];

		if (!isnan(length_on(s, class_id, t->kind)))
			scoretree_place(&t->tasks, class_id, group_of(s, class_id, t->kind),
			                length_on(s, class_id, t->kind));
	}
}

/* Where the graph grows. */
static void look_at_class(struct multree *s, uint32_t class_id)
{
	if (released_class(&s->released, s->world.dag, &s->kinds, class_id))
		place_class(s, class_id);
}

/* Workers of two kinds may share a node; each kind has its own tree there. */
static void make_trees(struct multree *s, int by_architecture)
{
	const struct machine *m = s->world.machine;
	int *tree_of = ht_alloc((size_t)m->nnodes * (size_t)s->kinds.n, sizeof(*tree_of)); /* tree + 1 */

	s->trees = ht_alloc((size_t)m->nworkers, sizeof(*s->trees));
	s->tree_of = ht_alloc((size_t)m->nworkers, sizeof(*s->tree_of));
	s->idle_at = ht_alloc((size_t)m->nworkers, sizeof(*s->idle_at));
	for (int i = 0; i < m->nworkers; i++) {
		const struct machine_worker *w = &m->workers[i];
		int kind = s->kinds.of[i], *known = &tree_of[(by_architecture ? 0 : w->node) * s->kinds.n + kind];

		if (!*known) {
			*known = ++s->ntrees;
			s->trees[*known - 1].kind = kind;
			scoretree_init(&s->trees[*known - 1].tasks, NGROUPS);
		}
		s->tree_of[i] = *known - 1;
		s->trees[*known - 1].nworkers++;
	}
	for (int i = 0; i < s->ntrees; i++)
		s->trees[i].idle = ht_alloc((size_t)s->trees[i].nworkers, sizeof(*s->trees[i].idle));
	free(tree_of);
}

/* A worker that found nothing may pop again before it is woken, and is in the list already then. */
static void set_idle(struct multree *s, struct tree *t, int worker)
{
	if (s->idle_at[worker])
		return;
	t->idle[t->nidle++] = worker;
	s->idle_at[worker] = t->nidle;
}

static void set_busy(struct multree *s, struct tree *t, int worker)
{
	int at = s->idle_at[worker], last;

	if (!at)
		return;
	last = t->idle[--t->nidle];
	t->idle[at - 1] = last;
	s->idle_at[last] = at;
	s->idle_at[worker] = 0;
}

static void wake_one(struct multree *s, struct tree *t)
{
	int worker;

	if (!t->nidle)
		return;
	worker = t->idle[t->nidle - 1];
	set_busy(s, t, worker);
	s->world.wake(s->world.ctx, worker);
}

enum { TREES_NODE, TREES_ARCHITECTURE };

struct multree_knobs {
	int critical_path, trees, gate;
};

static const struct knob knobs[] = {
	WORD_KNOB(multree_knobs, critical_path, "critical-path", "no|yes", 0),
	WORD_KNOB(multree_knobs, trees, "trees", "node|architecture", TREES_NODE),
	WORD_KNOB(multree_knobs, gate, "gate", "work|worker|off", GATE_WORK),
	LAST_KNOB,
};

static void *multree_create(const struct policy *self, const struct policy_world *w, const char *options,
                            struct ht_err *err)
{
	struct multree_knobs knob;
	struct multree *s;

	if (knobs_read(self->name, self->knobs, options, &knob, err) != 0)
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	s->gate = (enum gate)knob.gate;
	if (knob.trees == TREES_ARCHITECTURE)
		worker_kinds_of_machine(&s->kinds, w->machine);
	else
		worker_kinds_init(&s->kinds, w->dag, w->machine);
	s->critical_path = knob.critical_path;
	if (knob.critical_path && !w->rank_ns && start_times_init(&s->start_times, w->dag, &s->kinds, err) != 0) {
		multree_free(s);
		return NULL;
	}
	released_init_classes(&s->released, w->dag, &s->kinds);
	released_sum_init(&s->sum, &s->released);
	for (int a = 0; a < ARCH_COUNT; a++)
		s->workers_of[a] = machine_workers_of(w->machine, (enum arch)a);
	make_trees(s, knob.trees == TREES_ARCHITECTURE);
	for (uint32_t c = w->dag->nclasses; c-- > 0;) /* the arrays grow once */
		place_class(s, c);
	s->waiting = ht_alloc(w->dag->ntasks, sizeof(*s->waiting));
	return s;
}

static void add_successor(void *state, uint32_t successor, uint32_t npreds, uint32_t times)
{
	struct multree *s = state;
	uint32_t class_id = s->world.dag->tasks[successor].class_id;

	if (s->world.successors)
		look_at_class(s, class_id);
	released_sum_add(&s->sum, &s->released, class_id, npreds, times);
}

static void sum_up(struct multree *s, uint32_t task)
{
	const struct dag *d = s->world.dag;

	released_sum_clear(&s->sum, &s->released);
	if (s->world.successors) {
		s->world.successors(s->world.ctx, task, add_successor, s);
		return;
	}
	for (uint32_t e = d->succ_first[task]; e < d->succ_first[task + 1]; e++)
		add_successor(s, d->succ[e], dag_npred(d, d->succ[e]), 1);
}

/* B1 + B2, which are the same on all nodes; sets `starving` of every tree. */
static double common_bonuses(struct multree *s)
{
	const struct released_sum *r = &s->sum;
	double sum = 0;

	s->work_highest_ns = fmax(s->work_highest_ns, r->work_ns);
	for (int i = 0; i < s->ntrees; i++) {
		struct tree *t = &s->trees[i];
		double work = r->work_on_ns[t->kind];

		t->work_highest_ns = fmax(t->work_highest_ns, work);
		t->starving = (double)t->nidle / t->nworkers;
		sum += (1 - exp(-stats_ratio(work, t->work_highest_ns, 0) * r->successors_on[t->kind])) * t->starving;
	}
	return 1 - exp(-stats_ratio(r->work_ns, s->work_highest_ns, 0) * r->nsuccessors) + sum / s->ntrees;
}

/* How late the task has to start, as a share of the critical path, subtracted from 1. */
static double critical_path_bonus(struct multree *s, uint32_t task)
{
	double rank;

	if (s->start_times.latest_ns)
		return 1 - stats_ratio((double)s->start_times.latest_ns[task], (double)s->start_times.length_ns, 0);
	rank = s->world.rank_ns(s->world.ctx, task);
	s->rank_highest_ns = fmax(s->rank_highest_ns, rank);
	return stats_ratio(rank, s->rank_highest_ns, 0);
}

/* Sum over all nodes of (1 - 1/sp) starving. */
static double others_starve(const struct multree *s, uint32_t class_id)
{
	double sum = 0;

	for (int i = 0; i < s->ntrees; i++) {
		const struct tree *t = &s->trees[i];
		double speedup = released_speedup(&s->released, class_id, t->kind);

		if (!isnan(speedup))
			sum += (1 - 1 / speedup) * t->starving;
	}
	return sum;
}

/* Not one that another node took, whose index may be that of another task since. */
static int is_waiting(const void *state, const struct scoreheap_item *x)
{
	return ((const struct multree *)state)->waiting[x->task] == x->number;
}

static void multree_push(void *state, uint32_t task, int releaser)
{
	struct multree *s = state;
	const struct released *r = &s->released;
	uint32_t class_id = s->world.dag->tasks[task].class_id;
	double best, common, penalties;
	int nbonus = 5 + s->critical_path;

	(void)releaser;
	if (s->world.successors)
		look_at_class(s, class_id);
	best = r->best_speedup[class_id];
	sum_up(s, task);
	common = common_bonuses(s);
	penalties = others_starve(s, class_id);
	if (s->critical_path)
		common += critical_path_bonus(s, task);
	s->waiting[task] = ++s->pushed;
	s->classes[class_id].nwaiting++;
	for (int i = 0; i < s->ntrees; i++) {
		struct tree *t = &s->trees[i];
		double sp = released_speedup(r, class_id, t->kind), score = common, penalty = penalties;
		double length = length_on(s, class_id, t->kind);

		if (isnan(length))
			continue;
		t->longest_ns = fmax(t->longest_ns, length);
		t->nod_highest = fmax(t->nod_highest, s->sum.nod);
		score += 1 - 1 / sp;
		score += best > 1 ? stats_ratio(length, t->longest_ns, 0) * (sp - 1) / (best - 1) : 0;
		score += stats_ratio(s->sum.nod, t->nod_highest, 0);
		penalty -= (1 - 1 / sp) * t->starving;
		score += 1 - (s->ntrees > 1 ? penalty / (s->ntrees - 1) : 0);
		scoretree_put(&t->tasks, class_id, score / (nbonus + 1), s->pushed, task);
		if (t->tasks.heaps[class_id].count > FEW + 2 * (size_t)s->classes[class_id].nwaiting)
			scoretree_filter(&t->tasks, class_id, is_waiting, s);
	}
	*work_for_best(s, class_id) += s->classes[class_id].length_ns;
	/* More work for one architecture opens the gate for others; workers of one tree see the same, so one looks. */
	for (int i = 0; i < s->ntrees; i++)
		wake_one(s, &s->trees[i]);
}

/* What a class of the group has to be shorter than to pass the gate. */
static double gate_of(const struct multree *s, int group)
{
	if (group == FREE || s->gate == GATE_OFF)
		return INFINITY;
	return s->work_ns[group] / (s->gate == GATE_WORKER ? s->workers_of[group] : 1);
}

static uint32_t best_class(const struct multree *s, const struct tree *t)
{
	uint32_t best = SCORETREE_NONE;

	for (int g = 0; g < NGROUPS; g++)
		best = scoretree_better(&t->tasks, best, scoretree_best(&t->tasks, g, gate_of(s, g)));
	return best;
}

static uint32_t multree_pop(void *state, int worker)
{
	struct multree *s = state;
	struct tree *t = &s->trees[s->tree_of[worker]];
	uint32_t class_id;

	while ((class_id = best_class(s, t)) != SCORETREE_NONE) {
		int waits = is_waiting(s, &t->tasks.heaps[class_id].items[0]);
		uint32_t task = scoretree_take(&t->tasks, class_id);

		if (!waits)
			continue;
		s->waiting[task] = 0;
		s->classes[class_id].nwaiting--;
		*work_for_best(s, class_id) -= s->classes[class_id].length_ns;
		set_busy(s, t, worker);
		wake_one(s, t);
		return task;
	}
	set_idle(s, t, worker);
	return POLICY_NO_TASK;
}

const struct policy policy_multreeprio = {
	.name = "multreeprio",
	.summary = "a tree of ready tasks for each memory node, by scores (MulTreePrio)",
	.knobs = knobs,
	.create = multree_create,
	.free = multree_free,
	.push = multree_push,
	.pop = multree_pop,
};
