/* sched/modular/modular_child.c - a queue below a modular scheduler's decision, and how its tasks get to workers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* component_prio.c, component_eager.c and component_best_implementation.c of StarPU 1.4.10. */
#include <math.h>

#include "sched/modular/modular.h"
#include "sched/queue/ready.h"

double modular_child_length(const struct modular *s, const struct modular_child *c, uint32_t task)
{
	int alike = !(c->archs & (c->archs - 1)), n = alike ? 1 : c->spread.nworkers;
	int64_t best = -1;

	for (int i = 0; i < n; i++) {
		int64_t cost = policy_expected_ns(&s->world, task, c->spread.workers[i]);

		if (cost >= 0 && (best <= 0 || (cost && cost < best)))
			best = cost;
	}
	return (double)best;
}

/* The first worker to be free, and an equal share of what waits. */
double modular_child_end(struct modular *s, const struct modular_child *c)
{
	double end = INFINITY;

	for (int i = 0; i < c->spread.nworkers; i++)
		end = fmin(end, modular_worker_end(s, c->spread.workers[i]));
	return end + c->length / c->spread.nworkers;
}

void modular_prefetch(struct modular *s, uint32_t task, int worker)
{
	if (!s->prefetched[task] && s->world.prefetch)
		s->world.prefetch(s->world.ctx, task, worker);
	s->prefetched[task] = 1;
}

static void wake(struct modular *s, const struct modular_child *c)
{
	for (int i = 0; i < c->spread.nworkers; i++) {
		if (c->spread.workers[i] == s->asking)
			s->again = 1;
		else
			s->world.wake(s->world.ctx, c->spread.workers[i]);
	}
}

/* Its length, and what is left of its transfer when all before it is done; NAN: nobody has predicted them. */
static void expect(struct modular *s, struct modular_child *c, uint32_t task)
{
	double length = c->length + s->length[task];

	if (isnan(s->length[task]))
		return;
	s->transfer[task] = fmax(modular_now(s) + s->transfer[task] - modular_child_end(s, c), 0);
	c->length = length + s->transfer[task];
}

int modular_child_push(struct modular *s, struct modular_child *c, uint32_t task)
{
	double length = isnan(s->length[task]) ? c->length : c->length + s->length[task];

	if (s->ntasks_threshold > 0 && ready_waiting(s->sorted, c->queue) >= s->ntasks_threshold)
		return 0;
	if (s->length_threshold > 0 && length >= s->length_threshold)
		return 0;
	expect(s, c, task);
	ready_put(s->sorted, c->queue, task);
	modular_prefetch(s, task, c->spread.workers[0]);
	wake(s, c);
	return 1;
}

/* Removes the first task, POLICY_NO_TASK where there is none, and lets tasks come down in its place. */
static uint32_t pull(struct modular *s, struct modular_child *c)
{
	uint32_t task = ready_take(s->sorted, c->queue);

	if (task != POLICY_NO_TASK) {
		if (!isnan(s->length[task])) {
			c->length = fmax(c->length - s->length[task], 0);
			c->length = fmax(c->length - s->transfer[task], 0);
		}
		if (!ready_waiting(s->sorted, c->queue))
			c->length = 0;
	}
	modular_can_push(s);
	return task;
}

int modular_spread_push(struct modular *s, struct modular_spread *e, uint32_t task)
{
	if (!e->left)
		return 0;
	if (e->left > 0)
		e->left--;
	if (e->target >= 0 && policy_cost_ns(&s->world, task, e->target) >= 0) {
		modular_worker_push(s, e->target, task);
		return 1;
	}
	for (int i = 0; i < e->nworkers; i++) {
		if (policy_cost_ns(&s->world, task, e->workers[i]) >= 0) {
			modular_worker_push(s, e->workers[i], task);
			return 1;
		}
	}
	return 0;
}

/*
 * A worker that is alone takes its task. To one of several workers a task is spread, which it finds when it searches
 * again; the next task was removed only to be refused, and goes back to the front.
 */
uint32_t modular_child_ask(struct modular *s, struct modular_child *c, int worker)
{
	uint32_t task;

	if (c->spread.nworkers == 1)
		return pull(s, c);
	c->spread.target = worker;
	c->spread.left = 1;
	while ((task = pull(s, c)) != POLICY_NO_TASK) {
		if (!modular_spread_push(s, &c->spread, task)) {
			expect(s, c, task);
			ready_put_front(s->sorted, c->queue, task);
			break;
		}
	}
	c->spread.target = c->spread.left = -1;
	return POLICY_NO_TASK;
}
