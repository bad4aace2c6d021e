/* replay/sim/threads_work.c - what a thread does for its workers' tasks: it starts them and sees them end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/memory.h"
#include "replay/sim/sim.h"
#include "replay/sim/threads_parts.h"
#include "sched/policy.h"

int thread_overlaps(const struct sim *s, uint32_t task, int worker)
{
	enum arch a = s->m->workers[worker].arch;
	const struct dag_type *type = &s->d->types[s->d->tasks[task].type];

	if (!is_device(a) || !s->pipeline[a] || type->synchronous >> a & 1)
		return 0;
	return type->asynchronous >> a & 1 || !(s->conditions.synchronous >> a & 1);
}

static void start(struct sim *s, const struct taken *x, int worker)
{
	int thread = s->threads->of[worker];

	sim_start(s, x, worker);
	if (thread_overlaps(s, x->task, worker))
		events_put(&s->threads->events, s->now, s->slots[worker].free_ns - s->now, thread, EVENT_EXECUTION);
}

static void tell_started(struct sim *s, uint32_t task, int worker)
{
	if (s->policy->started)
		s->policy->started(s->state, task, worker);
}

/* It runs alone: how long the thread is busy with it. Over SimGrid what a thread executes itself is not queued. */
static int64_t execute(struct sim *s, struct taken *x, int worker)
{
	const struct thread *th = &s->threads->threads[s->threads->of[worker]];
	int overlaps = thread_overlaps(s, x->task, worker);

	x->launch_ns = s->now + (th->node >= 0 && (overlaps || !s->conditions.simulated) ? th->takes->queue_ns : 0);
	start(s, x, worker);
	tell_started(s, x->task, worker);
	if (overlaps)
		return th->takes->queue_ns;
	if (th->node >= 0)
		memory_cancel_delay(s->memory, th->node, s->now);
	return s->slots[worker].free_ns - s->now;
}

/* The data of the task it fetched has come: how long the thread is busy with it. */
static int64_t launch(struct sim *s, int worker)
{
	const struct thread *th = &s->threads->threads[s->threads->of[worker]];
	struct slot *w = &s->slots[worker];
	struct taken x = w->fetching;

	w->fetching.task = POLICY_NO_TASK;
	memory_write(s->memory, x.task, worker);
	if (w->running == POLICY_NO_TASK)
		return execute(s, &x, worker);
	x.launch_ns = s->now + th->takes->queue_ns;
	w->queue[w->nqueued++] = x; /* a synchronous one until that one has ended: StarPU's pipeline_stuck */
	return thread_overlaps(s, x.task, worker) ? th->takes->queue_ns : 0;
}

/* Whether a kernel of the worker has ended: what comes behind it starts, when the thread has not to execute it. */
static int end(struct sim *s, struct thread *th, int worker)
{
	struct slot *w = &s->slots[worker];
	uint32_t task = w->running;

	if (w->running == POLICY_NO_TASK || w->free_ns > s->now)
		return 0;
	w->running = POLICY_NO_TASK;
	th->behind = (struct taken){.task = POLICY_NO_TASK};
	s->executed++;
	if (w->free_ns > s->out->makespan_ns)
		s->out->makespan_ns = w->free_ns;
	memory_finish(s->memory, task, worker);
	if (s->policy->done)
		s->policy->done(s->state, task, worker);
	if (w->nqueued) {
		th->behind = w->queue[0];
		for (int i = 1; i < w->nqueued; i++)
			w->queue[i - 1] = w->queue[i];
		w->nqueued--;
		if (thread_overlaps(s, th->behind.task, worker))
			start(s, &th->behind, worker);
	}
	th->ended = sim_end(s, task);
	th->written = 0;
	return 1;
}

/* Nothing is left to do for the end of a task: whether the thread executes what is behind it. */
static int go_behind(struct sim *s, int thread, int worker)
{
	struct thread *th = &s->threads->threads[thread];

	if (th->behind.task == POLICY_NO_TASK)
		return 0;
	if (thread_overlaps(s, th->behind.task, worker)) {
		tell_started(s, th->behind.task, worker);
		return 0;
	}
	thread_go_on(s, thread, STEP_ENDED, execute(s, &th->behind, worker));
	return 1;
}

/* The next task that the end of another has made ready; 0: there is none. */
static int find_ready(struct sim *s, struct thread *th)
{
	th->ready = sim_next_ready(s, &th->ended);
	return th->ready != POLICY_NO_TASK;
}

/*
 * What the end of a task brings, one thing after the other: it pushes what that has released, and what the application
 * said that it will not use is sent home, by a task of StarPU's own that is pushed and one that is submitted and
 * pushed (1.4.10, user_interactions.c, starpu_data_acquire_on_node_cb_sequential_sync). 0: nothing that takes time.
 */
static int release(struct sim *s, int thread, int worker, int64_t before_ns)
{
	struct thread *th = &s->threads->threads[thread];

	if (find_ready(s, th)) {
		thread_go_on(s, thread, STEP_PUSH, before_ns + th->takes->push_ns);
		return 1;
	}
	th->unneeded = memory_next_wont_use(s->memory, th->ended.task, &th->written);
	if (th->unneeded != POLICY_NO_TASK) {
		thread_go_on(s, thread, STEP_SEND_HOME, before_ns + th->takes->push_ns);
		return 1;
	}
	return go_behind(s, thread, worker);
}

/* Its workers one by one: a task whose data has come, then the end of a kernel. Gives the next step. */
void thread_check(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	for (; th->worker < th->nworkers; th->worker++) {
		int worker = th->workers[th->worker];

		if (th->step == STEP_CHECK && s->slots[worker].fetching.task != POLICY_NO_TASK &&
		    !memory_missing(s->memory, worker)) {
			th->did = 1;
			thread_go_on(s, thread, STEP_ENDED, launch(s, worker));
			return;
		}
		if (end(s, th, worker)) {
			th->did = 1;
			if (release(s, thread, worker, th->takes->end_ns))
				return;
			if (th->takes->end_ns + th->takes->callback_ns) {
				th->worker++;
				thread_go_on(s, thread, STEP_CHECK, th->takes->end_ns + th->takes->callback_ns);
				return;
			}
		}
		th->step = STEP_CHECK;
	}
	thread_look(s, thread);
}

void thread_go_on_releasing(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	if (release(s, thread, th->workers[th->worker], 0))
		return;
	th->worker++;
	if (th->takes->callback_ns) {
		thread_go_on(s, thread, STEP_CHECK, th->takes->callback_ns);
		return;
	}
	th->step = STEP_CHECK;
	thread_check(s, thread);
}

void thread_push(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	s->policy->push(s->state, th->ready, th->workers[th->worker]);
	threads_tell(s);
	thread_go_on_releasing(s, thread);
}

void thread_send_home(struct sim *s, int thread)
{
	memory_write_back(s->memory, s->threads->threads[thread].unneeded);
	threads_tell(s);
	thread_nap(s, thread, STEP_SENT, 2, s->threads->threads[thread].takes->push_ns);
}
