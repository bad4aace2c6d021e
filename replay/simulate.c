/* replay/simulate.c - discrete-event simulation of a task graph on a machine under a policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An instant has three parts, repeated until nothing more happens at it: tasks that are due end (by worker) and are
 * submitted (in order), and their successors become ready; then the workers that ended a task or were woken ask
 * the policy, in the order of workers. So equal times have one outcome, that of the appendix of AutoHeteroprio's
 * paper.
 *
 * With transfers, data that is due arrives first, and the workers that have all of it now start.
 *
 * A worker runs one task at a time, so the running tasks are a heap of at most as many entries as there are workers.
 * Nothing is allocated per task while it runs.
 */
#include "replay/simulate.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/machine.h"
#include "core/trace.h"
#include "replay/memory.h"
#include "replay/predict.h"
#include "replay/runnable.h"
#include "replay/running.h"
#include "replay/transfer.h"
#include "sched/policy.h"

enum { SUBMITTED = 1 };
#define STARTED UINT32_MAX /* in pending[]: handed out */
#define END_OF_TIME (INT64_MAX / 2)

/* The tasks a worker has taken: it runs one, and waits for the data of one or has it behind the running one. */
struct slot {
	uint32_t running, queued, fetching; /* POLICY_NO_TASK: none */
	int64_t taken_ns;                   /* the one it fetches, or has in the queue */
	int64_t launch_ns;                  /* the one in the queue: not before */
	int64_t free_ns;                    /* the end of the last it ran */
};

struct sim {
	const struct dag *d;
	const struct machine *m;
	const struct policy *policy;
	void *state;
	int64_t now;
	uint32_t *pending;     /* per task: predecessors and the submission it waits for */
	uint32_t *submission;  /* tasks in the order of submission; NULL: in the order of their indices */
	uint32_t nsubmitted;
	int ignore_submission;
	struct running_heap heap;
	uint64_t *asking;      /* a bit a worker */
	unsigned char *idle;   /* per worker: has no task and does not ask */
	int nasking;
	struct slot *slots;    /* per worker */
	struct memory *memory;
	struct network *network; /* NULL: copies take no time */
	struct predict predict;
	uint32_t executed;
	struct simulation *out;
};

static int64_t sim_now(void *ctx)
{
	return ((struct sim *)ctx)->now;
}

static void ask(struct sim *s, int worker)
{
	uint64_t bit = UINT64_C(1) << (worker % 64);

	s->idle[worker] = 0;
	if (s->asking[worker / 64] & bit)
		return;
	s->asking[worker / 64] |= bit;
	s->nasking++;
}

static void sim_wake(void *ctx, int worker)
{
	struct sim *s = ctx;

	if (s->idle[worker])
		ask(s, worker);
}

static void sim_prefetch(void *ctx, uint32_t task, int worker)
{
	struct sim *s = ctx;

	memory_prefetch(s->memory, task, worker, s->now);
}

static int64_t sim_transfer_ns(void *ctx, uint32_t task, int worker)
{
	struct sim *s = ctx;

	return s->network ? predict_transfer_ns(&s->predict, task, s->m->workers[worker].node) : 0;
}

static void sim_missing(void *ctx, uint32_t task, int worker, struct policy_missing *missing)
{
	struct sim *s = ctx;

	predict_missing(&s->predict, task, s->m->workers[worker].node, missing);
}

static void sim_where(void *ctx, uint32_t handle, uint64_t *valid, uint64_t *coming)
{
	struct memory_where w = memory_where(((struct sim *)ctx)->memory, handle);

	*valid = w.valid;
	*coming = w.coming;
}

static int sim_is_idle(void *ctx, int worker)
{
	return ((struct sim *)ctx)->idle[worker];
}

static void release(struct sim *s, uint32_t task, int releaser)
{
	if (--s->pending[task])
		return;
	if (s->out->tasks)
		s->out->tasks[task].ready_ns = s->now;
	s->policy->push(s->state, task, releaser);
}

static uint32_t submission_at(const struct sim *s, uint32_t i)
{
	return s->submission ? s->submission[i] : i;
}

static int64_t next_submission_ns(const struct sim *s)
{
	if (s->nsubmitted == s->d->ntasks)
		return INT64_MAX;
	return s->ignore_submission ? 0 : s->d->tasks[submission_at(s, s->nsubmitted)].submit_ns;
}

static int sim_is_submitted(void *ctx, uint32_t task)
{
	const struct sim *s = ctx;
	const struct dag_task *t = &s->d->tasks[task], *last;

	if (!s->submission || !s->nsubmitted)
		return task < s->nsubmitted;
	last = &s->d->tasks[submission_at(s, s->nsubmitted - 1)];
	return t->submit_ns != last->submit_ns ? t->submit_ns < last->submit_ns : t <= last;
}

static void submit_due(struct sim *s)
{
	while (next_submission_ns(s) <= s->now)
		release(s, submission_at(s, s->nsubmitted++), -1);
}

/* A GPU's worker takes a second task while one runs, and waits for the data of one task only. */
static int has_room(const struct sim *s, int worker)
{
	const struct slot *w = &s->slots[worker];
	enum arch a = s->m->workers[worker].arch;

	if (w->fetching != POLICY_NO_TASK)
		return 0;
	if (s->network && (a == ARCH_CUDA || a == ARCH_OPENCL || a == ARCH_HIP))
		return w->queued == POLICY_NO_TASK;
	return w->running == POLICY_NO_TASK;
}

/* It has its data; cost and times were looked at when it was taken. */
static void start(struct sim *s, uint32_t task, int worker, int64_t launch_ns)
{
	enum arch a = s->m->workers[worker].arch;
	struct slot *w = &s->slots[worker];
	int64_t cost = dag_cost(s->d, task, a), from = launch_ns > w->free_ns ? launch_ns : w->free_ns;

	/* Absurd sizes over absurdly slow links: the sum stays at its limit. */
	if (__builtin_add_overflow(s->out->wait_ns[a], from - (w->taken_ns > w->free_ns ? w->taken_ns : w->free_ns),
	                           &s->out->wait_ns[a]))
		s->out->wait_ns[a] = INT64_MAX;
	if (s->out->tasks) {
		s->out->tasks[task].start_ns = from;
		s->out->tasks[task].end_ns = from + cost;
		s->out->tasks[task].worker = worker;
	}
	w->running = task;
	w->free_ns = from + cost;
	s->out->worker_busy_ns[worker] += cost;
	s->out->busy_ns[a] += cost;
	s->out->executed[a]++;
	running_put(&s->heap, (struct running){ .end_ns = from + cost, .task = task, .worker = worker });
}

static void tell_started(struct sim *s, uint32_t task, int worker)
{
	if (s->policy->started)
		s->policy->started(s->state, task, worker);
}

/* The worker has the data of the task it fetched. */
static void fetched(struct sim *s, int worker)
{
	struct slot *w = &s->slots[worker];
	uint32_t task = w->fetching;

	w->fetching = POLICY_NO_TASK;
	memory_write(s->memory, task, worker);
	w->launch_ns = s->network ? memory_launch(s->memory, worker, s->now) : s->now;
	if (w->running == POLICY_NO_TASK) {
		start(s, task, worker, w->launch_ns);
		tell_started(s, task, worker);
	} else {
		w->queued = task;
	}
	if (has_room(s, worker))
		ask(s, worker);
}

static void arrive_due(struct sim *s)
{
	int worker;

	memory_advance(s->memory, s->now);
	while ((worker = memory_next_served(s->memory)) >= 0)
		fetched(s, worker);
}

static int take(struct sim *s, uint32_t task, int worker, struct ht_err *err)
{
	enum arch a = s->m->workers[worker].arch;
	struct slot *w = &s->slots[worker];
	int64_t cost, from = w->free_ns > s->now ? w->free_ns : s->now;

	if (task >= s->d->ntasks || s->pending[task] != 0)
		return ht_err_set(err, "policy %s gave worker %d task %u, which is not ready", s->policy->name, worker,
		                  (unsigned)task);
	cost = dag_cost(s->d, task, a);
	if (cost < 0)
		return ht_err_set(err, "policy %s gave worker %d (%s) task %u (%s), which cannot run there",
		                  s->policy->name, worker, arch_name(a), (unsigned)task,
		                  s->d->types[s->d->tasks[task].type].name);
	if (cost > END_OF_TIME - from)
		return ht_err_set(err, "the simulated time is more than 146 years at task %u", (unsigned)task);
	s->pending[task] = STARTED;
	w->fetching = task;
	w->taken_ns = s->now;
	if (memory_fetch(s->memory, task, worker, s->now) == 0)
		fetched(s, worker);
	return 0;
}

/* All that ask, in the order of workers; one that is woken meanwhile asks in the next round. */
static int serve(struct sim *s, struct ht_err *err)
{
	while (s->nasking) {
		for (int i = 0; i < (s->m->nworkers + 63) / 64; i++) {
			uint64_t bits = s->asking[i];

			s->asking[i] = 0;
			for (; bits; bits &= bits - 1) {
				int worker = i * 64 + __builtin_ctzll(bits);
				uint32_t task = s->policy->pop(s->state, worker);

				s->nasking--;
				if (task == POLICY_NO_TASK)
					s->idle[worker] = 1;
				else if (take(s, task, worker, err) < 0)
					return -1;
			}
		}
	}
	return 0;
}

/*
 * The ends that are due. StarPU's push takes its time, in which whoever it woke asks: before the worker that ended the
 * task has pushed the next successor, and before it asks itself. Without transfers all that happens at one time, and
 * the order of the workers decides.
 */
static int end_due(struct sim *s, struct ht_err *err)
{
	while (s->heap.count && s->heap.items[0].end_ns <= s->now) {
		struct running r = running_take(&s->heap);
		struct slot *w = &s->slots[r.worker];
		uint32_t next = w->queued;

		w->running = w->queued = POLICY_NO_TASK;
		if (s->policy->done)
			s->policy->done(s->state, r.task, r.worker);
		if (next != POLICY_NO_TASK)
			start(s, next, r.worker, w->launch_ns);
		for (uint32_t i = s->d->succ_first[r.task]; i < s->d->succ_first[r.task + 1]; i++) {
			release(s, s->d->succ[i], r.worker);
			if (s->network && serve(s, err) < 0)
				return -1;
		}
		if (next != POLICY_NO_TASK)
			tell_started(s, next, r.worker);
		s->executed++;
		if (has_room(s, r.worker))
			ask(s, r.worker);
	}
	return 0;
}

static int stuck(const struct sim *s, struct ht_err *err)
{
	uint32_t task = 0, ready = 0;

	for (uint32_t t = s->d->ntasks; t-- > 0;) {
		if (s->pending[t] == 0) {
			task = t;
			ready++;
		}
	}
	return ht_err_set(err, "policy %s leaves task %u (%s) ready and nobody takes it: executed=%u of %u, ready=%u",
	                  s->policy->name, (unsigned)task, s->d->types[s->d->tasks[task].type].name,
	                  (unsigned)s->executed, (unsigned)s->d->ntasks, (unsigned)ready);
}

static int run(struct sim *s, struct ht_err *err)
{
	for (int w = 0; w < s->m->nworkers; w++)
		ask(s, w); /* StarPU's workers are there before the first task */
	if (serve(s, err) < 0)
		return -1;
	for (;;) {
		int64_t next = next_submission_ns(s);

		if (s->heap.count && s->heap.items[0].end_ns < next)
			next = s->heap.items[0].end_ns;
		if (memory_next_ns(s->memory) < next)
			next = memory_next_ns(s->memory);
		if (next == INT64_MAX || s->executed == s->d->ntasks)
			break;
		if (next > END_OF_TIME)
			return ht_err_set(err, "the simulated time is more than 146 years after %u tasks",
			                  (unsigned)s->executed);
		s->now = next > s->now ? next : s->now;
		arrive_due(s);
		if (end_due(s, err) < 0)
			return -1;
		submit_due(s);
		if (serve(s, err) < 0)
			return -1;
	}
	s->out->makespan_ns = s->now;
	return s->executed == s->d->ntasks ? 0 : stuck(s, err);
}

/* Submission times of a trace grow with the index; those of a graph that was changed may not. */
static int by_time(const void *a, const void *b, void *arg)
{
	const struct dag *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (d->tasks[x].submit_ns != d->tasks[y].submit_ns)
		return d->tasks[x].submit_ns < d->tasks[y].submit_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort_submission(struct sim *s)
{
	const struct dag *d = s->d;
	uint32_t t = 1;

	while (t < d->ntasks && d->tasks[t - 1].submit_ns <= d->tasks[t].submit_ns)
		t++;
	if (s->ignore_submission || t >= d->ntasks)
		return;
	s->submission = ht_alloc(d->ntasks, sizeof(*s->submission));
	for (t = 0; t < d->ntasks; t++)
		s->submission[t] = t;
	qsort_r(s->submission, d->ntasks, sizeof(*s->submission), by_time, (void *)d);
}

static void prepare(struct sim *s, const struct simulate_options *o)
{
	const struct dag *d = s->d;

	s->pending = ht_alloc(d->ntasks, sizeof(*s->pending));
	for (uint32_t t = 0; t < d->ntasks; t++)
		s->pending[t] = dag_npred(d, t) + SUBMITTED;
	sort_submission(s);
	s->heap.items = ht_alloc((size_t)s->m->nworkers, sizeof(*s->heap.items));
	s->asking = ht_alloc((size_t)(s->m->nworkers + 63) / 64, sizeof(*s->asking));
	s->idle = ht_alloc((size_t)s->m->nworkers, sizeof(*s->idle));
	s->slots = ht_alloc((size_t)s->m->nworkers, sizeof(*s->slots));
	for (int w = 0; w < s->m->nworkers; w++)
		s->slots[w].running = s->slots[w].queued = s->slots[w].fetching = POLICY_NO_TASK;
	if (o->transfers == TRANSFERS_ON)
		s->network = network_create(s->m);
	s->memory = memory_create(d, s->m, s->network);
	predict_init(&s->predict, d, s->m, s->memory);
}

static void summarise(const struct sim *s)
{
	struct simulation *out = s->out;
	const struct machine *m = s->m;

	out->bytes_moved = memory_bytes_moved(s->memory);
	if (s->network) {
		const struct link_use *use = network_use(s->network, &out->nlinks);

		out->links = ht_alloc((size_t)out->nlinks, sizeof(*out->links));
		memcpy(out->links, use, (size_t)out->nlinks * sizeof(*out->links));
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		double total = (double)machine_workers_of(m, (enum arch)a) * (double)out->makespan_ns;

		out->idle_ratio[a] = total > 0 ? 1 - (double)out->busy_ns[a] / total : 0;
	}
}

struct simulation *simulate(const struct dag *d, const struct machine *m, const struct simulate_options *o,
                            struct ht_err *err)
{
	struct sim s = { .d = d, .m = m, .policy = o->policy, .ignore_submission = o->ignore_submission };
	struct policy_world world = { .dag = d, .machine = m, .config = o->config, .data = o->policy_data,
	                              .now = sim_now, .wake = sim_wake, .is_idle = sim_is_idle,
	                              .prefetch = sim_prefetch, .transfer_ns = sim_transfer_ns,
	                              .missing = sim_missing, .where = sim_where,
	                              .is_submitted = sim_is_submitted,
	                              .copies_take_time = o->transfers == TRANSFERS_ON, .ctx = &s };
	struct simulation *made = NULL;

	if (runnable_check(d, m, err) < 0)
		return NULL;
	s.state = s.policy->create(&world, o->policy_options ? o->policy_options : "", err);
	if (!s.state)
		return NULL;
	s.out = ht_alloc(1, sizeof(*s.out));
	s.out->worker_busy_ns = ht_alloc((size_t)m->nworkers, sizeof(*s.out->worker_busy_ns));
	if (o->keep_schedule)
		s.out->tasks = ht_alloc(d->ntasks, sizeof(*s.out->tasks));
	prepare(&s, o);
	if (run(&s, err) == 0 && (!s.policy->finish || s.policy->finish(s.state, err) == 0)) {
		summarise(&s);
		made = s.out;
	} else {
		simulation_free(s.out);
	}
	s.policy->free(s.state);
	free(s.pending);
	free(s.submission);
	free(s.heap.items);
	free(s.asking);
	free(s.idle);
	free(s.slots);
	memory_free(s.memory);
	network_free(s.network);
	return made;
}

int simulate_has_transfers(const struct dag *d, const struct machine *m)
{
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
	free(s);
}
