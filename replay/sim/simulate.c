/* replay/sim/simulate.c - discrete-event simulation of a task graph on a machine under a policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prepares what both loops work on (sim.h), lets one of them run, and sums up. What a policy may ask of the world is
 * answered here. A worker runs one task at a time, so what is under way is bounded by the machine; nothing is allocated
 * per task while it runs.
 */
#include "replay/sim/simulate.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/memory/memory.h"
#include "replay/memory/network.h"
#include "replay/memory/transfers.h"
#include "replay/sim/commute.h"
#include "replay/sim/deadlock.h"
#include "replay/sim/ranks.h"
#include "replay/sim/runnable.h"
#include "replay/sim/sim.h"
#include "replay/sim/threads.h"
#include "replay/sim/untimed.h"
#include "replay/sim/window.h"
#include "sched/policy.h"

enum { SUBMITTED = 1 };

static int64_t world_now(void *ctx)
{
	return ((struct sim *)ctx)->now;
}

static int64_t world_cost_ns(void *ctx, uint32_t task, int worker)
{
	struct sim *s = ctx;

	return dag_class_expected_on(s->d, s->d->tasks[task].class_id, s->m->workers[worker].arch, s->device[worker]);
}

static void world_wake(void *ctx, int worker)
{
	struct sim *s = ctx;

	if (s->network)
		threads_wake(s, worker);
	else
		untimed_wake(s, worker);
}

static void world_prefetch(void *ctx, uint32_t task, int worker)
{
	struct sim *s = ctx;

	memory_prefetch(s->memory, task, worker, sim_priority(s, task));
}

static void world_prefetch_data(void *ctx, uint32_t handle, int worker, int32_t priority)
{
	struct sim *s = ctx;

	memory_prefetch_data(s->memory, handle, worker, priority);
}

static void world_no_prefetch(void *ctx, uint32_t task, int worker)
{
	(void)ctx, (void)task, (void)worker;
}

static int world_takes_ahead(void *ctx, uint32_t task, int worker)
{
	struct sim *s = ctx;

	return s->network && s->pipeline[s->m->workers[worker].arch] > 1 && threads_overlap(s, task, worker);
}

static int world_ahead(void *ctx, int worker)
{
	const struct sim_worker *w = &((struct sim *)ctx)->workers[worker];

	return w->nqueued + (w->fetching.task != POLICY_NO_TASK);
}

static int64_t world_transfer_ns(void *ctx, uint32_t task, int worker)
{
	struct sim *s = ctx;

	return s->network ? predict_transfer_ns(&s->predict, task, s->m->workers[worker].node) : 0;
}

static void world_missing(void *ctx, uint32_t task, int worker, struct policy_missing *missing)
{
	struct sim *s = ctx;

	predict_missing(&s->predict, task, s->m->workers[worker].node, missing);
}

static void world_where(void *ctx, uint32_t handle, uint64_t *valid, uint64_t *coming)
{
	struct residency_where w = memory_where(((struct sim *)ctx)->memory, handle);

	*valid = w.valid;
	*coming = w.pending;
}

static int world_is_submitted(void *ctx, uint32_t task)
{
	return sim_is_submitted(ctx, task);
}

/* Submission times of a trace grow with the index; those of a graph that was changed may not. */
static int by_time(const void *a, const void *b, void *arg)
{
	const struct dag *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (d->submit_ns[x] != d->submit_ns[y])
		return d->submit_ns[x] < d->submit_ns[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort_submission(struct sim *s)
{
	const struct dag *d = s->d;
	uint32_t t = 1;

	if (s->ignore_submission || !d->submit_ns)
		return;
	while (t < d->ntasks && d->submit_ns[t - 1] <= d->submit_ns[t])
		t++;
	if (t >= d->ntasks)
		return;
	s->submission = ht_alloc(d->ntasks, sizeof(*s->submission));
	for (t = 0; t < d->ntasks; t++)
		s->submission[t] = t;
	qsort_r(s->submission, d->ntasks, sizeof(*s->submission), by_time, (void *)d);
}

static void find_pipelines(struct sim *s, int wanted)
{
	for (int a = 0; a < ARCH_COUNT; a++) {
		int n = wanted != PIPELINE_OF_RUN ? wanted : s->conditions.pipeline[a];

		/* The SYCL driver takes one task at a time (StarPU 1.5, src/drivers/sycl/driver_sycl.cpp). */
		if (n == PIPELINE_OF_RUN)
			n = a == ARCH_SYCL ? 1 : PIPELINE_DEFAULT;
		s->pipeline[a] = n == PIPELINE_NONE ? 0 : n;
	}
}

static void prepare(struct sim *s, const struct simulate_options *o)
{
	const struct dag *d = s->d;

	s->pending = ht_alloc(d->ntasks, sizeof(*s->pending));
	for (uint32_t t = 0; t < d->ntasks; t++)
		s->pending[t] = dag_npred(d, t) + SUBMITTED;
	sort_submission(s);
	if (o->window && !o->ignore_submission && !s->submission && (o->window->most || d->nwaits))
		s->window = o->window;
	s->running = ht_alloc((size_t)s->m->nworkers, sizeof(*s->running));
	s->asking = ht_alloc((size_t)(s->m->nworkers + 63) / 64, sizeof(*s->asking));
	s->idle = ht_alloc((size_t)s->m->nworkers, sizeof(*s->idle));
	s->device = ht_alloc((size_t)s->m->nworkers, sizeof(*s->device));
	for (int w = 0; w < s->m->nworkers; w++)
		s->device[w] = dag_device(d, s->m->workers[w].arch, s->m->workers[w].devid);
	s->workers = ht_alloc((size_t)s->m->nworkers, sizeof(*s->workers));
	for (int w = 0; w < s->m->nworkers; w++)
		s->workers[w].running = s->workers[w].fetching.task = POLICY_NO_TASK;
	for (uint32_t i = 0; i < d->nclasses * (uint32_t)ARCH_COUNT && !s->warm; i++)
		if (d->classes[i / ARCH_COUNT].warm_up_ns[i % ARCH_COUNT] > 0)
			s->warm = ht_alloc((size_t)d->nclasses * (size_t)s->m->nworkers / 8 + 1, 1);
	find_pipelines(s, o->pipeline);
	if (o->transfers == TRANSFERS_ON) {
		s->network = network_create(s->m);
		s->threads = threads_create(s);
	}
	s->commute = commute_create(d, o->turns);
	s->memory = memory_create(d, s->m, s->network, &s->conditions.overheads);
	memory_watch(s->memory, s->policy->moved, s->state);
	s->transfers = memory_transfers(s->memory);
	if (o->keep_schedule && s->transfers)
		transfers_log_copies(s->transfers);
	predict_init(&s->predict, d, s->m, s->memory);
}

static void summarise(const struct sim *s)
{
	struct simulation *out = s->out;
	const struct machine *m = s->m;

	out->bytes_moved = memory_bytes_moved(s->memory);
	if (s->network) {
		const struct link_use *use = network_use(s->network, &out->nlinks);

		out->copies = transfers_take_copies(s->transfers, &out->ncopies);
		out->links = ht_alloc((size_t)out->nlinks, sizeof(*out->links));
		memcpy(out->links, use, (size_t)out->nlinks * sizeof(*out->links));
		out->memory = ht_alloc((size_t)m->nnodes, sizeof(*out->memory));
		memcpy(out->memory, memory_use(s->memory), (size_t)m->nnodes * sizeof(*out->memory));
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		double total = (double)machine_workers_of(m, (enum arch)a) * (double)out->makespan_ns;

		out->idle_ratio[a] = total > 0 ? 1 - (double)out->busy_ns[a] / total : 0;
	}
}

static struct execution_task *tasks_of(const struct dag *d)
{
	struct execution_task *tasks = ht_alloc(d->ntasks, sizeof(*tasks));

	for (uint32_t i = 0; i < d->ntasks; i++) {
		tasks[i].submit_ns = dag_submit_ns(d, i);
		tasks[i].type = dag_type_of(d, i);
		tasks[i].item = i;
	}
	return tasks;
}

static void world_init(struct policy_world *world, struct sim *s, const struct simulate_options *o)
{
	*world = (struct policy_world){
		.dag = s->d,
		.machine = s->m,
		.config = o->config,
		.data = o->policy_data,
		.now = world_now,
		.cost_ns = world_cost_ns,
		.wake = world_wake,
		.prefetch = o->no_prefetch ? world_no_prefetch : world_prefetch,
		.prefetch_data = o->no_prefetch ? NULL : world_prefetch_data,
		.takes_ahead = world_takes_ahead,
		.ahead = world_ahead,
		.transfer_ns = world_transfer_ns,
		.missing = world_missing,
		.where = world_where,
		.is_submitted = world_is_submitted,
		.copies_take_time = o->transfers == TRANSFERS_ON && s->m->nlinks > 0,
		.ctx = s,
	};
	if (o->conditions)
		s->conditions = *o->conditions;
	else
		conditions_init(&s->conditions);
	world->simulated = s->conditions.simulated;
}

uint64_t simulate_signature(const struct dag *d, const struct machine *m, const struct simulate_options *o)
{
	struct sim s = {.d = d, .m = m, .policy = o->policy};
	struct policy_world world;
	uint64_t signature;
	void *state;

	if (!o->policy->signature || d->messages) /* of several ranks each has its own state */
		return 0;
	world_init(&world, &s, o);
	state = o->policy->create(o->policy, &world, o->policy_options ? o->policy_options : "", NULL);
	signature = state ? o->policy->signature(state) : 0;
	o->policy->free(state);
	return signature;
}

int sim_open(struct sim *s, const struct dag *d, const struct machine *m, const struct simulate_options *o,
             struct ht_err *err)
{
	*s = (struct sim){
		.d = d, .m = m, .jitter = o->jitter, .policy = o->policy, .ignore_submission = o->ignore_submission};
	if (runnable_check(d, m, err) != 0)
		return -1;
	s->world = ht_alloc(1, sizeof(*s->world));
	world_init(s->world, s, o);
	s->state = s->policy->create(s->policy, s->world, o->policy_options ? o->policy_options : "", err);
	if (!s->state) {
		free(s->world);
		return -1;
	}
	s->out = ht_alloc(1, sizeof(*s->out));
	s->out->worker_busy_ns = ht_alloc((size_t)m->nworkers, sizeof(*s->out->worker_busy_ns));
	if (o->keep_schedule)
		s->out->tasks = tasks_of(d);
	prepare(s, o);
	return 0;
}

int sim_begin(struct sim *s, struct ht_err *err)
{
	return s->network ? threads_begin(s, err) : untimed_begin(s, err);
}

int64_t sim_next_ns(struct sim *s)
{
	return s->network ? threads_next_ns(s) : untimed_next_ns(s);
}

int sim_go_to(struct sim *s, int64_t now, struct ht_err *err)
{
	if (now > SIM_END_OF_TIME)
		return ht_err_set(err, "the simulated time is more than 146 years after %u tasks",
		                  (unsigned)s->executed);
	if (s->network)
		threads_go_to(s, now);
	else
		s->now = now > s->now ? now : s->now;
	return 0;
}

int sim_step(struct sim *s, struct ht_err *err)
{
	return s->network ? threads_step(s, err) : untimed_step(s, err);
}

int sim_finish(struct sim *s, struct ht_err *err)
{
	if (s->executed < s->d->ntasks)
		return deadlock_explain(s, err);
	return s->policy->finish ? s->policy->finish(s->state, err) : 0;
}

struct simulation *sim_take_result(struct sim *s)
{
	struct simulation *out = s->out;

	summarise(s);
	s->out = NULL;
	return out;
}

void sim_close(struct sim *s)
{
	simulation_free(s->out);
	s->policy->free(s->state);
	free(s->world);
	free(s->pending);
	free(s->submission);
	free(s->running);
	free(s->asking);
	free(s->idle);
	free(s->warm);
	free(s->workers);
	free(s->device);
	predict_fini(&s->predict);
	commute_free(s->commute);
	memory_free(s->memory);
	network_free(s->network);
	threads_free(s->threads);
}

static int run(struct sim *s, struct ht_err *err)
{
	int64_t next;

	if (sim_begin(s, err) != 0)
		return -1;
	while (s->executed < s->d->ntasks && (next = sim_next_ns(s)) != INT64_MAX)
		if (sim_go_to(s, next, err) != 0 || sim_step(s, err) != 0)
			return -1;
	return sim_finish(s, err);
}

struct simulation *simulate(const struct dag *d, const struct machine *m, const struct simulate_options *o,
                            struct ht_err *err)
{
	struct simulation *made = NULL;
	struct sim s;

	if (d->messages)
		return simulate_ranks(d, m, o, err);
	if (sim_open(&s, d, m, o, err) != 0)
		return NULL;
	if (run(&s, err) == 0)
		made = sim_take_result(&s);
	sim_close(&s);
	return made;
}

int simulate_has_transfers(const struct dag *d, const struct machine *m)
{
	if (d->messages && m->network.bytes_per_s > 0)
		return 1;
	for (uint32_t i = 0; m->nlinks && i < d->naccesses; i++) {
		if (d->accesses[i].mode & ACCESS_R && d->handle_bytes[d->accesses[i].handle])
			return 1;
	}
	return 0;
}

void simulation_free(struct simulation *s)
{
	if (!s)
		return;
	free(s->tasks);
	free(s->worker_busy_ns);
	free(s->links);
	free(s->copies);
	free(s->memory);
	free(s);
}
