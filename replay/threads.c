/* replay/threads.c - the loop of a simulation in which copies, and the threads that drive workers, take time. */
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
 * pipeline, and those of a run whose codelets are synchronous.
 */
#include "replay/threads.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/machine.h"
#include "core/trace.h"
#include "replay/memory.h"
#include "replay/sim.h"
#include "replay/transfer.h"
#include "sched/policy.h"

enum step { STEP_CHECK, STEP_ENDED, STEP_PUSH, STEP_PROGRESS, STEP_COPY, STEP_ASK, STEP_ASLEEP };

struct thread {
	int *workers, nworkers;
	int node;             /* the device's; -1: a CPU */
	const struct overheads *takes;
	enum step step;
	int worker;           /* which of its workers it is at */
	int did, again;       /* this round has brought something; it was woken meanwhile */
	struct sim_ended ended; /* the task whose end makes others ready, which it pushes */
	uint32_t ready;       /* the next of these */
	uint32_t behind;      /* the kernel that runs since that one has ended */
	uint64_t due;         /* the number of the event that moves it on; 0: none */
};

/* A thread's next step, or the end of a device's kernel, which wakes its thread. */
struct event {
	int64_t at_ns;
	uint64_t number;
	int32_t thread;
	int32_t kernel;
};

struct threads {
	struct thread *threads;
	int nthreads;
	int *of;              /* per worker */
	int *drives;          /* per node: the thread; -1: none */
	struct event *events; /* a binary heap; those that no thread waits for any more are passed over */
	size_t nevents, cap_events;
	uint64_t last;
};

static int is_device(enum arch a)
{
	return a == ARCH_CUDA || a == ARCH_OPENCL || a == ARCH_HIP;
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
		th->takes = &s->overheads.of[m->workers[w].arch];
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
	free(t->events);
	free(t);
}

int threads_sleeps(const struct threads *t, int worker)
{
	return t->threads[t->of[worker]].step == STEP_ASLEEP;
}

static int event_before(const struct event *a, const struct event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->number < b->number;
}

static void event_put(struct threads *t, struct event e)
{
	size_t i = t->nevents;

	VEC_PUSH(t->events, t->nevents, t->cap_events);
	for (; i && event_before(&e, &t->events[(i - 1) / 2]); i = (i - 1) / 2)
		t->events[i] = t->events[(i - 1) / 2];
	t->events[i] = e;
}

static struct event event_take(struct threads *t)
{
	struct event top = t->events[0], last = t->events[--t->nevents];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < t->nevents; i = child) {
		if (child + 1 < t->nevents && event_before(&t->events[child + 1], &t->events[child]))
			child++;
		if (!event_before(&t->events[child], &last))
			break;
		t->events[i] = t->events[child];
	}
	t->events[i] = last;
	return top;
}

static void go_on(struct sim *s, int thread, enum step step, int64_t ns)
{
	struct thread *th = &s->threads->threads[thread];

	th->step = step;
	th->due = ++s->threads->last;
	event_put(s->threads, (struct event){ .at_ns = s->now + ns, .number = th->due, .thread = thread });
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
		go_on(s, thread, STEP_CHECK, 0);
	else
		go_on(s, thread, STEP_PROGRESS, th->takes->look_ns);
}

void sim_wake_threads(struct sim *s, int worker)
{
	wake(s, s->threads->of[worker]);
}

/* What the memory has to say: to drivers, and to all workers of a node where data has come. */
static void tell(struct sim *s)
{
	struct memory_news news = memory_news(s->memory);

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

/* Whether the thread of the worker goes on while a task runs. */
static int overlaps(const struct sim *s, int worker)
{
	enum arch a = s->m->workers[worker].arch;

	return is_device(a) && s->pipeline[a] && !(s->d->synchronous >> a & 1);
}

static int has_room(const struct sim *s, int worker)
{
	const struct slot *w = &s->slots[worker];

	if (w->fetching.task != POLICY_NO_TASK || w->running == POLICY_NO_TASK)
		return w->fetching.task == POLICY_NO_TASK;
	return overlaps(s, worker) && 1 + w->nqueued < s->pipeline[s->m->workers[worker].arch];
}

static void start(struct sim *s, const struct taken *x, int worker)
{
	int thread = s->threads->of[worker];

	sim_start(s, x, worker);
	if (overlaps(s, worker))
		event_put(s->threads, (struct event){ .at_ns = s->slots[worker].free_ns, .number = ++s->threads->last,
		                                      .thread = thread, .kernel = 1 });
}

static void tell_started(struct sim *s, uint32_t task, int worker)
{
	if (task != POLICY_NO_TASK && s->policy->started)
		s->policy->started(s->state, task, worker);
}

/* The data of the task it fetched has come: how long the thread is busy with it. */
static int64_t launch(struct sim *s, int worker)
{
	const struct thread *th = &s->threads->threads[s->threads->of[worker]];
	struct slot *w = &s->slots[worker];
	struct taken x = w->fetching;

	w->fetching.task = POLICY_NO_TASK;
	memory_write(s->memory, x.task, worker);
	x.launch_ns = s->now + (th->node >= 0 ? th->takes->queue_ns : 0);
	if (w->running != POLICY_NO_TASK) {
		w->queue[w->nqueued++] = x;
		return th->takes->queue_ns;
	}
	start(s, &x, worker);
	tell_started(s, x.task, worker);
	if (overlaps(s, worker))
		return th->takes->queue_ns;
	if (th->node >= 0)
		memory_hasten(s->memory, th->node, s->now);
	return w->free_ns - s->now;
}

/* Whether a kernel of the worker has ended: what comes behind it starts. */
static int end(struct sim *s, struct thread *th, int worker)
{
	struct slot *w = &s->slots[worker];
	uint32_t task = w->running;

	if (w->running == POLICY_NO_TASK || w->free_ns > s->now)
		return 0;
	th->behind = w->nqueued ? w->queue[0].task : POLICY_NO_TASK;
	w->running = POLICY_NO_TASK;
	s->executed++;
	if (w->free_ns > s->out->makespan_ns)
		s->out->makespan_ns = w->free_ns;
	memory_finish(s->memory, task, worker);
	if (s->policy->done)
		s->policy->done(s->state, task, worker);
	if (th->behind != POLICY_NO_TASK) {
		struct taken next = w->queue[0];

		for (int i = 1; i < w->nqueued; i++)
			w->queue[i - 1] = w->queue[i];
		w->nqueued--;
		start(s, &next, worker);
	}
	th->ended = sim_end(s, task);
	return 1;
}

/* The next task that the end of another has made ready; 0: there is none. */
static int find_ready(struct sim *s, struct thread *th)
{
	th->ready = sim_next_ready(s, &th->ended);
	return th->ready != POLICY_NO_TASK;
}

/* Its workers one by one: a task whose data has come, then the end of a kernel. Gives the next step. */
static void check(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	for (; th->worker < th->nworkers; th->worker++) {
		int worker = th->workers[th->worker];

		if (th->step == STEP_CHECK && s->slots[worker].fetching.task != POLICY_NO_TASK &&
		    !memory_missing(s->memory, worker)) {
			th->did = 1;
			go_on(s, thread, STEP_ENDED, launch(s, worker));
			return;
		}
		if (end(s, th, worker)) {
			th->did = 1;
			if (find_ready(s, th)) {
				go_on(s, thread, STEP_PUSH, th->takes->end_ns + th->takes->push_ns);
				return;
			}
			tell_started(s, th->behind, worker);
			if (th->takes->end_ns + th->takes->callback_ns) {
				th->worker++;
				go_on(s, thread, STEP_CHECK, th->takes->end_ns + th->takes->callback_ns);
				return;
			}
		}
		th->step = STEP_CHECK;
	}
	go_on(s, thread, STEP_PROGRESS, th->takes->look_ns);
}

static void push(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	s->policy->push(s->state, th->ready, th->workers[th->worker]);
	tell(s);
	if (find_ready(s, th)) {
		go_on(s, thread, STEP_PUSH, th->takes->push_ns);
		return;
	}
	tell_started(s, th->behind, th->workers[th->worker]);
	th->worker++;
	if (th->takes->callback_ns) {
		go_on(s, thread, STEP_CHECK, th->takes->callback_ns);
		return;
	}
	th->step = STEP_CHECK;
	check(s, thread);
}

static int ask(struct sim *s, int thread, struct ht_err *err)
{
	struct thread *th = &s->threads->threads[thread];
	int64_t busy_ns = 0;

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
		busy_ns += th->takes->ask_ns * (int64_t)s->d->tasks[task].naccesses;
		s->slots[worker].fetching.taken_ns = s->now + busy_ns;
		th->did = 1;
	}
	tell(s);
	th->worker = 0;
	if (th->did || th->again) {
		th->did = th->again = 0;
		go_on(s, thread, STEP_CHECK, busy_ns);
	} else {
		th->step = STEP_ASLEEP;
		th->due = 0;
	}
	return 0;
}

static int step(struct sim *s, int thread, struct ht_err *err)
{
	struct thread *th = &s->threads->threads[thread];
	int64_t busy_ns;

	switch (th->step) {
	case STEP_CHECK:
	case STEP_ENDED:
		check(s, thread);
		return 0;
	case STEP_PUSH:
		push(s, thread);
		return 0;
	case STEP_PROGRESS:
		if (th->node >= 0) {
			th->did |= memory_land(s->memory, th->node) > 0;
			tell(s);
			memory_look(s->memory, th->node);
		}
		/* fall through */
	case STEP_COPY:
		if (th->node >= 0 && memory_begin(s->memory, th->node, s->now, &busy_ns)) {
			th->did = 1;
			go_on(s, thread, STEP_COPY, busy_ns);
			return 0;
		}
		/* fall through */
	case STEP_ASK:
		if (!is_blocked(s, th))
			return ask(s, thread, err);
		tell(s);
		th->step = STEP_ASLEEP;
		if (th->again)
			wake(s, thread);
		return 0;
	case STEP_ASLEEP:
		break;
	}
	return 0;
}

static void submit_due(struct sim *s)
{
	while (sim_next_submission_ns(s) <= s->now) {
		uint32_t task = sim_submit(s);

		if (!sim_release(s, task))
			continue;
		s->policy->push(s->state, task, -1);
		tell(s);
	}
}

static int move_on(struct sim *s, struct ht_err *err)
{
	struct threads *t = s->threads;

	while (t->nevents && t->events[0].at_ns <= s->now) {
		struct event e = event_take(t);

		if (e.kernel)
			wake(s, e.thread);
		else if (t->threads[e.thread].due == e.number && step(s, e.thread, err) < 0)
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

		if (t->nevents && t->events[0].at_ns < next)
			next = t->events[0].at_ns;
		if (memory_next_ns(s->memory) < next)
			next = memory_next_ns(s->memory);
		if (next == INT64_MAX || s->executed == s->d->ntasks)
			return 0;
		if (next > SIM_END_OF_TIME)
			return ht_err_set(err, "the simulated time is more than 146 years after %u tasks",
			                  (unsigned)s->executed);
		s->now = next > s->now ? next : s->now;
		memory_advance(s->memory, s->now);
		tell(s);
		submit_due(s);
		if (move_on(s, err) < 0)
			return -1;
	}
}
