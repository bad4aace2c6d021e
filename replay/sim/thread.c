/* replay/sim/thread.c - a thread of the simulation: when it takes its next step, and what wakes it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/thread.h"

#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/memory.h"
#include "replay/memory/transfers.h"
#include "replay/sim/events.h"
#include "replay/sim/jitter.h"
#include "replay/sim/sim.h"
#include "replay/sim/threads.h"
#include "sched/policy.h"

int threads_overlap(const struct sim *s, uint32_t task, int worker)
{
	enum arch a = s->m->workers[worker].arch;
	const struct dag_type *type = &s->d->types[dag_type_of(s->d, task)];

	if (!thread_is_device(a) || !s->pipeline[a] || type->synchronous >> a & 1)
		return 0;
	return type->asynchronous >> a & 1 || !(s->conditions.synchronous >> a & 1);
}

void threads_go_to(struct sim *s, int64_t now)
{
	if (now > s->now) {
		s->now = now;
		events_advance(&s->threads->events);
	}
}

int64_t threads_next_other_ns(struct sim *s)
{
	struct threads *t = s->threads;

	if (t->other_ns < 0 || s->window) {
		int64_t submission = sim_next_submission_ns(s), transfer = transfers_next_ns(s->transfers);

		t->other_ns = submission < transfer ? submission : transfer;
	}
	return t->other_ns;
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
	return !s->ended && s->executed < s->d->ntasks && ns <= SIM_END_OF_TIME && threads_next_other_ns(s) > ns &&
	       !threads_are_notified(t);
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

void thread_put_event(struct sim *s, int thread, int64_t ns)
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

void thread_go_on(struct sim *s, int thread, enum step step, int64_t ns)
{
	s->threads->threads[thread].step = step;
	thread_put_event(s, thread, ns);
}

void thread_delay(struct sim *s, int thread, enum step step, int times, int64_t ns, int64_t before_ns)
{
	struct thread *th = &s->threads->threads[thread];

	th->step = step;
	th->delays = 0;
	if (goes_on(s, thread, before_ns + times * ns))
		return;
	th->delays = times && !before_ns ? times - 1 : times;
	th->delay_ns = ns;
	thread_put_event(s, thread, before_ns ? before_ns : times ? ns : 0);
}

void thread_poll_copies(struct sim *s, int thread, int64_t look_ns, int64_t before_ns)
{
	int nodes = s->threads->threads[thread].overheads->nodes;

	nodes = nodes ? nodes : 1;
	thread_delay(s, thread, STEP_POLL, nodes, look_ns / nodes, before_ns);
}

int thread_is_blocked(const struct sim *s, const struct thread *th)
{
	return th->node >= 0 && transfers_blocked(s->transfers, th->node);
}

/* Whether a task of one of its workers has its data, or a kernel has ended. */
static int has_task(const struct sim *s, const struct thread *th)
{
	if (thread_is_blocked(s, th))
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
void thread_wake(struct sim *s, int thread)
{
	struct thread *th = &s->threads->threads[thread];

	if (th->step != STEP_ASLEEP) {
		th->rewake = 1;
		return;
	}
	th->worker = 0;
	th->progressed = th->rewake = 0;
	if (has_task(s, th))
		thread_go_on(s, thread, STEP_CHECK, 0);
	else
		thread_poll_copies(s, thread, th->wake_ns, s->jitter ? jitter_wake_ns(s->jitter, s->now, th->node) : 0);
}

void threads_notify_all(struct sim *s)
{
	struct transfers_notifications n = transfers_take_notifications(s->transfers);

	for (; n.drivers; n.drivers &= n.drivers - 1) {
		int thread = s->threads->drives[__builtin_ctzll(n.drivers)];

		if (thread >= 0)
			thread_wake(s, thread);
	}
	for (int w = 0; n.nodes && w < s->m->nworkers; w++) {
		if (n.nodes >> s->m->workers[w].node & 1)
			thread_wake(s, s->threads->of[w]);
	}
}
