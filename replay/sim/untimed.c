/* replay/sim/untimed.c - the loop of a simulation in which nothing but execution takes time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is due at one time is done in rounds until nothing more happens: tasks end (by worker) and are submitted (in
 * order), and their successors become ready; then the workers that ended a task or were woken ask the policy, in the
 * order of workers. So equal times have one outcome, that of the appendix of AutoHeteroprio's paper.
 *
 * A worker runs one task at a time, so the running tasks are a heap of at most as many entries as there are workers.
 */
#include "replay/sim/untimed.h"

#include <string.h>

#include "core/base/err.h"
#include "core/base/heap.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/memory.h"
#include "replay/sim/sim.h"
#include "sched/policy.h"

/* By end, then by worker. */
static int ends_before(const struct running *a, const struct running *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->worker < b->worker;
}

HEAP(running, struct running, ends_before, HEAP_NO_PLACES)

static void ask(struct sim *s, int worker)
{
	uint64_t bit = UINT64_C(1) << (worker % 64);

	s->idle[worker] = 0;
	if (s->asking[worker / 64] & bit)
		return;
	s->asking[worker / 64] |= bit;
	s->nasking++;
}

void untimed_wake(struct sim *s, int worker)
{
	if (s->idle[worker])
		ask(s, worker);
}

/*
 * What the end of a task will need, which of a large graph is in no cache: its successors and, of those that wait for
 * nothing else, what the policy will ask. A step is made whenever a task is taken, for one of those taken before: what
 * it reads is there by then, and the task ends later, as all workers have one.
 */
static void look_ahead(struct sim *s, uint32_t task)
{
	const struct dag *d = s->d;
	uint32_t *taken = s->taken, t = taken[1];

	__builtin_prefetch(&d->succ_first[task]);
	__builtin_prefetch(&d->succ[d->succ_first[taken[0]]]);
	for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
		__builtin_prefetch(&s->pending[d->succ[e]], 1);
	t = taken[2];
	for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
		if (s->pending[d->succ[e]] == 1)
			__builtin_prefetch(&d->tasks[d->succ[e]]);
	t = taken[3];
	for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
		if (s->pending[d->succ[e]] == 1)
			__builtin_prefetch(&d->accesses[d->tasks[d->succ[e]].first_access]);
	memmove(taken + 1, taken, sizeof(s->taken) - sizeof(*taken));
	taken[0] = task;
}

static int take(struct sim *s, uint32_t task, int worker, struct ht_err *err)
{
	struct sim_worker *w = &s->workers[worker];
	struct pipelined_task x;

	if (sim_take(s, task, worker, err) != 0)
		return -1;
	look_ahead(s, task);
	memory_fetch(s->memory, task, worker, 0);
	memory_write(s->memory, task, worker);
	x = w->fetching;
	x.launch_ns = s->now;
	w->fetching.task = POLICY_NO_TASK;
	sim_start(s, &x, worker);
	if (s->policy->started)
		s->policy->started(s->state, task, worker);
	running_up(s->running, s->nrunning++, &(struct running){w->free_ns, task, worker}, NULL);
	return 0;
}

/* All that ask, in the order of workers; one that is woken by that asks in the next round. */
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
				else if (take(s, task, worker, err) != 0)
					return -1;
			}
		}
	}
	return 0;
}

static void end_due(struct sim *s)
{
	while (s->nrunning && s->running[0].end_ns <= s->now) {
		struct running r = s->running[0];
		struct sim_ended ended;
		uint32_t ready;

		running_drop(s->running, --s->nrunning, NULL);
		s->workers[r.worker].running = POLICY_NO_TASK;
		if (s->policy->done)
			s->policy->done(s->state, r.task, r.worker);
		ended = sim_end(s, r.task);
		while ((ready = sim_next_ready(s, &ended)) != POLICY_NO_TASK)
			s->policy->push(s->state, ready, r.worker);
		s->executed++;
		s->out->makespan_ns = s->now;
		ask(s, r.worker);
	}
}

static void submit_due(struct sim *s)
{
	while (sim_next_submission_ns(s) <= s->now) {
		uint32_t task = sim_submit(s);

		if (s->policy->added)
			s->policy->added(s->state, task);
		if (sim_release(s, task))
			s->policy->push(s->state, task, -1);
	}
}

int untimed_begin(struct sim *s, struct ht_err *err)
{
	for (int w = 0; w < s->m->nworkers; w++)
		ask(s, w); /* StarPU's workers are there before the first task */
	return serve(s, err);
}

int64_t untimed_next_ns(struct sim *s)
{
	int64_t next = sim_next_submission_ns(s);

	return s->nrunning && s->running[0].end_ns < next ? s->running[0].end_ns : next;
}

int untimed_step(struct sim *s, struct ht_err *err)
{
	end_due(s);
	submit_due(s);
	return serve(s, err);
}
