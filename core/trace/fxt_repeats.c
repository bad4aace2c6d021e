/* core/trace/fxt_repeats.c - tasks that are executed more than once: each execution as a task of its own. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The object of a task can be submitted again when it has been executed, and StarPU does so by itself if it is to be
 * regenerated, or if it waited within itself (StarPU 1.4.10, jobs.c and task.c). All of its executions have one job id.
 *
 * Each waits for the one before. What the program has declared once, before the first submission, holds for all: the
 * n-th execution of a task waits for the one of its predecessor that ended last before it, and a predecessor that
 * regenerates itself waits for the tasks that wait for it (task_deps.c: "Make sure we don't regenerate the dependency
 * before this task is finished").
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/trace/fxt_reader.h"

struct repeats {
	struct fxt_reader *r;
	struct trace *t;
	uint32_t *next;            /* per task: its next execution; TRACE_NONE */
	uint8_t *is_repeated;      /* per task: there are several */
	uint8_t *is_first;         /* of these */
	uint8_t *is_by_itself;     /* StarPU has submitted it again */
	uint8_t *has_predecessors; /* beside the execution before */
};

int fxt_is_over(struct fxt_reader *r, uint32_t task, int by_itself)
{
	int has_ended = r->b.t->tasks[task].end_ns != TIME_NONE,
	    is_done = trace_build_extra(&r->b, task)->done_ns != TIME_NONE;

	/* A callback of the task may submit it, before it is done. */
	return by_itself ? has_ended && is_done : has_ended || is_done;
}

uint32_t fxt_repeat(struct fxt_reader *r, uint32_t task, int by_itself)
{
	uint32_t again = trace_build_task_again(&r->b, task);
	struct trace_task *x = &r->b.t->tasks[again];
	const struct trace_task *before = &r->b.t->tasks[task];
	struct trace_extra *extra = trace_build_extra(&r->b, again);
	const struct trace_extra *extra_before = &r->b.t->extras[task];

	x->priority = before->priority;
	x->kind = before->kind;
	extra->excluded = extra_before->excluded;
	memcpy(extra->iteration, extra_before->iteration, sizeof(extra->iteration));
	idmap_put(&r->repeat_of, again, (uint32_t)r->nrepeats);
	*VEC_PUSH(r->repeats, r->nrepeats, r->cap_repeats) = (struct fxt_repeat){task, again, by_itself};
	return again;
}

uint32_t fxt_done_task(struct fxt_reader *r, uint32_t task)
{
	uint32_t i = r->nrepeats ? idmap_get(&r->repeat_of, task) : IDMAP_NONE, before;

	if (i == IDMAP_NONE || r->b.t->tasks[task].end_ns != TIME_NONE)
		return task;
	before = r->repeats[i].before;
	return trace_build_extra(&r->b, before)->done_ns == TIME_NONE ? before : task;
}

/* A task without a codelet begins and ends when it is done. */
static int64_t began_ns(const struct repeats *p, uint32_t task)
{
	int64_t ns = p->t->tasks[task].start_ns;

	return ns != TIME_NONE ? ns : trace_extra(p->t, &p->t->tasks[task])->done_ns;
}

static int64_t ended_ns(const struct repeats *p, uint32_t task)
{
	int64_t ns = p->t->tasks[task].end_ns;

	return ns != TIME_NONE ? ns : trace_extra(p->t, &p->t->tasks[task])->done_ns;
}

static int is_before(const struct repeats *p, uint32_t a, uint32_t b)
{
	int64_t ended = ended_ns(p, a), began = began_ns(p, b);

	return ended != TIME_NONE && began != TIME_NONE && (ended < began || (ended == began && a < b));
}

static void add_dep(struct repeats *p, uint32_t pred, uint32_t succ)
{
	trace_build_dep(&p->r->b, pred, succ, DEP_TASK);
	p->has_predecessors[succ] = 1;
}

/* A dependency of first executions, for the others. Those of both tasks are gone through in the order of time. */
static void extend_dep(struct repeats *p, size_t dep)
{
	uint32_t pred = p->t->deps[dep].pred, first = p->t->deps[dep].succ, next;

	for (uint32_t succ = first; succ != TRACE_NONE; succ = p->next[succ]) {
		while ((next = p->next[pred]) != TRACE_NONE && is_before(p, next, succ))
			pred = next;
		if (succ == first)
			p->t->deps[dep].pred = pred;
		else if (is_before(p, pred, succ))
			add_dep(p, pred, succ);
		if (next != TRACE_NONE && p->is_by_itself[next] && is_before(p, succ, next))
			add_dep(p, succ, next);
	}
}

static void extend_deps(struct repeats *p, size_t first_dep)
{
	size_t ndeps = p->t->ndeps;

	for (size_t i = first_dep; i < ndeps; i++) {
		const struct trace_dep *d = &p->t->deps[i];

		if (d->kind != DEP_END)
			p->has_predecessors[d->succ] = 1;
		if (d->kind != DEP_END && p->is_repeated[d->pred] && (!p->is_repeated[d->succ] || p->is_first[d->succ]))
			extend_dep(p, i);
	}
}

/*
 * StarPU submits a task again as soon as it is done. One that has waited within itself is pushed when what it waited
 * for has ended, which the recording does not have as dependencies.
 */
static void set_submission(const struct repeats *p, const struct fxt_repeat *x)
{
	struct trace_task *task = &p->t->tasks[x->task];
	struct trace_extra *extra = &p->t->extras[x->task];
	const struct trace_extra *before = &p->t->extras[x->before];

	if (!x->by_itself || task->submit_ns != TIME_NONE)
		return;
	extra->is_released = 1;
	task->submit_ns = extra->ready_ns != TIME_NONE ? extra->ready_ns : task->start_ns;
	if (p->has_predecessors[x->task] && before->done_ns != TIME_NONE && before->done_ns < task->submit_ns)
		task->submit_ns = before->done_ns;
}

/* Numbers after those of the recording, since a job is known by its number. */
static void number(const struct repeats *p)
{
	uint64_t last = 0;

	for (size_t i = 0; i < p->t->ntasks; i++) {
		const struct trace_task *x = &p->t->tasks[i];

		if ((int)x->rank == p->r->rank && x->job > last && !fxt_is_tag_node(x))
			last = x->job;
	}
	for (size_t i = 0; i < p->r->nrepeats; i++)
		p->t->tasks[p->r->repeats[i].task].job = last + 1 + i;
}

void fxt_join_repeats(struct fxt_reader *r, size_t first_dep)
{
	struct repeats p = {.r = r, .t = r->b.t};
	size_t n = r->b.t->ntasks;

	if (!r->nrepeats)
		return;
	p.next = ht_alloc(n, sizeof(*p.next));
	p.is_repeated = ht_alloc(4 * n, 1);
	p.is_first = p.is_repeated + n;
	p.is_by_itself = p.is_first + n;
	p.has_predecessors = p.is_by_itself + n;
	memset(p.next, 0xff, n * sizeof(*p.next));
	trace_build_extra(&r->b, (uint32_t)n - 1); /* of all tasks, from here on */
	for (size_t i = 0; i < r->nrepeats; i++) {
		const struct fxt_repeat *x = &r->repeats[i];

		p.is_first[x->before] = !p.is_repeated[x->before];
		p.is_repeated[x->before] = p.is_repeated[x->task] = 1;
		p.is_by_itself[x->task] = x->by_itself;
		p.next[x->before] = x->task;
	}
	extend_deps(&p, first_dep);
	for (size_t i = 0; i < r->nrepeats; i++) {
		trace_build_dep(&r->b, r->repeats[i].before, r->repeats[i].task, DEP_TASK);
		set_submission(&p, &r->repeats[i]);
	}
	number(&p);
	free(p.next);
	free(p.is_repeated);
}
