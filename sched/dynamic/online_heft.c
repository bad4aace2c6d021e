/* sched/dynamic/online_heft.c - HEFT without knowing the graph: a ready task goes to the worker that ends it first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a report on communication times in XKaapi (Inria, 2013) compares offline HEFT with, section 3: the graph is not
 * known, so that tasks cannot be sorted. When one becomes ready it goes to the worker with the smallest
 *
 *   end(t,w) = max(free(w), now + copies(t,w)) + length(t,w)
 *
 * where free(w) is when the worker will have ended what it has been given, and copies(t,w) what the copies of the data
 * that the worker's node lacks are predicted to take now. Unlike dmda there is no second term for copies, and no
 * factor.
 *
 * order=push is that: workers execute in the order in which they were given. order=rank lets them take the task of the
 * highest upward rank first (rank.h), which an application can give as priorities; the choice of the worker stays.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/queue/scoreheap.h"

struct online_worker {
	struct scoreheap queue;
	double given;       /* ns: of the tasks given to it and not started, lengths and waits */
	double running_end; /* of the last task that it started */
};

struct online {
	struct policy_world world;
	struct ranks ranks;
	int by_rank;
	struct online_worker *workers;
	double *given;     /* per task: what it adds to its worker's `given` */
	double *copies_to; /* per node, of the task that is pushed; NAN: not asked yet */
};

static void online_free(void *state)
{
	struct online *s = state;

	if (!s)
		return;
	for (int i = 0; i < s->world.machine->nworkers; i++)
		scoreheap_fini(&s->workers[i].queue);
	ranks_fini(&s->ranks);
	free(s->workers);
	free(s->given);
	free(s->copies_to);
	free(s);
}

struct online_knobs {
	int by_rank;
};

static const struct knob knobs[] = {WORD_KNOB(online_knobs, by_rank, "order", "push|rank", 0), LAST_KNOB};

static void *online_create(const struct policy *self, const struct policy_world *w, const char *options,
                           struct ht_err *err)
{
	struct online_knobs k;
	struct online *s;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	s->by_rank = k.by_rank;
	s->workers = ht_alloc((size_t)w->machine->nworkers, sizeof(*s->workers));
	if (k.by_rank && ranks_init(&s->ranks, w->dag, w->machine, err) != 0) {
		free(s->workers);
		free(s);
		return NULL;
	}
	s->given = ht_alloc(w->dag->ntasks, sizeof(*s->given));
	s->copies_to = ht_alloc((size_t)w->machine->nnodes, sizeof(*s->copies_to));
	return s;
}

static double copies_ns(struct online *s, uint32_t task, int worker)
{
	double *known = &s->copies_to[s->world.machine->workers[worker].node];

	if (!s->world.transfer_ns)
		return 0;
	if (isnan(*known))
		*known = (double)s->world.transfer_ns(s->world.ctx, task, worker);
	return *known;
}

static void online_push(void *state, uint32_t task, int releaser)
{
	struct online *s = state;
	const struct machine *m = s->world.machine;
	double now = (double)s->world.now(s->world.ctx), best_end = INFINITY, best_free = 0;
	int best = -1;

	(void)releaser;
	for (int i = 0; i < m->nnodes; i++)
		s->copies_to[i] = NAN;
	for (int i = 0; i < m->nworkers; i++) {
		int64_t length = policy_cost_ns(&s->world, task, i);
		double at = fmax(s->workers[i].running_end, now) + s->workers[i].given, end;

		if (length < 0)
			continue;
		end = fmax(at, now + copies_ns(s, task, i)) + (double)length;
		if (end < best_end) {
			best = i;
			best_end = end;
			best_free = at;
		}
	}
	s->given[task] = best_end - best_free;
	s->workers[best].given += s->given[task];
	scoreheap_put(&s->workers[best].queue, s->by_rank ? s->ranks.upward_ns[task] : 0, task);
	if (s->world.prefetch)
		s->world.prefetch(s->world.ctx, task, best);
	s->world.wake(s->world.ctx, best);
}

static uint32_t online_pop(void *state, int worker)
{
	struct online *s = state;
	struct scoreheap *q = &s->workers[worker].queue;

	return q->count ? scoreheap_take(q) : POLICY_NO_TASK;
}

static void online_started(void *state, uint32_t task, int worker)
{
	struct online *s = state;
	struct online_worker *w = &s->workers[worker];
	double length = (double)policy_cost_ns(&s->world, task, worker);

	w->given = fmax(w->given - s->given[task], 0); /* what is left of sums of many numbers may be a little below */
	w->running_end = fmax((double)s->world.now(s->world.ctx), w->running_end) + length;
}

static void online_done(void *state, uint32_t task, int worker)
{
	struct online *s = state;

	(void)task;
	s->workers[worker].running_end = (double)s->world.now(s->world.ctx);
}

const struct policy policy_online_heft = {
	.name = "online-heft",
	.summary = "a ready task goes to the worker that ends it first, copies included (XKaapi)",
	.knobs = knobs,
	.create = online_create,
	.free = online_free,
	.push = online_push,
	.pop = online_pop,
	.started = online_started,
	.done = online_done,
};
