/* replay/sim/sim.c - a simulation under way: what happens to its tasks, whichever loop it runs in. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/sim.h"

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/memory/memory.h"
#include "replay/sim/commute.h"
#include "replay/sim/jitter.h"
#include "replay/sim/window.h"
#include "sched/policy.h"

int32_t sim_priority(const struct sim *s, uint32_t task)
{
	return s->policy->priority ? s->policy->priority(s->state, task) : s->d->tasks[task].priority;
}

static int set_ready(struct sim *s, uint32_t task)
{
	if (s->out->tasks)
		s->out->tasks[task].ready_ns = s->now;
	return 1;
}

int sim_release(struct sim *s, uint32_t task)
{
	if (--s->pending[task])
		return 0;
	return (!s->commute || commute_acquire(s->commute, task, s->d->tasks[task].priority)) && set_ready(s, task);
}

struct sim_ended sim_end(struct sim *s, uint32_t task)
{
	s->pending[task] = SIM_ENDED;
	if (s->ended)
		s->ended(s->ended_ctx, task);
	return (struct sim_ended){.task = task,
	                          .succ = s->d->succ_first[task],
	                          .commuter = s->commute ? commute_release(s->commute, task) : COMMUTE_NONE};
}

uint32_t sim_next_ready(struct sim *s, struct sim_ended *e)
{
	uint32_t task = e->commuter;

	if (task != COMMUTE_NONE) {
		e->commuter = commute_next(s->commute, task);
		set_ready(s, task);
		return task;
	}
	while (e->succ < s->d->succ_first[e->task + 1]) {
		task = s->d->succ[e->succ++];
		if (sim_release(s, task))
			return task;
	}
	return POLICY_NO_TASK;
}

static uint32_t submission_at(const struct sim *s, uint32_t i)
{
	return s->submission ? s->submission[i] : i;
}

static const struct dag_wait *next_wait(const struct sim *s)
{
	return s->wait < s->d->nwaits && s->d->waits[s->wait].before == s->nsubmitted ? &s->d->waits[s->wait] : NULL;
}

/* Whether the submitting thread has what it waits for; then it goes on some time later. */
static int has_waited(struct sim *s)
{
	const struct dag_wait *w;

	while ((w = next_wait(s))) {
		if (s->submit_ns > s->now)
			return 1; /* it does not wait yet */
		while (s->waited < w->count) {
			if (s->pending[s->d->wait_tasks[w->first + s->waited]] != SIM_ENDED)
				return 0;
			s->waited++;
		}
		if (w->handle != DAG_NO_HANDLE && !memory_acquire(s->memory, w->handle))
			return 0;
		s->submit_ns = s->now + w->after_ns;
		s->waited = 0;
		s->wait++;
	}
	return 1;
}

/* The submitting thread goes on when the tasks that it waits for have ended. */
static int64_t next_in_window(struct sim *s)
{
	if (!has_waited(s))
		return INT64_MAX;
	if (s->waits && s->nsubmitted - s->executed > s->window->least)
		return INT64_MAX;
	if (s->waits && s->submit_ns < s->now + s->window->after_ns)
		s->submit_ns = s->now + s->window->after_ns;
	s->waits = 0;
	return s->submit_ns;
}

int64_t sim_next_submission_ns(struct sim *s)
{
	if (s->nsubmitted == s->d->ntasks)
		return INT64_MAX;
	if (s->window)
		return next_in_window(s);
	return s->ignore_submission ? 0 : dag_submit_ns(s->d, submission_at(s, s->nsubmitted));
}

int sim_is_submitted(const struct sim *s, uint32_t task)
{
	int64_t ns = dag_submit_ns(s->d, task), last_ns;
	uint32_t last;

	if (!s->submission || !s->nsubmitted)
		return task < s->nsubmitted;
	last = submission_at(s, s->nsubmitted - 1);
	last_ns = dag_submit_ns(s->d, last);
	return ns != last_ns ? ns < last_ns : task <= last;
}

uint32_t sim_submit(struct sim *s)
{
	uint32_t task = submission_at(s, s->nsubmitted++);

	if (s->out->tasks && (s->window || s->ignore_submission))
		s->out->tasks[task].submit_ns = s->window ? s->submit_ns : 0;
	if (s->window && s->nsubmitted < s->d->ntasks) {
		const int64_t *gap_ns = s->window->gap_ns;

		s->submit_ns += next_wait(s) ? next_wait(s)->until_ns : gap_ns ? gap_ns[s->nsubmitted] : 0;
		s->waits = s->window->most && s->nsubmitted - s->executed >= s->window->most;
	}
	return task;
}

static int64_t duration(const struct sim *s, uint32_t task, int worker)
{
	enum arch a = s->m->workers[worker].arch;
	int64_t mean_ns = dag_cost_on(s->d, task, a, s->device[worker]);

	return s->jitter ? jitter_ns(s->jitter, s->global ? s->global[task] : task, a, mean_ns) : mean_ns;
}

/* Whether the worker has executed a task of the class; from now on it has. */
static int was_warm(struct sim *s, uint32_t class_id, int worker)
{
	size_t bit = (size_t)class_id * (size_t)s->m->nworkers + (size_t)worker;
	int was = s->warm[bit / 8] >> bit % 8 & 1;

	s->warm[bit / 8] |= (uint8_t)(1u << bit % 8);
	return was;
}

/* By how much the other CPUs that execute from `from` on lengthen a task of the class. */
static double company_ns(const struct sim *s, const struct dag_class *c, int worker, int64_t from)
{
	int others = 0;

	for (int w = 0; w < s->m->nworkers; w++)
		others += w != worker && s->m->workers[w].arch == ARCH_CPU && s->workers[w].free_ns > from;
	others = others < c->company_most ? others : c->company_most;
	return others > c->company_least ? (double)c->company_ns * (others - c->company_least) : 0;
}

/* What a task that starts then takes beyond the cost of its class (core/dag/dag_timings.c). */
static int64_t extra_ns(struct sim *s, uint32_t task, int worker, int64_t from)
{
	uint32_t class_id = s->d->tasks[task].class_id;
	const struct dag_class *c = &s->d->classes[class_id];
	enum arch a = s->m->workers[worker].arch;
	double ns = 0;

	if (s->warm && !was_warm(s, class_id, worker))
		ns += (double)c->warm_up_ns[a];
	if (a == ARCH_CPU && c->company_ns > 0)
		ns += company_ns(s, c, worker, from);
	return ns < (double)TIME_LIMIT ? (int64_t)ns : TIME_LIMIT;
}

/* sim_take() has checked the cost and the times. */
void sim_start(struct sim *s, const struct pipelined_task *x, int worker)
{
	enum arch a = s->m->workers[worker].arch;
	struct sim_worker *w = &s->workers[worker];
	uint32_t task = x->task;
	int64_t from = x->launch_ns > w->free_ns ? x->launch_ns : w->free_ns;
	int64_t cost = x->cost_ns + extra_ns(s, task, worker, from);
	int64_t wait_ns = from - (x->popped_ns > w->free_ns ? x->popped_ns : w->free_ns);

	/* Absurd sizes over absurdly slow links: the sum stays at its limit. */
	if (__builtin_add_overflow(s->out->wait_ns[a], wait_ns, &s->out->wait_ns[a]))
		s->out->wait_ns[a] = INT64_MAX;
	if (s->out->tasks) {
		s->out->tasks[task].start_ns = from;
		s->out->tasks[task].end_ns = from + cost;
		s->out->tasks[task].wait_ns = wait_ns;
		s->out->tasks[task].worker = worker;
	}
	w->running = task;
	w->free_ns = from + cost;
	s->out->worker_busy_ns[worker] += cost;
	s->out->busy_ns[a] += cost;
	s->out->executed[a]++;
}

int sim_take(struct sim *s, uint32_t task, int worker, struct ht_err *err)
{
	enum arch a = s->m->workers[worker].arch;
	struct sim_worker *w = &s->workers[worker];
	int64_t cost, from = w->free_ns > s->now ? w->free_ns : s->now;

	if (task >= s->d->ntasks || s->pending[task] != 0)
		return ht_err_set(err, "policy %s gave worker %d task %u, which is not ready", s->policy->name, worker,
		                  (unsigned)task);
	cost = duration(s, task, worker);
	if (cost < 0)
		return ht_err_set(err, "policy %s gave worker %d (%s) task %u (%s), which cannot run there",
		                  s->policy->name, worker, arch_name(a), (unsigned)task,
		                  s->d->types[dag_type_of(s->d, task)].name);
	if (cost > SIM_END_OF_TIME - from)
		return ht_err_set(err, "the simulated time is more than 146 years at task %u", (unsigned)task);
	s->pending[task] = SIM_STARTED;
	w->fetching = (struct pipelined_task){.task = task, .cost_ns = cost, .popped_ns = s->now};
	return 0;
}
