/* plugin/world_answers.c - what a policy of sched/ asks, answered by StarPU, the live graph and the config's plans. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/world_answers.h"

#include "core/config/config.h"
#include "core/dag/live_dag.h"
#include "plugin/buckets.h"
#include "plugin/data_query.h"
#include "plugin/follow.h"
#include "plugin/live.h"
#include "plugin/starpu/pipeline.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/world_state.h"

static int64_t ask_now(void *ctx)
{
	(void)ctx;
	return (int64_t)(1000 * sp.starpu_timing_now());
}

static int64_t ask_cost(void *ctx, uint32_t task, int worker)
{
	const struct world *w = ctx;

	return live_cost_ns(task, w->worker_of[worker], NULL);
}

static void ask_wake(void *ctx, int worker)
{
	struct world *w = ctx;
	int id = w->worker_of[worker];

	w->nto_wake += !w->to_wake[id];
	w->to_wake[id] = 1;
	w->is_called[id] = 1;
	w->calls_all |= w->is_away[id];
}

static int64_t ask_transfer(void *ctx, uint32_t task, int worker)
{
	const struct world *w = ctx;
	double us = sp.starpu_task_expected_data_transfer_time_for(live_task(task), (unsigned)w->worker_of[worker]);

	return us > 0 && us < 1e12 ? (int64_t)(1000 * us) : 0;
}

static double ask_rank(void *ctx, uint32_t task)
{
	(void)ctx;
	return live_rank_ns(task);
}

/* The first worker of the place, which can be another context's: then -1. */
static int worker_at(const struct machine *m, struct config_place p)
{
	for (int i = 0; i < m->nworkers && p.arch != ARCH_NONE; i++)
		if (m->workers[i].arch == p.arch && (p.arch == ARCH_CPU || m->workers[i].devid == p.devid))
			return i;
	return -1;
}

static int ask_owner(void *ctx, uint32_t handle)
{
	return worker_at(&((struct world *)ctx)->machine, follow_owner(handle));
}

static int ask_planned_worker(void *ctx, uint32_t task)
{
	return worker_at(&((struct world *)ctx)->machine, live_place(task));
}

static void ask_successors(void *ctx, uint32_t task,
                           void (*visit)(void *arg, uint32_t successor, uint32_t npreds, uint32_t times), void *arg)
{
	(void)ctx;
	live_dag_successors(live_graph(), task, visit, arg);
}

static uint64_t ask_submission(void *ctx, uint32_t task)
{
	(void)ctx;
	return live_dag_number(live_graph(), task);
}

static uint64_t ask_submissions(void *ctx)
{
	(void)ctx;
	return live_dag_newest(live_graph());
}

static int ask_bucket(void *ctx, uint32_t task)
{
	const struct world *w = ctx;

	return buckets_of(live_task(task), w->items[task].place);
}

static void ask_where(void *ctx, uint32_t handle, uint64_t *valid, uint64_t *coming)
{
	data_where(handle, ((const struct world *)ctx)->machine.nnodes, valid, coming);
}

static void ask_missing(void *ctx, uint32_t task, int worker, struct policy_missing *missing)
{
	data_missing(task, ((const struct world *)ctx)->machine.workers[worker].node, missing);
}

static uint64_t ask_data_bytes(void *ctx)
{
	(void)ctx;
	return live_dag_bytes(live_graph());
}

static uint64_t ask_data_number(void *ctx, uint32_t handle)
{
	(void)ctx;
	return live_handle_number(handle);
}

static struct dag *ask_snapshot(void *ctx)
{
	(void)ctx;
	return live_dag_snapshot(live_graph());
}

static struct dag *ask_part(void *ctx, const uint32_t **task, const uint32_t **handle)
{
	(void)ctx;
	return live_dag_part(live_graph(), task, handle);
}

static void ask_prefetch(void *ctx, uint32_t task, int worker)
{
	struct world *w = ctx;
	struct starpu_task *t = live_task(task);
	int32_t priority = w->policy->priority && w->state ? w->policy->priority(w->state, task) : *task_priority(t);

	/* StarPU asserts that it has not, also of a task that is submitted again before its end is all over. */
	if (!w->items[task].is_prefetched && !*task_is_prefetched(t) && sp.starpu_get_prefetch_flag())
		(sp.layout->binds_prefetches ?
		         sp.starpu_idle_prefetch_task_input_for_prio :
		         sp.starpu_prefetch_task_input_for_prio)(t, (unsigned)w->worker_of[worker], priority);
	w->items[task].is_prefetched = 1;
}

static int ask_takes_ahead(void *ctx, uint32_t task, int worker)
{
	return pipeline_takes_ahead(live_task(task), ((struct world *)ctx)->machine.workers[worker].arch);
}

static int ask_ahead(void *ctx, int worker)
{
	const struct world *w = ctx;

	return w->ahead[w->worker_of[worker]];
}

static void ask_prefetch_data(void *ctx, uint32_t handle, int worker, int32_t priority)
{
	struct world *w = ctx;

	/* What the program does to data is seen in the first context. */
	if (w->first->is_open && live_can_copy(handle))
		copies_add(&w->copies, live_handle(handle), (unsigned)w->machine.workers[worker].node, priority);
}

struct policy_world world_answers(struct world *w, const struct config *config)
{
	return (struct policy_world){.dag = live_dag_view(live_graph()),
	                             .machine = &w->machine,
	                             .config = config,
	                             .now = ask_now,
	                             .cost_ns = ask_cost,
	                             .wake = ask_wake,
	                             .prefetch = ask_prefetch,
	                             .prefetch_data = ask_prefetch_data,
	                             .takes_ahead = ask_takes_ahead,
	                             .ahead = ask_ahead,
	                             .transfer_ns = ask_transfer,
	                             .where = ask_where,
	                             /* For the queues of dmdar and dmdas StarPU would have to say what moves. */
	                             .missing = w->policy == &policy_inspirit ? ask_missing : NULL,
	                             .rank_ns = ask_rank,
	                             .owner = ask_owner,
	                             .planned_worker = ask_planned_worker,
	                             .plan_options = follow_knobs,
	                             .snapshot = ask_snapshot,
	                             .part = ask_part,
	                             .data_bytes = ask_data_bytes,
	                             .data_number = ask_data_number,
	                             .successors = ask_successors,
	                             .submission = ask_submission,
	                             .submissions = ask_submissions,
	                             .bucket = ask_bucket,
	                             .simulated = sp.pthread_mutex_init != NULL,
	                             .copies_take_time = w->machine.nlinks > 0,
	                             .ctx = w};
}
