/* replay/recorded.c - the schedule of a run, replayed: as it was, and by the rules of a simulation. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/recorded.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/scenario.h"
#include "sched/policy.h"

const char *const recorded_gap_names[GAP_COUNT] = {"submission", "other", "scheduling", "transfer", "unrecorded"};

/* What every worker executed, in that order: tasks[first[w]] .. tasks[first[w + 1] - 1]. */
struct worker_order {
	uint32_t *tasks, *first;
};

struct executed {
	int64_t start_ns, end_ns;
	uint32_t position; /* in the topological order */
	uint32_t task;
	int32_t worker;
};

static int by_worker_and_start(const void *a, const void *b)
{
	const struct executed *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/*
 * Of `nworkers` workers of the trace, from `first_worker` on. -1: a task was not executed by one of them. order_fini()
 * in any case.
 */
static int order_init(struct worker_order *o, const struct trace *t, const struct dag *d, int first_worker,
                      int nworkers)
{
	struct executed *x = ht_alloc(d->ntasks, sizeof(*x));
	uint32_t i = 0;

	o->tasks = ht_alloc((size_t)d->ntasks + 1, sizeof(*o->tasks));
	o->first = ht_alloc((size_t)nworkers + 1, sizeof(*o->first));
	for (; i < d->ntasks; i++) {
		uint32_t task = dag_in_order(d, i), at = d->tasks[task].trace_task;
		const struct trace_task *rec = at < t->ntasks ? &t->tasks[at] : NULL;
		int worker = rec ? rec->worker - first_worker : -1;

		if (worker < 0 || worker >= nworkers || rec->start_ns == TIME_NONE)
			break;
		x[i] = (struct executed){rec->start_ns, rec->end_ns, i, task, worker};
		o->first[worker + 1]++;
	}
	for (int w = 0; w < nworkers; w++)
		o->first[w + 1] += o->first[w];
	qsort(x, i, sizeof(*x), by_worker_and_start);
	for (uint32_t k = 0; k < i; k++)
		o->tasks[k] = x[k].task;
	free(x);
	return i == d->ntasks ? 0 : -1;
}

/* The place of each task in the order in which all tasks started, of a run for which order_init() returned 0. */
static uint32_t *turns_of(const struct trace *t, const struct dag *d)
{
	struct executed *x = ht_alloc(d->ntasks, sizeof(*x));
	uint32_t *turns = ht_alloc(d->ntasks, sizeof(*turns));

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t task = dag_in_order(d, i);
		const struct trace_task *rec = &t->tasks[d->tasks[task].trace_task];

		x[i] = (struct executed){rec->start_ns, rec->end_ns, i, task, 0};
	}
	qsort(x, d->ntasks, sizeof(*x), by_worker_and_start);
	for (uint32_t i = 0; i < d->ntasks; i++)
		turns[x[i].task] = i;
	free(x);
	return turns;
}

static void order_fini(struct worker_order *o)
{
	free(o->tasks);
	free(o->first);
}

struct replayed {
	int64_t start_ns, end_ns; /* recorded, from the first start */
	int64_t submit_ns;        /* same; TIME_NONE: not recorded */
	int64_t gap_ns[GAP_COUNT];
	uint32_t previous, next; /* on its worker; POLICY_NO_TASK */
	uint32_t after;          /* task whose end it waited for in the last walk(); POLICY_NO_TASK */
	int64_t base_ns;         /* when worker and predecessors let it start, in the last walk() */
};

struct replay {
	const struct trace *t;
	const struct dag *d;
	struct replayed *tasks;
	uint32_t *order; /* along dependencies and along workers */
	int64_t *end_ns; /* of the last walk() */
	struct recorded *out;
};

/*
 * How much earlier than `end_ns` of the one it follows the task started: 0 unless the recording says it did not wait.
 */
static int64_t lead_ns(const struct replayed *task, int64_t end_ns)
{
	return task->start_ns < end_ns ? end_ns - task->start_ns : 0;
}

/* A time of the recording, from the first start of the run. */
static int64_t from_start(int64_t ns, int64_t first_ns)
{
	return ns == TIME_NONE ? TIME_NONE : ns - first_ns;
}

/* Which tasks preceded and followed each other on a worker. */
static void chain_workers(struct replay *r, const struct worker_order *o)
{
	for (size_t w = 0; w < r->t->nworkers; w++) {
		for (uint32_t i = o->first[w]; i < o->first[w + 1]; i++) {
			struct replayed *x = &r->tasks[o->tasks[i]];

			x->previous = i == o->first[w] ? POLICY_NO_TASK : o->tasks[i - 1];
			x->next = i + 1 == o->first[w + 1] ? POLICY_NO_TASK : o->tasks[i + 1];
		}
	}
}

static const struct trace_task *recorded_task(const struct replay *r, uint32_t task)
{
	return &r->t->tasks[r->d->tasks[task].trace_task];
}

/* Fills in r->order: every task is after its predecessors and after the previous task of its worker. */
static int sort_tasks(struct replay *r, struct ht_err *err)
{
	const struct dag *d = r->d;
	uint32_t *left = ht_alloc(d->ntasks, sizeof(*left)), n = 0, t = 0;

	for (t = 0; t < d->ntasks; t++) {
		left[t] = dag_npred(d, t) + (r->tasks[t].previous != POLICY_NO_TASK);
		if (!left[t])
			r->order[n++] = t;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = r->tasks[r->order[i]].next;

		t = r->order[i];
		for (uint32_t k = d->succ_first[t]; k < d->succ_first[t + 1]; k++) {
			if (--left[d->succ[k]] == 0)
				r->order[n++] = d->succ[k];
		}
		if (next != POLICY_NO_TASK && --left[next] == 0)
			r->order[n++] = next;
	}
	for (t = 0; n < d->ntasks && !left[t]; t++)
		;
	free(left);
	if (n == d->ntasks)
		return 0;
	return ht_err_set(err, "task %" PRIu64 " (%s) was recorded before one that it depends on",
	                  (uint64_t)recorded_task(r, t)->job, d->types[dag_type_of(d, t)].name);
}

/* The end that a task waits for longest, from the ends in end_ns[]; sets after and base_ns. */
static void find_base(struct replay *r, uint32_t task, const int64_t *end_ns)
{
	struct replayed *x = &r->tasks[task];
	int64_t base = x->previous == POLICY_NO_TASK ? 0 : INT64_MIN;

	x->after = POLICY_NO_TASK;
	if (x->previous != POLICY_NO_TASK) {
		base = end_ns[x->previous] - lead_ns(x, r->tasks[x->previous].end_ns);
		x->after = x->previous;
	}
	for (uint32_t k = r->d->pred_first[task]; k < r->d->pred_first[task + 1]; k++) {
		uint32_t p = r->d->pred[k];
		int64_t end = end_ns[p] - lead_ns(x, r->tasks[p].end_ns);

		if (end > base) {
			base = end;
			x->after = p;
		}
	}
	x->base_ns = base;
}

/* The part of a wait that ends at `until`, when that is recorded and later than *at. */
static int64_t part(int64_t *at, int64_t until, int64_t start_ns)
{
	int64_t begin = *at;

	if (until == TIME_NONE || until <= begin)
		return 0;
	*at = until < start_ns ? until : start_ns;
	return *at - begin;
}

static void measure_gaps(struct replay *r, uint32_t task, int64_t first_ns)
{
	const struct trace_task *rec = recorded_task(r, task);
	const struct trace_extra *more = trace_extra(r->t, rec);
	struct replayed *x = &r->tasks[task];
	int64_t at = x->base_ns;
	enum arch a = r->t->workers[rec->worker].arch;

	x->gap_ns[GAP_SUBMISSION] = part(&at, x->submit_ns, x->start_ns);
	x->gap_ns[GAP_OTHER] = part(&at, from_start(more->ready_ns, first_ns), x->start_ns);
	if (more->pop_ns == TIME_NONE) {
		x->gap_ns[GAP_UNRECORDED] = x->start_ns - at;
	} else {
		x->gap_ns[GAP_SCHEDULING] = part(&at, from_start(more->pop_ns, first_ns), x->start_ns);
		x->gap_ns[GAP_TRANSFER] = x->start_ns - at;
	}
	for (int g = 0; g < GAP_COUNT; g++)
		r->out->gap_ns[g][a] += x->gap_ns[g];
}

static void take_recording(struct replay *r)
{
	int64_t first_ns, *end_ns = r->end_ns;

	r->out->run_makespan_ns = trace_makespan_ns(r->t, &first_ns);
	for (uint32_t i = 0; i < r->d->ntasks; i++) {
		const struct trace_task *rec = recorded_task(r, i);

		r->tasks[i].start_ns = rec->start_ns - first_ns;
		r->tasks[i].end_ns = end_ns[i] = rec->end_ns - first_ns;
		r->tasks[i].submit_ns = from_start(rec->submit_ns, first_ns);
	}
}

/* Before the first walk: end_ns[] are the recorded ends, so bases are those of the recording. */
static void take_gaps(struct replay *r)
{
	int64_t first_ns;

	trace_makespan_ns(r->t, &first_ns);
	for (uint32_t i = 0; i < r->d->ntasks; i++) {
		struct replayed *x = &r->tasks[i];

		find_base(r, i, r->end_ns);
		if (x->previous != POLICY_NO_TASK)
			r->out->overlap_ns += lead_ns(x, r->tasks[x->previous].end_ns);
		measure_gaps(r, i, first_ns);
	}
}

/* Replay with the gaps of `causes` (a bit each); the submission is a point in time, the other gaps are durations. */
static int64_t walk(struct replay *r, unsigned causes)
{
	int64_t makespan = 0;

	for (uint32_t i = 0; i < r->d->ntasks; i++) {
		uint32_t task = r->order[i];
		struct replayed *x = &r->tasks[task];
		int64_t start;

		find_base(r, task, r->end_ns);
		start = x->base_ns;
		if (causes >> GAP_SUBMISSION & 1 && x->submit_ns != TIME_NONE) {
			int64_t submitted = x->submit_ns < x->start_ns ? x->submit_ns : x->start_ns;

			start = submitted > start ? submitted : start;
		}
		for (int g = GAP_SUBMISSION + 1; g < GAP_COUNT; g++) {
			if (causes >> g & 1)
				start += x->gap_ns[g];
		}
		r->end_ns[task] = start + x->end_ns - x->start_ns;
		makespan = r->end_ns[task] > makespan ? r->end_ns[task] : makespan;
	}
	return makespan;
}

static void keep_schedule(struct replay *r)
{
	for (uint32_t i = 0; i < r->d->ntasks; i++) {
		const struct replayed *x = &r->tasks[i];

		r->out->tasks[i] = (struct execution_task){
			.submit_ns = dag_submit_ns(r->d, i),
			.ready_ns = x->base_ns,
			.start_ns = r->end_ns[i] - (x->end_ns - x->start_ns),
			.end_ns = r->end_ns[i],
			.type = dag_type_of(r->d, i),
			.item = i,
			.worker = recorded_task(r, i)->worker,
		};
	}
}

/*
 * After a walk with all gaps. A task's share of the chain is from its base to its end, less what the next one overlaps.
 */
static void sum_critical(struct replay *r)
{
	int64_t *waits = ht_alloc(r->d->ntasks, sizeof(*waits));
	uint32_t task = 0, before;

	for (uint32_t i = 1; i < r->d->ntasks; i++) {
		if (r->end_ns[i] > r->end_ns[task])
			task = i;
	}
	for (; task != POLICY_NO_TASK; task = before) {
		const struct replayed *x = &r->tasks[task];
		enum arch a = r->t->workers[recorded_task(r, task)->worker].arch;

		before = x->after;
		for (int g = 0; g < GAP_COUNT; g++)
			r->out->critical_gap_ns[g][a] += x->gap_ns[g];
		waits[r->out->critical_tasks] = x->gap_ns[GAP_OTHER] + x->gap_ns[GAP_SCHEDULING];
		r->out->critical_execution_ns += x->end_ns - x->start_ns;
		if (before != POLICY_NO_TASK)
			r->out->critical_execution_ns -= lead_ns(x, r->tasks[before].end_ns);
		r->out->critical_tasks++;
	}
	r->out->critical_wait_ns = stats_median(waits, r->out->critical_tasks);
	free(waits);
}

struct recorded *recorded_replay(const struct trace *t, const struct dag *d, struct ht_err *err)
{
	struct replay r = {.t = t, .d = d};
	const unsigned all = (1u << GAP_COUNT) - 1;
	struct worker_order order;
	int rc;

	r.tasks = ht_alloc(d->ntasks, sizeof(*r.tasks));
	r.order = ht_alloc(d->ntasks, sizeof(*r.order));
	r.end_ns = ht_alloc(d->ntasks, sizeof(*r.end_ns));
	r.out = ht_alloc(1, sizeof(*r.out));
	r.out->tasks = ht_alloc(d->ntasks, sizeof(*r.out->tasks));
	take_recording(&r);
	rc = order_init(&order, t, d, 0, (int)t->nworkers);
	assert(rc == 0); /* the graph has executed tasks only */
	chain_workers(&r, &order);
	order_fini(&order);
	rc = sort_tasks(&r, err);
	if (rc == 0) {
		take_gaps(&r);
		for (int g = 0; g < GAP_COUNT; g++)
			r.out->without_ns[g] = walk(&r, all & ~(1u << g));
		r.out->bare_ns = walk(&r, 0);
		r.out->makespan_ns = walk(&r, all);
		keep_schedule(&r);
		sum_critical(&r);
	}
	free(r.tasks);
	free(r.order);
	free(r.end_ns);
	if (rc != 0) {
		recorded_free(r.out);
		return NULL;
	}
	return r.out;
}

void recorded_free(struct recorded *r)
{
	if (!r)
		return;
	free(r->tasks);
	free(r);
}

/*
 * A simulation leaves things out and takes mean durations, so its makespan cannot be compared with a recorded one, but
 * it can with that of the recorded order in a simulation: the order is a policy, which gives every worker its
 * tasks in the order in which it executed them. Tasks that write the same data in any order do so in that of the run: a
 * worker would else wait for ever for a task whose data one behind another task has.
 */
struct schedule {
	const struct trace *trace;
	int prefetches; /* data was copied as soon as a task was ready */
};

struct schedule_state {
	struct policy_world world;
	const struct schedule *schedule;
	struct worker_order order;
	int first_worker; /* of the rank, in the trace */
	uint32_t *next;   /* per worker: into order.tasks[] */
	unsigned char *ready;
};

static void schedule_free(void *state)
{
	struct schedule_state *x = state;

	if (!x)
		return;
	order_fini(&x->order);
	free(x->next);
	free(x->ready);
	free(x);
}

/* Where the graph is that of one of several ranks, so is the machine. */
static int first_worker_of(const struct trace *t, const struct dag *d)
{
	int worker = t->tasks[d->tasks[0].trace_task].worker;

	while (worker > 0 && t->workers[worker - 1].rank == t->workers[worker].rank)
		worker--;
	return worker;
}

static void *schedule_create(const struct policy *self, const struct policy_world *w, const char *options,
                             struct ht_err *err)
{
	struct schedule_state *x = ht_alloc(1, sizeof(*x));
	const struct schedule *schedule = w->data;

	(void)self, (void)options;
	x->world = *w;
	x->schedule = schedule;
	x->first_worker = first_worker_of(schedule->trace, w->dag);
	if (order_init(&x->order, schedule->trace, w->dag, x->first_worker, w->machine->nworkers) != 0) {
		schedule_free(x);
		ht_err_set(err, "a task ran on none of the machine's %d workers", w->machine->nworkers);
		return NULL;
	}
	x->ready = ht_alloc(w->dag->ntasks, 1);
	x->next = ht_alloc((size_t)w->machine->nworkers, sizeof(*x->next));
	for (int i = 0; i < w->machine->nworkers; i++)
		x->next[i] = x->order.first[i];
	return x;
}

static void schedule_push(void *state, uint32_t task, int releaser)
{
	struct schedule_state *x = state;
	int worker = x->schedule->trace->tasks[x->world.dag->tasks[task].trace_task].worker - x->first_worker;

	(void)releaser;
	x->ready[task] = 1;
	if (x->schedule->prefetches && x->world.prefetch)
		x->world.prefetch(x->world.ctx, task, worker);
	if (x->order.tasks[x->next[worker]] == task)
		x->world.wake(x->world.ctx, worker);
}

static uint32_t schedule_pop(void *state, int worker)
{
	struct schedule_state *x = state;
	const struct worker_order *o = &x->order;
	uint32_t at = x->next[worker];

	if (at == o->first[worker + 1] || !x->ready[o->tasks[at]])
		return POLICY_NO_TASK;
	x->next[worker]++;
	return o->tasks[at];
}

static const struct policy policy_schedule = {
	.name = "recorded order",
	.summary = "what every worker executed in the run, in that order",
	.create = schedule_create,
	.free = schedule_free,
	.push = schedule_push,
	.pop = schedule_pop,
};

/* StarPU takes microseconds for a task. */
enum { MOST_OVERHEAD_NS = 1000000 };

struct task_size recorded_task_size(const struct recorded *r, const struct task_size *typical)
{
	struct task_size waited;

	if (r->critical_tasks < TASK_SIZE_LEAST || r->critical_wait_ns > MOST_OVERHEAD_NS)
		return *typical;
	waited = task_size_make(r->critical_execution_ns / r->critical_tasks, r->critical_wait_ns, typical->submit_ns);
	return waited.longer > typical->longer ? waited : *typical;
}

/* Whether the run's scheduler asked for copies before a worker took the task. */
static int has_prefetched(const struct trace *t)
{
	for (size_t i = 0; i < t->ncopies; i++) {
		if (t->copies[i].cause == COPY_TASK_PREFETCH)
			return 1;
	}
	return 0;
}

/* Whether every task has a cost on the worker that executed it: 0, or -1. */
static int check_costs(const struct trace *t, const struct dag *d, const struct machine *m, struct ht_err *err)
{
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t at = d->tasks[i].trace_task;
		int worker = at < t->ntasks ? t->tasks[at].worker : -1;
		enum arch a;

		if (worker < 0 || worker >= m->nworkers)
			return ht_err_set(err, "a task ran on none of the machine's %d workers", m->nworkers);
		a = m->workers[worker].arch;
		if (dag_cost(d, i, a) < 0)
			return ht_err_set(err, "a task of %s ran on %s, where its duration is not known",
			                  SHORT_NAME(d->types[dag_type_of(d, i)].name), arch_name(a));
	}
	return 0;
}

/* A window is a guess: where the order needs a task that it has not let through, submission is as recorded. */
static struct simulation *simulate_recorded(const struct dag *d, const struct machine *m, struct simulate_options *o,
                                            struct ht_err *err)
{
	struct simulation *s = o->window && o->window->most ? simulate(d, m, o, NULL) : NULL;

	if (!s) {
		o->window = NULL;
		s = simulate(d, m, o, err);
	}
	return s;
}

int64_t recorded_simulate(const struct trace *t, const struct dag *d, const struct machine *m,
                          const struct scenario *scenario, struct ht_err *err)
{
	const struct schedule schedule = {t, has_prefetched(t)};
	struct simulate_options o = {.policy = &policy_schedule, .policy_options = "", .policy_data = &schedule};
	struct simulation *s = NULL;
	uint32_t *turns = NULL;
	int64_t makespan;

	scenario_set(scenario, &o);
	if (check_costs(t, d, m, err) == 0) {
		o.turns = turns = turns_of(t, d);
		s = simulate_recorded(d, m, &o, err);
	}
	makespan = s ? s->makespan_ns : -1;
	free(turns);
	simulation_free(s);
	return makespan;
}
