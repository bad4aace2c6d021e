/* sched/static/cpop.c - CPOP: the critical path on the worker that runs it fastest, the rest as in HEFT. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task scheduling for heterogeneous computing", IEEE
 * TPDS 13(3), 2002, section 4.2, on the whole graph before it runs. The priority of a task is up(t) + down(t)
 * (rank.h); of the tasks whose predecessors have been placed the one with the highest is placed next. The critical
 * path begins at the first task without predecessors that has the highest priority of all, and goes on to the first
 * successor that has it too; all its tasks go to one worker, for which the sum of their durations is smallest, everyone
 * else to the worker that ends it first (sched/static/planner.h).
 *
 * The paper's processors can run every task. Here a task of the path that its worker cannot run is placed like the
 * rest.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/queue/scoreheap.h"
#include "sched/static/planner.h"
#include "sched/static/schedule.h"

struct cpop {
	const struct policy_world *w;
	double *priority;       /* per task */
	unsigned char *on_path; /* per task */
	int worker;             /* of the path */
	enum planner_links links;
};

static int is_highest(double priority, double highest)
{
	return priority >= highest * (1 - 1e-9); /* sums in two orders: equal but for rounding */
}

static void find_path(struct cpop *c)
{
	const struct dag *d = c->w->dag;
	double highest = 0;
	uint32_t t = UINT32_MAX;

	for (uint32_t i = 0; i < d->ntasks; i++)
		highest = fmax(highest, c->priority[i]);
	for (uint32_t i = 0; i < d->ntasks && t == UINT32_MAX; i++) {
		if (!dag_npred(d, i) && is_highest(c->priority[i], highest))
			t = i;
	}
	while (t != UINT32_MAX) {
		uint32_t e = d->succ_first[t];

		c->on_path[t] = 1;
		while (e < d->succ_first[t + 1] && !is_highest(c->priority[d->succ[e]], highest))
			e++;
		t = e < d->succ_first[t + 1] ? d->succ[e] : UINT32_MAX;
	}
}

/* The smallest sum of the path's durations; what the worker cannot run takes its best one. */
static void find_worker(struct cpop *c)
{
	const struct dag *d = c->w->dag;
	struct worker_kinds kinds;
	double *sum;

	worker_kinds_init(&kinds, d, c->w->machine);
	sum = ht_alloc((size_t)kinds.n, sizeof(*sum));
	for (uint32_t t = 0; t < d->ntasks; t++) {
		int best = c->on_path[t] ? worker_kinds_class_best(&kinds, d, d->tasks[t].class_id) : -1;

		for (int k = 0; k < kinds.n && best >= 0; k++) {
			int64_t cost = worker_kind_cost(&kinds.kind[k], d, t);

			sum[k] += (double)(cost < 0 ? worker_kind_cost(&kinds.kind[best], d, t) : cost);
		}
	}
	for (int i = 1; i < c->w->machine->nworkers; i++) {
		if (sum[kinds.of[i]] < sum[kinds.of[c->worker]])
			c->worker = i;
	}
	free(sum);
	worker_kinds_fini(&kinds);
}

static struct schedule *place_all(const struct cpop *c)
{
	const struct dag *d = c->w->dag;
	uint32_t *pending = ht_alloc(d->ntasks, sizeof(*pending));
	struct planner *p = planner_create(c->w, NULL, c->links);
	struct scoreheap ready = {0};
	struct schedule *s;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		pending[t] = dag_npred(d, t);
		if (!pending[t])
			scoreheap_put(&ready, c->priority[t], t);
	}
	while (ready.count) {
		uint32_t t = scoreheap_take(&ready);
		struct planner_place place = {.worker = -1};

		if (c->on_path[t])
			place = planner_on(p, t, c->worker);
		if (place.worker < 0)
			place = planner_best(p, t);
		planner_take(p, t, place);
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			if (--pending[d->succ[e]] == 0)
				scoreheap_put(&ready, c->priority[d->succ[e]], d->succ[e]);
		}
	}
	s = planner_finish(p);
	planner_free(p);
	scoreheap_fini(&ready);
	free(pending);
	return s;
}

struct cpop_knobs {
	int links;
};

static const struct knob knobs[] = {PLANNER_LINKS_KNOB(cpop_knobs, links), LAST_KNOB};

static void *cpop_create(const struct policy *self, const struct policy_world *w, const char *options,
                         struct ht_err *err)
{
	struct cpop c = {.w = w};
	struct rank_graph g = {.n = w->dag->ntasks,
	                       .order = w->dag->order,
	                       .succ_first = w->dag->succ_first,
	                       .succ = w->dag->succ};
	struct cpop_knobs k;
	struct schedule *s;
	struct ranks r;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0 || ranks_init(&r, w->dag, w->machine, err) != 0)
		return NULL;
	if (!w->copies_take_time) {
		g.length_ns = r.length_ns;
		rank_upward(&g, r.upward_ns);
		rank_downward(&g, r.downward_ns);
	}
	c.links = (enum planner_links)k.links;
	c.priority = r.upward_ns;
	for (uint32_t t = 0; t < g.n; t++)
		c.priority[t] += r.downward_ns[t];
	c.on_path = ht_alloc(g.n, sizeof(*c.on_path));
	find_path(&c);
	find_worker(&c);
	s = place_all(&c);
	free(c.on_path);
	ranks_fini(&r);
	return follow_create(w, s);
}

const struct policy policy_cpop = {
	.name = "cpop",
	.summary = "a schedule made before the run: the critical path on its fastest worker, the rest as heft",
	.knobs = knobs,
	.create = cpop_create,
	.free = follow_free,
	.added = follow_added,
	.push = follow_push,
	.pop = follow_pop,
	.priority = follow_priority,
};
