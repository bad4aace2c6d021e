/* generate/execute.c - an execution of a made graph, so that it can be looked at like any other run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/execute.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "generate/graph.h"

static const int64_t MAX_NS = TIME_LIMIT / 1000000 * 1000000; /* what a tasks.rec may hold: 13 days, in whole ms */

struct executor {
	const struct graph *g;
	const struct machine *m;
	struct executed *tasks;
	int64_t *cost_ns; /* [type * workers + worker]; -1: cannot run there */
	int64_t *worker_free_ns, *data_free_ns;
	int64_t submit_ns; /* when the application submits next */
	int64_t waited_ns; /* the end of its last wait */
	int64_t last_ns;   /* the end of all so far */
};

static int find_costs(struct executor *x, struct ht_err *err)
{
	for (size_t i = 0; i < x->g->ntypes; i++) {
		const struct graph_type *t = &x->g->types[i];
		int somewhere = t->count == 0 || t->wait != GRAPH_NO_WAIT;

		for (int w = 0; w < x->m->nworkers; w++) {
			const struct machine_worker *worker = &x->m->workers[w];
			double us = graph_cost_us(x->g, i, worker->arch, worker->devid);

			if (us > 1e-3 * (double)MAX_NS)
				return ht_err_set(err, "%s takes %g us on %s, expected at most %g", t->name, us,
				                  arch_name(worker->arch), 1e-3 * (double)MAX_NS);
			x->cost_ns[i * (size_t)x->m->nworkers + (size_t)w] = us < 0 ? -1 : llround(us * 1e3);
			somewhere |= us >= 0;
		}
		if (!somewhere)
			return ht_err_set(err, "no worker of the machine can run %s: give it a cost there with --cost",
			                  t->name);
	}
	return 0;
}

static int64_t ready_ns(const struct executor *x, uint32_t t)
{
	const struct graph *g = x->g;
	int64_t ready = x->waited_ns;

	for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++)
		if (x->tasks[g->pred[k]].end_ns > ready)
			ready = x->tasks[g->pred[k]].end_ns;
	for (uint32_t k = g->access_first[t]; k < g->access_first[t + 1]; k++)
		if (g->accesses[k].mode & ACCESS_COMMUTE && x->data_free_ns[g->accesses[k].handle] > ready)
			ready = x->data_free_ns[g->accesses[k].handle];
	return ready;
}

/* What comes next is submitted after the wait, even where a submission takes no time. */
static void wait_at(struct executor *x, uint32_t t)
{
	struct executed *task = &x->tasks[t];
	int64_t ready = graph_waits(x->g, t) == GRAPH_WAIT_FOR_ALL ? x->last_ns : ready_ns(x, t);

	*task = (struct executed){.submit_ns = x->submit_ns, .worker = -1};
	task->start_ns = task->end_ns = ready > x->submit_ns ? ready : x->submit_ns;
	x->waited_ns = task->end_ns;
	x->submit_ns = task->end_ns + (x->g->submit_ns ? x->g->submit_ns : 1);
}

static void place(struct executor *x, uint32_t t)
{
	const struct graph *g = x->g;
	const int64_t *cost_ns = x->cost_ns + g->task_type[t] * (size_t)x->m->nworkers;
	struct executed *task = &x->tasks[t];
	int64_t ready = ready_ns(x, t);

	*task = (struct executed){.submit_ns = x->submit_ns, .worker = -1};
	x->submit_ns += g->submit_ns;
	for (int w = 0; w < x->m->nworkers; w++) {
		int64_t cost = cost_ns[w];
		int64_t start = x->worker_free_ns[w] > ready ? x->worker_free_ns[w] : ready;

		if (cost < 0 || (task->worker >= 0 && start + cost >= task->end_ns))
			continue;
		task->worker = w;
		task->start_ns = start;
		task->end_ns = start + cost;
	}
	x->worker_free_ns[task->worker] = task->end_ns;
	x->last_ns = task->end_ns > x->last_ns ? task->end_ns : x->last_ns;
	for (uint32_t k = g->access_first[t]; k < g->access_first[t + 1]; k++)
		if (g->accesses[k].mode & ACCESS_COMMUTE)
			x->data_free_ns[g->accesses[k].handle] = task->end_ns;
}

int execute_fits(int64_t end_ns, uint32_t task, struct ht_err *err)
{
	if (end_ns <= MAX_NS)
		return 0;
	return ht_err_set(err, "an execution of more than 13 days, at task %u", task + 1);
}

struct executed *execute(const struct graph *g, const struct machine *m, int64_t *makespan_ns, struct ht_err *err)
{
	struct executor x = {.g = g, .m = m};
	int rc;

	x.tasks = ht_alloc(g->ntasks, sizeof(*x.tasks));
	x.cost_ns = ht_alloc(g->ntypes * (size_t)m->nworkers, sizeof(*x.cost_ns));
	x.worker_free_ns = ht_alloc((size_t)m->nworkers, sizeof(*x.worker_free_ns));
	x.data_free_ns = ht_alloc(g->nhandles, sizeof(*x.data_free_ns));
	rc = find_costs(&x, err);
	for (uint32_t t = 0; t < g->ntasks && rc == 0; t++) {
		if (graph_waits(g, t) == GRAPH_NO_WAIT)
			place(&x, t);
		else
			wait_at(&x, t);
		rc = execute_fits(x.last_ns > x.submit_ns ? x.last_ns : x.submit_ns, t, err);
	}
	free(x.cost_ns);
	free(x.worker_free_ns);
	free(x.data_free_ns);
	*makespan_ns = x.last_ns;
	if (rc != 0) {
		free(x.tasks);
		return NULL;
	}
	return x.tasks;
}
