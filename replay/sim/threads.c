/* replay/sim/threads.c - the loop of a simulation in which copies, and the threads that drive workers, take time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What comes next is an event of a thread (thread.h), the end of a copy, or a submission. A thread whose event is due
 * takes its step (thread_steps.h); idle CPUs that share an event take theirs together where that makes no difference.
 */
#include "replay/sim/threads.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/transfers.h"
#include "replay/sim/events.h"
#include "replay/sim/sim.h"
#include "replay/sim/thread.h"
#include "replay/sim/thread_steps.h"
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
		int node = thread_is_device(m->workers[w].arch) ? m->workers[w].node : -1;
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

void threads_wake(struct sim *s, int worker)
{
	thread_wake(s, s->threads->of[worker]);
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
			thread_poll_copies(s, thread, first->overheads->look_ns, 0);
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
		if (thread_handle(s, events_take_thread(events, e), err) != 0)
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
			threads_notify(s);
		}
		if (!sim_release(s, task))
			continue;
		s->policy->push(s->state, task, -1);
		threads_notify(s);
	}
}

static int handle_due(struct sim *s, struct ht_err *err)
{
	struct events *events = &s->threads->events;
	const struct event *first;

	while ((first = events_first(events))->at_ns <= s->now) {
		struct event e = events_take(events, first);

		if (e.kind == EVENT_EXECUTION)
			thread_wake(s, e.thread);
		else if ((e.count == 1 ? thread_handle(s, e.thread, err) : take_steps(s, &e, err)) != 0)
			return -1;
	}
	return 0;
}

int threads_begin(struct sim *s, struct ht_err *err)
{
	struct threads *t = s->threads;

	t->notifications = transfers_notifications(s->transfers);
	for (int i = 0; i < t->nthreads; i++) { /* StarPU's workers are there, and sleep, before the first task */
		if (thread_ask(s, i, err) != 0)
			return -1;
	}
	return 0;
}

int64_t threads_next_ns(struct sim *s)
{
	struct threads *t = s->threads;
	int64_t other = threads_next_other_ns(s), event;

	t->transfer_ns = transfers_next_ns(s->transfers);
	threads_notify(s);
	event = events_first(&t->events)->at_ns;
	return other < event ? other : event;
}

int threads_step(struct sim *s, struct ht_err *err)
{
	if (s->threads->transfer_ns <= s->now) {
		transfers_advance(s->transfers, s->now);
		s->threads->other_ns = -1;
	}
	threads_notify(s);
	if (sim_next_submission_ns(s) <= s->now)
		submit_due(s);
	return handle_due(s, err);
}
