/* sched/modular/modular_worker.c - what a worker of a modular scheduler has taken, and when that is expected to end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * component_worker.c of StarPU 1.4.10. As in dm.c, a task's length moves from `length` to `pipeline` when it starts,
 * and its transfer when the worker takes it; but a worker that asks and has nothing of its own forgets all of it, even
 * while it executes: the end of a GPU with one task and no second is then `now`, and what ends later is subtracted all
 * the same.
 */
#include <math.h>

#include "sched/modular/modular.h"

double modular_worker_end(struct modular *s, int worker)
{
	struct modular_worker *w = &s->workers[worker];
	double now = modular_now(s);

	if (now > w->start) {
		w->start = now;
		w->end = w->start + w->length;
	}
	return w->end;
}

void modular_worker_add(struct modular *s, int worker, uint32_t task)
{
	struct modular_worker *w = &s->workers[worker];
	double now = modular_now(s);

	s->length[task] = (double)policy_expected_ns(&s->world, task, worker);
	s->transfer[task] = s->world.transfer_ns ? (double)s->world.transfer_ns(s->world.ctx, task, worker) : 0;
	s->transfer[task] = fmax(now + s->transfer[task] - w->end, 0);
	w->start = fmax(w->start, now);
	w->length += s->transfer[task] + s->length[task];
	w->end = w->start + w->length;
}

void modular_worker_push(struct modular *s, int worker, uint32_t task)
{
	modular_prefetch(s, task, worker);
	modular_worker_add(s, worker, task);
	taskq_append(&s->links, &s->workers[worker].queue, task);
	if (worker == s->asking)
		s->again = 1;
	else
		s->world.wake(s->world.ctx, worker);
}

uint32_t modular_worker_take(struct modular *s, int worker)
{
	struct modular_worker *w = &s->workers[worker];
	double now = modular_now(s);
	uint32_t task = w->queue.head;

	w->start = fmax(w->start, now);
	w->end = w->start + w->length;
	if (task == POLICY_NO_TASK) {
		w->length = w->pipeline = 0;
		w->start = w->end = now;
		return task;
	}
	taskq_remove(&s->links, &w->queue, task);
	return task;
}

void modular_worker_transfers(struct modular *s, int worker, uint32_t task)
{
	struct modular_worker *w = &s->workers[worker];

	w->length -= s->transfer[task];
	w->pipeline += s->transfer[task];
	w->start = modular_now(s) + w->pipeline;
	w->end = w->start + w->length;
}

void modular_worker_started(void *modular, uint32_t task, int worker)
{
	struct modular *s = modular;
	struct modular_worker *w = &s->workers[worker];

	w->pipeline += s->length[task] - s->transfer[task];
	w->length -= s->length[task];
	w->start = modular_now(s) + w->pipeline;
	w->end = w->start + w->length;
}

void modular_worker_done(void *modular, uint32_t task, int worker)
{
	struct modular *s = modular;
	struct modular_worker *w = &s->workers[worker];

	w->pipeline -= s->length[task];
	w->start = fmax(modular_now(s) + w->pipeline, w->start);
	w->end = w->start + w->length;
}
