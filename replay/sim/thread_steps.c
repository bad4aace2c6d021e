/* replay/sim/thread_steps.c - what a simulated thread does: tasks, copies, and asking the policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread does what StarPU's drivers do (1.4.10, src/drivers/cuda/driver_cuda.c and cpu/driver_cpu.c, run_once). For
 * each of its workers it starts the task whose data has arrived, and checks whether a kernel has ended, whose
 * successors it pushes one by one. It polls the copies of its memory node. It asks the scheduler for a task for every
 * worker whose pipeline has room, and requests the data of that task. After a round without progress it sleeps until a
 * push, the end of a kernel, a copy or a request wakes it.
 *
 * The worker of a device takes its next task when the data of the one before is there and it has less than its
 * pipeline's tasks (STARPU_CUDA_PIPELINE), so that copies and kernels overlap. A CPU executes in its thread, and so
 * does a device without pipeline, and a device a synchronous task: once it has the data of such a task while another
 * runs, it takes no more before it has executed it.
 */
#include "replay/sim/thread_steps.h"

#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/memory.h"
#include "replay/memory/transfers.h"
#include "replay/sim/events.h"
#include "replay/sim/sim.h"
#include "replay/sim/thread.h"
#include "replay/sim/threads.h"
#include "sched/policy.h"

static void start(struct sim *s, const struct pipelined_task *x, int worker)
{
	int thread = s->threads->of[worker];

	sim_start(s, x, worker);
	if (x->overlaps)
		events_put(&s->threads->events, s->now, s->workers[worker].free_ns - s->now, thread, EVENT_EXECUTION);
}

static void notify_started(struct sim *s, uint32_t task, int worker)
{
	if (s->policy->started)
		s->policy->started(s->state, task, worker);
}

/*
 * Starts a task on a worker that runs none. Returns how long that keeps the thread. Over SimGrid a task that its thread
 * executes is not queued.
 */
static int64_t execute(struct sim *s, struct pipelined_task *x, int worker)
{
	const struct thread *th = &s->threads->threads[s->threads->of[worker]];

	x->launch_ns = s->now +
	               (th->node >= 0 && (x->overlaps || !s->conditions.simulated) ? th->overheads->queue_ns : 0);
	start(s, x, worker);
	notify_started(s, x->task, worker);
	if (x->overlaps)
		return th->overheads->queue_ns;
	if (th->node >= 0)
		transfers_cancel_delay(s->transfers, th->node, s->now);
	s->threads->other_ns = -1;
	return s->workers[worker].free_ns - s->now;
}

/* The data of the fetched task has arrived: starts or queues it. Returns how long that keeps the thread. */
static int64_t launch(struct sim *s, int worker)
{
	const struct thread *th = &s->threads->threads[s->threads->of[worker]];
	struct sim_worker *w = &s->workers[worker];
	struct pipelined_task x = w->fetching;

	w->fetching.task = POLICY_NO_TASK;
	memory_write(s->memory, x.task, worker);
	if (w->running == POLICY_NO_TASK)
		return execute(s, &x, worker);
	x.launch_ns = s->now + th->overheads->queue_ns;
	w->queue[w->nqueued++] = x; /* a synchronous task until the running one has ended: as StarPU does it */
	return x.overlaps ? th->overheads->queue_ns : 0;
}

/* Returns 1 if a kernel of the worker has ended. Its next task starts, unless the thread has to execute it. */
static int end(struct sim *s, struct thread *th, int worker)
{
	struct sim_worker *w = &s->workers[worker];
	uint32_t task = w->running;

	if (w->running == POLICY_NO_TASK || w->free_ns > s->now)
		return 0;
	w->running = POLICY_NO_TASK;
	th->next = (struct pipelined_task){.task = POLICY_NO_TASK};
	s->executed++;
	if (w->free_ns > s->out->makespan_ns)
		s->out->makespan_ns = w->free_ns;
	memory_finish(s->memory, task, worker);
	if (s->policy->done)
		s->policy->done(s->state, task, worker);
	if (w->nqueued) {
		th->next = w->queue[0];
		for (int i = 1; i < w->nqueued; i++)
			w->queue[i - 1] = w->queue[i];
		w->nqueued--;
		if (th->next.overlaps)
			start(s, &th->next, worker);
	}
	th->ended = sim_end(s, task);
	th->written = 0;
	return 1;
}

/* The end of a task has been dealt with. Returns 1 if the thread executes the next task of the pipeline. */
static int execute_next(struct sim *s, int thread, int worker)
{
	struct thread *th = &s->threads->threads[thread];

	if (th->next.task == POLICY_NO_TASK)
		return 0;
	if (th->next.overlaps) {
		notify_started(s, th->next.task, worker);
		return 0;
	}
	thread_go_on(s, thread, STEP_ENDED, execute(s, &th->next, worker));
	return 1;
}

/* How long the thread waits, from after_ns on, for data of the task that others hold: it asks for one each ask_ns. */
static int64_t wait_for_data(const struct sim *s, uint32_t task, int64_t ask_ns, int64_t after_ns)
{
	const struct dag_task *t = &s->d->tasks[task];
	int64_t waited = 0;

	for (uint32_t i = 0; i < t->naccesses; i++)
		waited += transfers_locked_ns(s->transfers, s->d->accesses[t->first_access + i].handle,
		                              s->now + after_ns + i * ask_ns + waited);
	return waited;
}

/*
 * One after the other, what follows from the end of a task: the tasks it makes ready are pushed; data that the
 * application will not use is written back, by a task of StarPU's own that is pushed and one that is submitted and
 * pushed (1.4.10, user_interactions.c, starpu_data_acquire_on_node_cb_sequential_sync). Returns 0 if nothing is left
 * that takes time, else 1 with the next step set.
 */
static int release(struct sim *s, int thread, int worker, int64_t before_ns)
{
	struct thread *th = &s->threads->threads[thread];

	th->ready = sim_next_ready(s, &th->ended);
	if (th->ready != POLICY_NO_TASK) {
		before_ns += wait_for_data(s, th->ready, 0, before_ns);
		thread_go_on(s, thread, STEP_PUSH, before_ns + th->overheads->push_ns);
		return 1;
	}
	th->wont_use = memory_next_wont_use(s->memory, th->ended.task, &th->written);
	if (th->wont_use != POLICY_NO_TASK) {
		thread_go_on(s, thread, STEP_WRITE_BACK, before_ns + th->overheads->push_ns);
		return 1;
	}
	return execute_next(s, thread, worker);
}

/* Its workers one by one: a task whose data has arrived, then the end of a kernel. */
static void check(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	for (; th->worker < th->nworkers; th->worker++) {
		int worker = th->workers[th->worker];

		if (th->step == STEP_CHECK && s->workers[worker].fetching.task != POLICY_NO_TASK &&
		    !memory_missing(s->memory, worker)) {
			th->progressed = 1;
			thread_go_on(s, thread, STEP_ENDED, launch(s, worker));
			return;
		}
		if (end(s, th, worker)) {
			th->progressed = 1;
			if (release(s, thread, worker, th->overheads->end_ns))
				return;
			if (th->overheads->end_ns + th->overheads->callback_ns) {
				th->worker++;
				thread_go_on(s, thread, STEP_CHECK, th->overheads->end_ns + th->overheads->callback_ns);
				return;
			}
		}
		th->step = STEP_CHECK;
	}
	thread_poll_copies(s, thread, th->overheads->look_ns, 0);
}

static void go_on_releasing(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	if (release(s, thread, th->workers[th->worker], 0))
		return;
	th->worker++;
	if (th->overheads->callback_ns) {
		thread_go_on(s, thread, STEP_CHECK, th->overheads->callback_ns);
		return;
	}
	th->step = STEP_CHECK;
	check(s, thread);
}

/* Whether the worker's pipeline can take another task. */
static int takes_more(const struct sim *s, int worker)
{
	const struct sim_worker *w = &s->workers[worker];
	enum arch a = s->m->workers[worker].arch;

	if (w->fetching.task != POLICY_NO_TASK || w->running == POLICY_NO_TASK)
		return w->fetching.task == POLICY_NO_TASK;
	if (w->nqueued && !w->queue[w->nqueued - 1].overlaps)
		return 0;
	return thread_is_device(a) && 1 + w->nqueued < s->pipeline[a];
}

int thread_ask(struct sim *s, int thread, struct ht_err *err)
{
	struct thread *th = &s->threads->threads[thread];
	int64_t locked_ns = 0;
	int asked = 0;

	for (int i = 0; i < th->nworkers; i++) {
		int worker = th->workers[i];
		uint32_t task;

		if (!takes_more(s, worker))
			continue;
		s->idle[worker] = 0;
		task = s->policy->pop(s->state, worker);
		if (task == POLICY_NO_TASK) {
			s->idle[worker] = 1;
			continue;
		}
		if (sim_take(s, task, worker, err) != 0)
			return -1;
		s->workers[worker].fetching.overlaps = threads_overlap(s, task, worker);
		locked_ns += wait_for_data(s, task, th->overheads->ask_ns, asked * th->overheads->ask_ns + locked_ns);
		memory_fetch(s->memory, task, worker, sim_priority(s, task));
		asked += (int)s->d->tasks[task].naccesses;
		s->workers[worker].fetching.popped_ns = s->now + asked * th->overheads->ask_ns + locked_ns;
		th->progressed = 1;
	}
	threads_notify(s);
	th->worker = 0;
	if (th->progressed || th->rewake) {
		th->progressed = th->rewake = 0;
		thread_delay(s, thread, STEP_CHECK, asked, th->overheads->ask_ns, locked_ns);
	} else {
		th->step = STEP_ASLEEP;
	}
	return 0;
}

/* A device's thread begins a copy; where there is none to begin, it goes on to ask for tasks. */
static void copy(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];
	int64_t busy_ns;
	int begun = transfers_begin(s->transfers, th->node, s->now, &busy_ns);

	threads_notify(s);
	if (begun) {
		s->threads->other_ns = -1;
		th->progressed = 1;
		thread_go_on(s, thread, STEP_COPY, busy_ns);
		return;
	}
	th->progressed |= transfers_observed(s->transfers, th->node) > 0;
	thread_go_on(s, thread, STEP_ASK, 0);
}

static void poll_device(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	if (th->node >= 0 && transfers_poll(s->transfers, th->node)) {
		copy(s, thread);
		return;
	}
	if (th->node >= 0)
		threads_notify(s);
	thread_go_on(s, thread, STEP_ASK, 0);
}

/* Every thread polls main memory first. */
static void poll_all(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];
	int64_t busy_ns;
	int allocates;

	if (th->step == STEP_ALLOCATED) {
		th->progressed = 1;
		allocates = transfers_allocated(s->transfers, &th->allocations, s->now, &busy_ns);
		threads_notify(s);
	} else {
		allocates = transfers_allocates(s->transfers) &&
		            transfers_allocate(s->transfers, &th->allocations, s->now, &busy_ns);
	}
	if (allocates)
		thread_go_on(s, thread, STEP_ALLOCATED, busy_ns);
	else
		poll_device(s, thread);
}

static void sleep_blocked(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	threads_notify(s);
	th->step = STEP_ASLEEP;
	if (th->rewake)
		thread_wake(s, thread);
}

static int step(struct sim *s, int thread, struct ht_err *err)
{
	struct thread *th = &s->threads->threads[thread];

	switch (th->step) {
	case STEP_CHECK:
	case STEP_ENDED: check(s, thread); break;
	case STEP_PUSH:
		s->policy->push(s->state, th->ready, th->workers[th->worker]);
		threads_notify(s);
		go_on_releasing(s, thread);
		break;
	case STEP_WRITE_BACK:
		transfers_write_back(s->transfers, th->wont_use);
		threads_notify(s);
		thread_delay(s, thread, STEP_WROTE_BACK, 2, th->overheads->push_ns, 0);
		break;
	case STEP_WROTE_BACK: go_on_releasing(s, thread); break;
	case STEP_POLL:
	case STEP_ALLOCATED: poll_all(s, thread); break;
	case STEP_COPY: copy(s, thread); break;
	case STEP_ASK:
		if (!thread_is_blocked(s, th))
			return thread_ask(s, thread, err);
		sleep_blocked(s, thread);
		break;
	case STEP_ASLEEP: break;
	}
	return 0;
}

int thread_handle(struct sim *s, int thread, struct ht_err *err)
{
	struct threads *t = s->threads;
	struct thread *th = &t->threads[thread];

	t->handled = th->node >= 0 ? thread : -1;
	do {
		t->goes_on_ns = -1;
		if (th->delays) {
			th->delays--;
			thread_put_event(s, thread, th->delay_ns);
		} else if (step(s, thread, err) != 0) {
			return -1;
		}
		if (t->goes_on_ns > s->now)
			threads_go_to(s, t->goes_on_ns);
	} while (t->goes_on_ns >= 0);
	t->handled = -1;
	return 0;
}
