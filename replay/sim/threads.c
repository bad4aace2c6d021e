/* replay/sim/threads.c - the loop of a simulation in which copies, and the threads that drive workers, take time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread goes round as StarPU's drivers do (1.4.10, src/drivers/cuda/driver_cuda.c and cpu/driver_cpu.c, run_once):
 * for each of its workers it starts the task whose data has come and sees whether a kernel has ended, whose successors
 * it pushes one by one; it looks after the copies of its memory node; it asks the scheduler for a task wherever a
 * worker has room for one, and asks for its data. When a round brings nothing it sleeps until something wakes it: a
 * push, the end of a kernel, a copy, a request.
 *
 * The worker of a device takes its next task when it has the data of the one before and less than its pipeline's tasks
 * (STARPU_CUDA_PIPELINE), so that copies and kernels overlap; a CPU executes in its thread, and so do devices without
 * pipeline, and a device what is synchronous: when it has the data of such a task while another runs, it takes no more
 * before it has executed it behind that one.
 */
#include "replay/sim/threads.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/memory/memory.h"
#include "replay/memory/network.h"
#include "replay/sim/sim.h"
#include "replay/sim/threads_parts.h"
#include "sched/policy.h"

struct threads *threads_create(const struct sim *s)
{
	const struct machine *m = s->m;
	struct threads *t = ht_alloc(1, sizeof(*t));

	t->threads = ht_alloc((size_t)m->nworkers, sizeof(*t->threads));
	t->of = ht_alloc((size_t)m->nworkers, sizeof(*t->of));
	t->drives = ht_alloc((size_t)m->nnodes, sizeof(*t->drives));
	for (int i = 0; i < m->nnodes; i++)
		t->drives[i] = -1;
	for (int w = 0; w < m->nworkers; w++) {
		int node = is_device(m->workers[w].arch) ? m->workers[w].node : -1;
		int at = node >= 0 && t->drives[node] >= 0 ? t->drives[node] : t->nthreads++;
		struct thread *th = &t->threads[at];

		if (!th->workers)
			th->workers = ht_alloc((size_t)m->nworkers, sizeof(*th->workers));
		th->workers[th->nworkers++] = w;
		th->node = node;
		th->takes = &s->conditions.overheads.of[m->workers[w].arch];
		t->of[w] = at;
		if (node >= 0)
			t->drives[node] = at;
	}
	return t;
}

void threads_free(struct threads *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->nthreads; i++)
		free(t->threads[i].workers);
	free(t->threads);
	free(t->of);
	free(t->drives);
	events_fini(&t->events);
	free(t);
}

int threads_sleeps(const struct threads *t, int worker)
{
	return t->threads[t->of[worker]].step == STEP_ASLEEP;
}

/* The event that moves the thread on, after some ns. */
static void put_due(struct sim *s, int thread, int64_t ns)
{
	struct thread *th = &s->threads->threads[thread];
	int late = th->step == STEP_ASK || (th->step == STEP_PROGRESS && th->naps);
	enum event_kind kind = !late ? EVENT_NAP : s->conditions.simulated && th->node < 0 ? EVENT_LATEST : EVENT_LATE;

	events_put(&s->threads->events, s->now, ns, thread, kind);
}

void thread_go_on(struct sim *s, int thread, enum step step, int64_t ns)
{
	s->threads->threads[thread].step = step;
	put_due(s, thread, ns);
}

/* As many times so long, one by one. */
void thread_nap(struct sim *s, int thread, enum step step, int times, int64_t ns)
{
	s->threads->threads[thread].naps = times ? times - 1 : 0;
	s->threads->threads[thread].nap_ns = ns;
	thread_go_on(s, thread, step, times ? ns : 0);
}

void thread_look(struct sim *s, int thread)
{
	const struct overheads *o = s->threads->threads[thread].takes;
	int nodes = o->nodes ? o->nodes : 1;

	thread_nap(s, thread, STEP_PROGRESS, nodes, o->look_ns / nodes);
}

/* It waits for room in its memory, and looks after copies only. */
static int is_blocked(const struct sim *s, const struct thread *th)
{
	return th->node >= 0 && memory_blocked(s->memory, th->node);
}

/* Whether one of its workers has the data of a task, or the end of a kernel, to be dealt with. */
static int has_news(const struct sim *s, const struct thread *th)
{
	if (is_blocked(s, th))
		return 0;
	for (int i = 0; i < th->nworkers; i++) {
		const struct slot *w = &s->slots[th->workers[i]];

		if ((w->fetching.task != POLICY_NO_TASK && !memory_missing(s->memory, th->workers[i])) ||
		    (w->running != POLICY_NO_TASK && w->free_ns <= s->now))
			return 1;
	}
	return 0;
}

/* At once, so that who is woken by a push comes before the one that pushes, which goes round afterwards. */
static void wake(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	if (th->step != STEP_ASLEEP) {
		th->again = 1;
		return;
	}
	th->worker = 0;
	th->did = th->again = 0;
	if (has_news(s, th))
		thread_go_on(s, thread, STEP_CHECK, 0);
	else
		thread_look(s, thread);
}

void sim_wake_threads(struct sim *s, int worker)
{
	wake(s, s->threads->of[worker]);
}

void threads_tell(struct sim *s)
{
	struct memory_notifications news = memory_take_notifications(s->memory);

	for (; news.drivers; news.drivers &= news.drivers - 1) {
		int thread = s->threads->drives[__builtin_ctzll(news.drivers)];

		if (thread >= 0)
			wake(s, thread);
	}
	for (int w = 0; news.nodes && w < s->m->nworkers; w++) {
		if (news.nodes >> s->m->workers[w].node & 1)
			wake(s, s->threads->of[w]);
	}
}

static int has_room(const struct sim *s, int worker)
{
	const struct slot *w = &s->slots[worker];
	enum arch a = s->m->workers[worker].arch;

	if (w->fetching.task != POLICY_NO_TASK || w->running == POLICY_NO_TASK)
		return w->fetching.task == POLICY_NO_TASK;
	if (w->nqueued && !thread_overlaps(s, w->queue[w->nqueued - 1].task, worker))
		return 0;
	return is_device(a) && 1 + w->nqueued < s->pipeline[a];
}

static int ask(struct sim *s, int thread, struct ht_err *err)
{
	struct thread *th = &s->threads->threads[thread];
	int asked = 0;

	for (int i = 0; i < th->nworkers; i++) {
		int worker = th->workers[i];
		uint32_t task;

		if (!has_room(s, worker))
			continue;
		s->idle[worker] = 0;
		task = s->policy->pop(s->state, worker);
		if (task == POLICY_NO_TASK) {
			s->idle[worker] = 1;
			continue;
		}
		if (sim_take(s, task, worker, err) < 0)
			return -1;
		memory_fetch(s->memory, task, worker, sim_priority(s, task));
		asked += (int)s->d->tasks[task].naccesses;
		s->slots[worker].fetching.taken_ns = s->now + asked * th->takes->ask_ns;
		th->did = 1;
	}
	threads_tell(s);
	th->worker = 0;
	if (th->did || th->again) {
		th->did = th->again = 0;
		thread_nap(s, thread, STEP_CHECK, asked, th->takes->ask_ns);
	} else {
		th->step = STEP_ASLEEP;
	}
	return 0;
}

static int step(struct sim *s, int thread, struct ht_err *err)
{
	struct thread *th = &s->threads->threads[thread];
	int64_t busy_ns;

	switch (th->step) {
	case STEP_CHECK:
	case STEP_ENDED: thread_check(s, thread); return 0;
	case STEP_PUSH: thread_push(s, thread); return 0;
	case STEP_SEND_HOME: thread_send_home(s, thread); return 0;
	case STEP_SENT: thread_go_on_releasing(s, thread); return 0;
	case STEP_PROGRESS:
		if (th->node >= 0)
			memory_poll(s->memory, th->node);
		/* fall through */
	case STEP_COPY:
		if (th->node >= 0) {
			int begun = memory_begin(s->memory, th->node, s->now, &busy_ns);

			threads_tell(s);
			if (begun) {
				th->did = 1;
				thread_go_on(s, thread, STEP_COPY, busy_ns);
				return 0;
			}
			th->did |= memory_observed(s->memory, th->node) > 0;
		}
		thread_go_on(s, thread, STEP_ASK, 0);
		return 0;
	case STEP_ASK:
		if (!is_blocked(s, th))
			return ask(s, thread, err);
		threads_tell(s);
		th->step = STEP_ASLEEP;
		if (th->again)
			wake(s, thread);
		return 0;
	case STEP_ASLEEP: break;
	}
	return 0;
}

static int wake_up(struct sim *s, int thread, struct ht_err *err)
{
	struct thread *th = &s->threads->threads[thread];

	if (!th->naps)
		return step(s, thread, err);
	th->naps--;
	put_due(s, thread, th->nap_ns);
	return 0;
}

static void submit_due(struct sim *s)
{
	while (sim_next_submission_ns(s) <= s->now) {
		uint32_t task = sim_submit(s);

		if (!sim_release(s, task))
			continue;
		s->policy->push(s->state, task, -1);
		threads_tell(s);
	}
}

static int move_on(struct sim *s, struct ht_err *err)
{
	struct threads *t = s->threads;

	while (events_next_ns(&t->events) <= s->now) {
		struct event e = events_take(&t->events);

		if (e.kind == EVENT_EXECUTION)
			wake(s, e.thread);
		else if (wake_up(s, e.thread, err) < 0)
			return -1;
	}
	return 0;
}

int sim_run_threads(struct sim *s, struct ht_err *err)
{
	struct threads *t = s->threads;

	for (int i = 0; i < t->nthreads; i++) { /* StarPU's workers are there, and sleep, before the first task */
		if (ask(s, i, err) < 0)
			return -1;
	}
	for (;;) {
		int64_t next = sim_next_submission_ns(s);

		if (events_next_ns(&t->events) < next)
			next = events_next_ns(&t->events);
		if (memory_next_ns(s->memory) < next)
			next = memory_next_ns(s->memory);
		if (next == INT64_MAX || s->executed == s->d->ntasks)
			return 0;
		if (next > SIM_END_OF_TIME)
			return ht_err_set(err, "the simulated time is more than 146 years after %u tasks",
			                  (unsigned)s->executed);
		if (next > s->now) {
			s->now = next;
			events_moment(&t->events);
		}
		memory_advance(s->memory, s->now);
		threads_tell(s);
		submit_due(s);
		if (move_on(s, err) < 0)
			return -1;
	}
}
