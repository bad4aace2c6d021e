/* replay/simulate.c - discrete-event simulation of a task graph on a machine under a policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An instant has three parts, repeated until nothing more happens at it: tasks that are due end (by worker) and are
 * submitted (in order), and their successors become ready; then the workers that ended a task or were woken ask the policy,
 * in the order of workers. So equal times have one outcome, that of the appendix of AutoHeteroprio's paper.
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
#include "sched/policy.h"

enum { SUBMITTED = 1 };
#define STARTED UINT32_MAX /* in pending[]: handed out */

struct running {
	int64_t end_ns;
	uint32_t task;
	int32_t worker;
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
	struct running *heap;
	int nheap;
	uint64_t *asking;      /* a bit a worker */
	unsigned char *idle;   /* per worker: has no task and does not ask */
	int nasking;
	uint64_t *valid;       /* per handle: the nodes with a valid copy */
	uint32_t executed;
	struct simulation *out;
};

static int64_t sim_now(void *ctx)
{
	return ((struct sim *)ctx)->now;
}

static void ask(struct sim *s, int worker)
{
	s->idle[worker] = 0;
	s->asking[worker / 64] |= UINT64_C(1) << (worker % 64);
	s->nasking++;
}

static void sim_wake(void *ctx, int worker)
{
	struct sim *s = ctx;

	if (s->idle[worker])
		ask(s, worker);
}

static int sim_is_idle(void *ctx, int worker)
{
	return ((struct sim *)ctx)->idle[worker];
}

static int ends_before(const struct running *a, const struct running *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->worker < b->worker;
}

static void heap_put(struct sim *s, struct running r)
{
	int i = s->nheap++;

	for (; i && ends_before(&r, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = r;
}

static struct running heap_take(struct sim *s)
{
	struct running top = s->heap[0], last = s->heap[--s->nheap];
	int i = 0, child;

	for (; (child = 2 * i + 1) < s->nheap; i = child) {
		if (child + 1 < s->nheap && ends_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!ends_before(&s->heap[child], &last))
			break;
		s->heap[i] = s->heap[child];
	}
	s->heap[i] = last;
	return top;
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

static void submit_due(struct sim *s)
{
	while (next_submission_ns(s) <= s->now)
		release(s, submission_at(s, s->nsubmitted++), -1);
}

static void end_due(struct sim *s)
{
	while (s->nheap && s->heap[0].end_ns <= s->now) {
		struct running r = heap_take(s);

		if (s->policy->done)
			s->policy->done(s->state, r.task, r.worker);
		for (uint32_t i = s->d->succ_first[r.task]; i < s->d->succ_first[r.task + 1]; i++)
			release(s, s->d->succ[i], r.worker);
		s->executed++;
		ask(s, r.worker);
	}
}

/* An MSI cache per node: what a reader lacks is copied to it, a writer is left with the only valid copy. */
static void touch_data(struct sim *s, uint32_t task, int node)
{
	const struct dag_task *t = &s->d->tasks[task];
	uint64_t bit = UINT64_C(1) << node;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct dag_access *x = &s->d->accesses[i];

		if (x->mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX))
			continue; /* local to the worker until the reduction, which is a task of its own */
		if (x->mode & ACCESS_R) {
			if (s->valid[x->handle] && !(s->valid[x->handle] & bit))
				s->out->bytes_moved += (int64_t)s->d->handle_bytes[x->handle];
			s->valid[x->handle] |= bit;
		}
		if (x->mode & ACCESS_W)
			s->valid[x->handle] = bit;
	}
}

static int start(struct sim *s, uint32_t task, int worker, struct ht_err *err)
{
	enum arch a = s->m->workers[worker].arch;
	int64_t cost;

	if (task >= s->d->ntasks || s->pending[task] != 0)
		return ht_err_set(err, "policy %s gave worker %d task %u, which is not ready", s->policy->name, worker,
		                  (unsigned)task);
	cost = dag_cost(s->d, task, a);
	if (cost < 0)
		return ht_err_set(err, "policy %s gave worker %d (%s) task %u (%s), which cannot run there", s->policy->name,
		                  worker, arch_name(a), (unsigned)task, s->d->types[s->d->tasks[task].type].name);
	if (cost > INT64_MAX - s->now)
		return ht_err_set(err, "the simulated time is more than 292 years at task %u", (unsigned)task);
	s->pending[task] = STARTED;
	touch_data(s, task, s->m->workers[worker].node);
	if (s->out->tasks) {
		s->out->tasks[task].start_ns = s->now;
		s->out->tasks[task].end_ns = s->now + cost;
		s->out->tasks[task].worker = worker;
	}
	s->out->worker_busy_ns[worker] += cost;
	s->out->busy_ns[a] += cost;
	s->out->executed[a]++;
	heap_put(s, (struct running){ .end_ns = s->now + cost, .task = task, .worker = worker });
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
				else if (start(s, task, worker, err) < 0)
					return -1;
			}
		}
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

		if (s->nheap && s->heap[0].end_ns < next)
			next = s->heap[0].end_ns;
		if (next == INT64_MAX)
			break;
		s->now = next > s->now ? next : s->now;
		end_due(s);
		submit_due(s);
		if (serve(s, err) < 0)
			return -1;
	}
	s->out->makespan_ns = s->now;
	return s->executed == s->d->ntasks ? 0 : stuck(s, err);
}

static int check_runnable(const struct dag *d, const struct machine *m, struct ht_err *err)
{
	arch_mask archs = machine_archs(m);

	for (uint32_t t = 0; t < d->ntasks; t++) {
		if (dag_class_best(&d->classes[d->tasks[t].class_id], archs) == ARCH_NONE)
			return ht_err_set(err, "no worker of the machine can run task %u (%s)", (unsigned)t,
			                  d->types[d->tasks[t].type].name);
	}
	return 0;
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

static void prepare(struct sim *s)
{
	const struct dag *d = s->d;

	s->pending = ht_alloc(d->ntasks, sizeof(*s->pending));
	for (uint32_t t = 0; t < d->ntasks; t++)
		s->pending[t] = dag_npred(d, t) + SUBMITTED;
	sort_submission(s);
	s->heap = ht_alloc((size_t)s->m->nworkers, sizeof(*s->heap));
	s->asking = ht_alloc((size_t)(s->m->nworkers + 63) / 64, sizeof(*s->asking));
	s->idle = ht_alloc((size_t)s->m->nworkers, sizeof(*s->idle));
	s->valid = ht_alloc(d->nhandles, sizeof(*s->valid));
	for (uint32_t i = 0; i < d->nhandles; i++) {
		int home = d->handle_home[i];

		/* The nodes of another machine than the recorded one: what it lacks is in its main memory. */
		if (home >= 0)
			s->valid[i] = UINT64_C(1) << (home < s->m->nnodes ? home : 0);
	}
}

static void summarise(struct simulation *out, const struct machine *m)
{
	for (int a = 0; a < ARCH_COUNT; a++) {
		double total = (double)machine_workers_of(m, (enum arch)a) * (double)out->makespan_ns;

		out->idle_ratio[a] = total > 0 ? 1 - (double)out->busy_ns[a] / total : 0;
	}
}

struct simulation *simulate(const struct dag *d, const struct machine *m, const struct simulate_options *o,
                            struct ht_err *err)
{
	struct sim s = { .d = d, .m = m, .policy = o->policy, .ignore_submission = o->ignore_submission };
	struct policy_world world = { .dag = d, .machine = m, .config = o->config, .now = sim_now, .wake = sim_wake,
	                              .is_idle = sim_is_idle, .ctx = &s };
	struct simulation *made = NULL;

	if (check_runnable(d, m, err) < 0)
		return NULL;
	s.state = s.policy->create(&world, o->policy_options ? o->policy_options : "", err);
	if (!s.state)
		return NULL;
	s.out = ht_alloc(1, sizeof(*s.out));
	s.out->worker_busy_ns = ht_alloc((size_t)m->nworkers, sizeof(*s.out->worker_busy_ns));
	if (o->keep_schedule)
		s.out->tasks = ht_alloc(d->ntasks, sizeof(*s.out->tasks));
	prepare(&s);
	if (run(&s, err) == 0) {
		summarise(s.out, m);
		made = s.out;
	} else {
		simulation_free(s.out);
	}
	s.policy->free(s.state);
	free(s.pending);
	free(s.submission);
	free(s.heap);
	free(s.asking);
	free(s.idle);
	free(s.valid);
	return made;
}

void simulation_free(struct simulation *s)
{
	if (!s)
		return;
	free(s->tasks);
	free(s->worker_busy_ns);
	free(s);
}
