/* replay/recorded.c - a run replayed with its own order and durations: where its time went beside execution. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/recorded.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"

#define NOBODY UINT32_MAX

const char *const recorded_gap_names[GAP_COUNT] = {"submission", "other", "scheduling", "transfer", "unrecorded"};

struct replayed {
	int64_t start_ns, end_ns; /* recorded, from the first start */
	int64_t submit_ns;        /* same; TIME_NONE: not recorded */
	int64_t gap_ns[GAP_COUNT];
	uint32_t previous, next; /* on its worker; NOBODY */
	uint32_t after;          /* whose end it waited for in the last walk(); NOBODY */
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

/* A moment of a task, from the first start of the run. */
static int64_t moment(int64_t ns, int64_t first_ns)
{
	return ns == TIME_NONE ? TIME_NONE : ns - first_ns;
}

struct slot {
	int64_t start_ns, end_ns;
	uint32_t position, task;
	int32_t worker;
};

static int by_slot(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static const struct trace_task *recorded_task(const struct replay *r, uint32_t task)
{
	return &r->t->tasks[r->d->tasks[task].trace_task];
}

/* Who came before and after whom on each worker; equal times go by the topological order. */
static void chain_workers(struct replay *r)
{
	const struct dag *d = r->d;
	struct slot *slots = ht_alloc(d->ntasks, sizeof(*slots));

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t task = d->order[i];

		slots[i] = (struct slot){.start_ns = r->tasks[task].start_ns,
		                         .end_ns = r->tasks[task].end_ns,
		                         .position = i,
		                         .task = task,
		                         .worker = recorded_task(r, task)->worker};
	}
	qsort(slots, d->ntasks, sizeof(*slots), by_slot);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		int first = !i || slots[i - 1].worker != slots[i].worker;
		int last = i + 1 == d->ntasks || slots[i + 1].worker != slots[i].worker;

		r->tasks[slots[i].task].previous = first ? NOBODY : slots[i - 1].task;
		r->tasks[slots[i].task].next = last ? NOBODY : slots[i + 1].task;
	}
	free(slots);
}

/* r->order: every task behind its predecessors and behind the one before it on its worker. */
static int sort_tasks(struct replay *r, struct ht_err *err)
{
	const struct dag *d = r->d;
	uint32_t *left = ht_alloc(d->ntasks, sizeof(*left)), n = 0, t = 0;

	for (t = 0; t < d->ntasks; t++) {
		left[t] = dag_npred(d, t) + (r->tasks[t].previous != NOBODY);
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
		if (next != NOBODY && --left[next] == 0)
			r->order[n++] = next;
	}
	for (t = 0; n < d->ntasks && !left[t]; t++)
		;
	free(left);
	if (n == d->ntasks)
		return 0;
	return ht_err_set(err, "task %" PRIu64 " (%s) was recorded before one that it depends on",
	                  recorded_task(r, t)->job, d->types[d->tasks[t].type].name);
}

/* The end that a task waits for longest, from the ends in end_ns[]; sets after and base_ns. */
static void find_base(struct replay *r, uint32_t task, const int64_t *end_ns)
{
	struct replayed *x = &r->tasks[task];
	int64_t base = x->previous == NOBODY ? 0 : INT64_MIN;

	x->after = NOBODY;
	if (x->previous != NOBODY) {
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
	struct replayed *x = &r->tasks[task];
	int64_t at = x->base_ns;
	enum arch a = r->t->workers[rec->worker].arch;

	x->gap_ns[GAP_SUBMISSION] = part(&at, x->submit_ns, x->start_ns);
	x->gap_ns[GAP_OTHER] = part(&at, moment(rec->ready_ns, first_ns), x->start_ns);
	if (rec->pop_ns == TIME_NONE) {
		x->gap_ns[GAP_UNRECORDED] = x->start_ns - at;
	} else {
		x->gap_ns[GAP_SCHEDULING] = part(&at, moment(rec->pop_ns, first_ns), x->start_ns);
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
		r->tasks[i].submit_ns = moment(rec->submit_ns, first_ns);
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
		if (x->previous != NOBODY)
			r->out->overlap_ns += lead_ns(x, r->tasks[x->previous].end_ns);
		measure_gaps(r, i, first_ns);
	}
}

/* Replay with the gaps of `causes` (a bit each); the submission is a moment, the others are durations. */
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
		struct simulated_task *s = &r->out->tasks[i];

		s->end_ns = r->end_ns[i];
		s->start_ns = r->end_ns[i] - (x->end_ns - x->start_ns);
		s->ready_ns = x->base_ns;
		s->worker = recorded_task(r, i)->worker;
	}
}

/*
 * After a walk with all gaps. A task's share of the chain is from its base to its end, less what the next one overlaps.
 */
static void sum_critical(struct replay *r)
{
	uint32_t task = 0, before;

	for (uint32_t i = 1; i < r->d->ntasks; i++) {
		if (r->end_ns[i] > r->end_ns[task])
			task = i;
	}
	for (; task != NOBODY; task = before) {
		const struct replayed *x = &r->tasks[task];
		enum arch a = r->t->workers[recorded_task(r, task)->worker].arch;

		before = x->after;
		for (int g = 0; g < GAP_COUNT; g++)
			r->out->critical_gap_ns[g][a] += x->gap_ns[g];
		r->out->critical_execution_ns += x->end_ns - x->start_ns;
		if (before != NOBODY)
			r->out->critical_execution_ns -= lead_ns(x, r->tasks[before].end_ns);
		r->out->critical_tasks++;
	}
}

struct recorded *recorded_replay(const struct trace *t, const struct dag *d, struct ht_err *err)
{
	struct replay r = {.t = t, .d = d};
	const unsigned all = (1u << GAP_COUNT) - 1;
	int rc;

	r.tasks = ht_alloc(d->ntasks, sizeof(*r.tasks));
	r.order = ht_alloc(d->ntasks, sizeof(*r.order));
	r.end_ns = ht_alloc(d->ntasks, sizeof(*r.end_ns));
	r.out = ht_alloc(1, sizeof(*r.out));
	r.out->tasks = ht_alloc(d->ntasks, sizeof(*r.out->tasks));
	take_recording(&r);
	chain_workers(&r);
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
	if (rc < 0) {
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
