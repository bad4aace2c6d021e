/* replay/sim/threads.c - the loop of a simulation in which copies, and the threads that drive workers, take time. */
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
#include "replay/sim/threads.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/memory.h"
#include "replay/memory/transfers.h"
#include "replay/sim/events.h"
#include "replay/sim/jitter.h"
#include "replay/sim/sim.h"
#include "sched/policy.h"

/* What a thread does at its next event: threads.h. */
enum step {
	STEP_CHECK,
	STEP_ENDED,
	STEP_PUSH,
	STEP_WRITE_BACK,
	STEP_WROTE_BACK,
	STEP_POLL,
	STEP_ALLOCATED,
	STEP_COPY,
	STEP_ASK,
	STEP_ASLEEP
};

struct thread {
	int *workers, nworkers;
	int node; /* the device's; -1: a CPU */
	const struct overheads *overheads;
	int64_t wake_ns; /* until it asks for a task, from when it is woken */
	enum step step;
	int worker;                 /* index in workers of the one it is at */
	int progressed;             /* this round has begun or completed a copy or a task */
	int rewake;                 /* woken while not asleep: another round */
	struct sim_ended ended;     /* the task that has ended, whose successors it pushes */
	uint32_t ready;             /* the successor that STEP_PUSH pushes */
	uint32_t wont_use;          /* the datum of that task that STEP_WRITE_BACK writes back */
	uint32_t written;           /* iterator of memory_next_wont_use() */
	struct pipelined_task next; /* of the worker's pipeline, when the task has ended */
	int delays;                 /* events of delay_ns each that are left before it takes the step */
	int64_t delay_ns;
	struct allocations_taken allocations; /* in main memory, until STEP_ALLOCATED */
};

struct threads {
	struct thread *threads;
	int nthreads;
	int *of;              /* per worker */
	int *drives;          /* per node: the thread; -1: none */
	struct events events; /* a step of each thread that is not asleep, and ends of kernels */
	const struct transfers_notifications *notifications;
	int64_t transfer_ns; /* what threads_next_ns() has seen of transfers_next_ns() */
	int64_t other_ns;    /* next_other_ns(); -1: not known */
	int handled;         /* a device's thread that takes a step; -1: none */
	int64_t goes_on_ns;  /* it takes another then, without an event; -1: it has put one, or sleeps */
};

static int is_device(enum arch a)
{
	return a == ARCH_CUDA || a == ARCH_OPENCL || a == ARCH_HIP || a == ARCH_SYCL;
}

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
		th->overheads = &s->conditions.overheads.of[m->workers[w].arch];
		th->wake_ns = overheads_wake_ns(&s->conditions.overheads, m->workers[w].arch);
		t->of[w] = at;
		if (node >= 0)
			t->drives[node] = at;
	}
	events_init(&t->events, t->nthreads);
	t->handled = -1;
	t->other_ns = -1;
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

int threads_is_asleep(const struct threads *t, int worker)
{
	return t->threads[t->of[worker]].step == STEP_ASLEEP;
}

int threads_overlap(const struct sim *s, uint32_t task, int worker)
{
	enum arch a = s->m->workers[worker].arch;
	const struct dag_type *type = &s->d->types[dag_type_of(s->d, task)];

	if (!is_device(a) || !s->pipeline[a] || type->synchronous >> a & 1)
		return 0;
	return type->asynchronous >> a & 1 || !(s->conditions.synchronous >> a & 1);
}

/*
 * When a task is submitted or a copy ends next: known until one is, or a copy is begun. With a window also ends of
 * tasks change it, and an application that waits may request data by asking.
 */
static int64_t next_other_ns(struct sim *s)
{
	struct threads *t = s->threads;

	if (t->other_ns < 0 || s->window) {
		int64_t submission = sim_next_submission_ns(s), transfer = transfers_next_ns(s->transfers);

		t->other_ns = submission < transfer ? submission : transfer;
	}
	return t->other_ns;
}

static int is_notified(const struct threads *t)
{
	return (t->notifications->drivers | t->notifications->nodes) != 0;
}

/*
 * Whether an event at that time, if it were put now, would be the next thing that happens. Of several ranks another may
 * be before it.
 */
static int is_next(struct sim *s, int64_t ns)
{
	const struct threads *t = s->threads;

	if (events_first(&t->events)->at_ns <= ns)
		return 0;
	if (ns == s->now)
		return 1;
	return !s->ended && s->executed < s->d->ntasks && ns <= SIM_END_OF_TIME && next_other_ns(s) > ns &&
	       !is_notified(t);
}

/* Whether the thread, which takes a step, takes its next one after some ns without an event. */
static int goes_on(struct sim *s, int thread, int64_t ns)
{
	struct threads *t = s->threads;

	if (thread != t->handled || !is_next(s, s->now + ns))
		return 0;
	t->goes_on_ns = s->now + ns;
	return 1;
}

/* The event at which the thread goes on, after some ns. */
static void put_event(struct sim *s, int thread, int64_t ns)
{
	const struct thread *th = &s->threads->threads[thread];
	int late = th->step == STEP_ASK || (th->step == STEP_POLL && th->delays);

	if (goes_on(s, thread, ns))
		return;
	if (th->node < 0)
		events_join(&s->threads->events, s->now, ns, thread,
		            !late                   ? EVENT_DELAY :
		            s->conditions.simulated ? EVENT_LATEST :
		                                      EVENT_LATE);
	else
		events_put(&s->threads->events, s->now, ns, thread, late ? EVENT_LATE : EVENT_DELAY);
}

/* The thread takes the step after some ns. */
static void go_on(struct sim *s, int thread, enum step step, int64_t ns)
{
	s->threads->threads[thread].step = step;
	put_event(s, thread, ns);
}

/*
 * Waits before_ns and `times` x ns, in separate events: threads in between can wake this one or be served first. Where
 * nothing happens in between it waits once.
 */
static void delay(struct sim *s, int thread, enum step step, int times, int64_t ns, int64_t before_ns)
{
	struct thread *th = &s->threads->threads[thread];

	th->step = step;
	th->delays = 0;
	if (goes_on(s, thread, before_ns + times * ns))
		return;
	th->delays = times && !before_ns ? times - 1 : times;
	th->delay_ns = ns;
	put_event(s, thread, before_ns ? before_ns : times ? ns : 0);
}

static void poll_copies(struct sim *s, int thread, int64_t look_ns, int64_t before_ns)
{
	int nodes = s->threads->threads[thread].overheads->nodes;

	nodes = nodes ? nodes : 1;
	delay(s, thread, STEP_POLL, nodes, look_ns / nodes, before_ns);
}

/* Whether the thread waits for capacity in its memory; until then it only polls copies. */
static int is_blocked(const struct sim *s, const struct thread *th)
{
	return th->node >= 0 && transfers_blocked(s->transfers, th->node);
}

/* Whether a task of one of its workers has its data, or a kernel has ended. */
static int has_task(const struct sim *s, const struct thread *th)
{
	if (is_blocked(s, th))
		return 0;
	for (int i = 0; i < th->nworkers; i++) {
		const struct sim_worker *w = &s->workers[th->workers[i]];

		if ((w->fetching.task != POLICY_NO_TASK && !memory_missing(s->memory, th->workers[i])) ||
		    (w->running != POLICY_NO_TASK && w->free_ns <= s->now))
			return 1;
	}
	return 0;
}

/* Without delay, unless what takes time varies: a thread that a push wakes comes before the pushing one's next step. */
static void wake(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	if (th->step != STEP_ASLEEP) {
		th->rewake = 1;
		return;
	}
	th->worker = 0;
	th->progressed = th->rewake = 0;
	if (has_task(s, th))
		go_on(s, thread, STEP_CHECK, 0);
	else
		poll_copies(s, thread, th->wake_ns, s->jitter ? jitter_wake_ns(s->jitter, s->now, th->node) : 0);
}

void threads_wake(struct sim *s, int worker)
{
	wake(s, s->threads->of[worker]);
}

/* Wakes the drivers that the memory notifies, and all workers of a node where data has arrived. */
static void notify_all(struct sim *s)
{
	struct transfers_notifications n = transfers_take_notifications(s->transfers);

	for (; n.drivers; n.drivers &= n.drivers - 1) {
		int thread = s->threads->drives[__builtin_ctzll(n.drivers)];

		if (thread >= 0)
			wake(s, thread);
	}
	for (int w = 0; n.nodes && w < s->m->nworkers; w++) {
		if (n.nodes >> s->m->workers[w].node & 1)
			wake(s, s->threads->of[w]);
	}
}

static void notify(struct sim *s)
{
	if (is_notified(s->threads))
		notify_all(s);
}

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
	go_on(s, thread, STEP_ENDED, execute(s, &th->next, worker));
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
		go_on(s, thread, STEP_PUSH, before_ns + th->overheads->push_ns);
		return 1;
	}
	th->wont_use = memory_next_wont_use(s->memory, th->ended.task, &th->written);
	if (th->wont_use != POLICY_NO_TASK) {
		go_on(s, thread, STEP_WRITE_BACK, before_ns + th->overheads->push_ns);
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
			go_on(s, thread, STEP_ENDED, launch(s, worker));
			return;
		}
		if (end(s, th, worker)) {
			th->progressed = 1;
			if (release(s, thread, worker, th->overheads->end_ns))
				return;
			if (th->overheads->end_ns + th->overheads->callback_ns) {
				th->worker++;
				go_on(s, thread, STEP_CHECK, th->overheads->end_ns + th->overheads->callback_ns);
				return;
			}
		}
		th->step = STEP_CHECK;
	}
	poll_copies(s, thread, th->overheads->look_ns, 0);
}

static void go_on_releasing(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	if (release(s, thread, th->workers[th->worker], 0))
		return;
	th->worker++;
	if (th->overheads->callback_ns) {
		go_on(s, thread, STEP_CHECK, th->overheads->callback_ns);
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
	return is_device(a) && 1 + w->nqueued < s->pipeline[a];
}

/* Pops a task for each worker whose pipeline has room. The thread makes another round, or goes to sleep. */
static int ask(struct sim *s, int thread, struct ht_err *err)
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
	notify(s);
	th->worker = 0;
	if (th->progressed || th->rewake) {
		th->progressed = th->rewake = 0;
		delay(s, thread, STEP_CHECK, asked, th->overheads->ask_ns, locked_ns);
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

	notify(s);
	if (begun) {
		s->threads->other_ns = -1;
		th->progressed = 1;
		go_on(s, thread, STEP_COPY, busy_ns);
		return;
	}
	th->progressed |= transfers_observed(s->transfers, th->node) > 0;
	go_on(s, thread, STEP_ASK, 0);
}

static void poll_device(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	if (th->node >= 0 && transfers_poll(s->transfers, th->node)) {
		copy(s, thread);
		return;
	}
	if (th->node >= 0)
		notify(s);
	go_on(s, thread, STEP_ASK, 0);
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
		notify(s);
	} else {
		allocates = transfers_allocates(s->transfers) &&
		            transfers_allocate(s->transfers, &th->allocations, s->now, &busy_ns);
	}
	if (allocates)
		go_on(s, thread, STEP_ALLOCATED, busy_ns);
	else
		poll_device(s, thread);
}

static void sleep_blocked(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	notify(s);
	th->step = STEP_ASLEEP;
	if (th->rewake)
		wake(s, thread);
}

static int step(struct sim *s, int thread, struct ht_err *err)
{
	struct thread *th = &s->threads->threads[thread];

	switch (th->step) {
	case STEP_CHECK:
	case STEP_ENDED: check(s, thread); break;
	case STEP_PUSH:
		s->policy->push(s->state, th->ready, th->workers[th->worker]);
		notify(s);
		go_on_releasing(s, thread);
		break;
	case STEP_WRITE_BACK:
		transfers_write_back(s->transfers, th->wont_use);
		notify(s);
		delay(s, thread, STEP_WROTE_BACK, 2, th->overheads->push_ns, 0);
		break;
	case STEP_WROTE_BACK: go_on_releasing(s, thread); break;
	case STEP_POLL:
	case STEP_ALLOCATED: poll_all(s, thread); break;
	case STEP_COPY: copy(s, thread); break;
	case STEP_ASK:
		if (!is_blocked(s, th))
			return ask(s, thread, err);
		sleep_blocked(s, thread);
		break;
	case STEP_ASLEEP: break;
	}
	return 0;
}

/*
 * One of the thread's delays is over: it waits for the next one, or takes its step. A device's thread does so as long
 * as nothing else is due before.
 */
static int handle(struct sim *s, int thread, struct ht_err *err)
{
	struct threads *t = s->threads;
	struct thread *th = &t->threads[thread];

	t->handled = th->node >= 0 ? thread : -1;
	do {
		t->goes_on_ns = -1;
		if (th->delays) {
			th->delays--;
			put_event(s, thread, th->delay_ns);
		} else if (step(s, thread, err) != 0) {
			return -1;
		}
		if (t->goes_on_ns > s->now)
			threads_go_to(s, t->goes_on_ns);
	} while (t->goes_on_ns >= 0);
	t->handled = -1;
	return 0;
}

/* Whether all threads of the event drive idle CPUs that are at the step, in a round in which they have done nothing. */
static int are_idle(const struct sim *s, const struct event *e, enum step step)
{
	const struct threads *t = s->threads;
	int thread = e->thread;

	for (int i = 0; i < e->count; i++, thread = t->events.follower[thread]) {
		const struct thread *th = &t->threads[thread];

		if (th->step != step || th->delays || th->progressed || !s->idle[th->workers[0]])
			return 0;
	}
	return 1;
}

/* All threads of the event have polled, and ask next. */
static void ask_together(struct sim *s, const struct event *e)
{
	struct threads *t = s->threads;
	int thread = e->thread;

	for (int i = 0; i < e->count; i++, thread = t->events.follower[thread])
		t->threads[thread].step = STEP_ASK;
	events_put_group(&t->events, s->now, e, s->conditions.simulated ? EVENT_LATEST : EVENT_LATE);
}

/*
 * The first threads of the event, idle CPUs of one architecture, sleep without asking a policy that has nothing for
 * them, or where they were woken again, poll again.
 */
static void sleep_together(struct sim *s, struct event *e)
{
	struct threads *t = s->threads;
	const struct thread *first = &t->threads[e->thread];

	/* A poll that takes no time would be before the other threads. */
	if (!s->policy->is_empty || first->overheads->look_ns <= first->overheads->nodes || !are_idle(s, e, STEP_ASK) ||
	    !s->policy->is_empty(s->state, first->workers[0]))
		return;
	while (e->count && t->threads[e->thread].overheads == first->overheads) {
		int thread = events_take_thread(&t->events, e);

		if (t->threads[thread].rewake)
			poll_copies(s, thread, first->overheads->look_ns, 0);
		else
			t->threads[thread].step = STEP_ASLEEP;
		t->threads[thread].rewake = 0;
	}
}

/*
 * Over SimGrid a push can wake all CPUs, which most often find nothing: threads that share an event go together where
 * that makes no difference, else one by one, unless one of them puts an event that is before the others.
 */
static int take_steps(struct sim *s, struct event *e, struct ht_err *err)
{
	struct events *events = &s->threads->events;

	if (!transfers_allocates(s->transfers) && are_idle(s, e, STEP_POLL)) {
		ask_together(s, e);
		return 0;
	}
	sleep_together(s, e);
	while (e->count) {
		if (handle(s, events_take_thread(events, e), err) != 0)
			return -1;
		if (e->count && event_before(events_first(events), e)) {
			events_put_back(events, e);
			return 0;
		}
	}
	return 0;
}

static void submit_due(struct sim *s)
{
	while (sim_next_submission_ns(s) <= s->now) {
		uint32_t task = sim_submit(s);

		s->threads->other_ns = -1;
		if (s->policy->added) {
			s->policy->added(s->state, task);
			notify(s);
		}
		if (!sim_release(s, task))
			continue;
		s->policy->push(s->state, task, -1);
		notify(s);
	}
}

static int handle_due(struct sim *s, struct ht_err *err)
{
	struct events *events = &s->threads->events;
	const struct event *first;

	while ((first = events_first(events))->at_ns <= s->now) {
		struct event e = events_take(events, first);

		if (e.kind == EVENT_EXECUTION)
			wake(s, e.thread);
		else if ((e.count == 1 ? handle(s, e.thread, err) : take_steps(s, &e, err)) != 0)
			return -1;
	}
	return 0;
}

int threads_begin(struct sim *s, struct ht_err *err)
{
	struct threads *t = s->threads;

	t->notifications = transfers_notifications(s->transfers);
	for (int i = 0; i < t->nthreads; i++) { /* StarPU's workers are there, and sleep, before the first task */
		if (ask(s, i, err) != 0)
			return -1;
	}
	return 0;
}

int64_t threads_next_ns(struct sim *s)
{
	struct threads *t = s->threads;
	int64_t other = next_other_ns(s), event;

	t->transfer_ns = transfers_next_ns(s->transfers);
	notify(s);
	event = events_first(&t->events)->at_ns;
	return other < event ? other : event;
}

void threads_go_to(struct sim *s, int64_t now)
{
	if (now > s->now) {
		s->now = now;
		events_advance(&s->threads->events);
	}
}

int threads_step(struct sim *s, struct ht_err *err)
{
	if (s->threads->transfer_ns <= s->now) {
		transfers_advance(s->transfers, s->now);
		s->threads->other_ns = -1;
	}
	notify(s);
	if (sim_next_submission_ns(s) <= s->now)
		submit_due(s);
	return handle_due(s, err);
}
