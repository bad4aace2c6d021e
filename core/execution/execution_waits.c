/* core/execution/execution_waits.c - what each task of an execution waited for last, and the chain that ends last. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/execution/execution_waits.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

const char *const execution_cause_names[CAUSE_COUNT] = {"nothing", "its submission", "a task", "its worker"};

/* An end after the start, of a pipelined device, is no wait. */
static int64_t end_before(const struct execution *e, uint32_t i, int64_t start_ns)
{
	int64_t end = i == EXECUTION_NONE ? INT64_MIN : e->tasks[i].end_ns;

	return end < start_ns ? end : start_ns;
}

/* Of the tasks that `item` of the graph depends on the one that ended last. */
static uint32_t last_predecessor(const struct execution *e, const uint32_t *of_item, uint32_t item)
{
	const struct dag *d = e->dag;
	uint32_t last = EXECUTION_NONE;

	for (uint32_t k = d->pred_first[item]; k < d->pred_first[item + 1]; k++) {
		uint32_t i = of_item[d->pred[k]];

		if (i != EXECUTION_NONE && (last == EXECUTION_NONE || e->tasks[i].end_ns > e->tasks[last].end_ns))
			last = i;
	}
	return last;
}

/* Of the last tasks in the lanes of a worker, those that had ended at `start_ns`, the last one. */
static uint32_t last_on_worker(const struct execution *e, const uint32_t *lanes, int64_t start_ns)
{
	uint32_t last = EXECUTION_NONE;

	for (int lane = 0; lane < EXECUTION_LANES; lane++) {
		uint32_t i = lanes[lane];

		if (i != EXECUTION_NONE && e->tasks[i].end_ns <= start_ns &&
		    (last == EXECUTION_NONE || e->tasks[i].end_ns > e->tasks[last].end_ns))
			last = i;
	}
	return last;
}

static struct execution_wait wait_of(const struct execution *e, const struct execution_task *t, uint32_t pred,
                                     uint32_t prev)
{
	int64_t pred_end = end_before(e, pred, t->start_ns), prev_end = end_before(e, prev, t->start_ns);
	int by_task = pred_end >= prev_end;
	struct execution_wait w = {by_task ? pred : prev, CAUSE_NOTHING, by_task ? pred_end : prev_end};

	if (w.after != EXECUTION_NONE)
		w.cause = by_task ? CAUSE_TASK : CAUSE_WORKER;
	if (t->submit_ns != TIME_NONE && t->submit_ns > w.since_ns) {
		w.cause = CAUSE_SUBMISSION;
		w.since_ns = t->submit_ns < t->start_ns ? t->submit_ns : t->start_ns;
	}
	return w;
}

struct execution_wait *execution_waits(const struct execution *e)
{
	struct execution_wait *waits = ht_alloc(e->ntasks, sizeof(*waits));
	size_t lanes = (size_t)e->machine->nworkers * EXECUTION_LANES;
	uint32_t *of_item = ht_alloc(e->dag->ntasks, sizeof(*of_item)), *last = ht_alloc(lanes, sizeof(*last));

	for (uint32_t i = 0; i < e->dag->ntasks; i++)
		of_item[i] = EXECUTION_NONE;
	for (size_t i = 0; i < lanes; i++)
		last[i] = EXECUTION_NONE;
	for (size_t i = 0; i < e->ntasks; i++)
		of_item[e->tasks[i].item] = (uint32_t)i;
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct execution_task *t = &e->tasks[i];
		uint32_t *worker = &last[(size_t)t->worker * EXECUTION_LANES];

		waits[i] = wait_of(e, t, last_predecessor(e, of_item, t->item), last_on_worker(e, worker, t->start_ns));
		worker[t->lane] = (uint32_t)i;
	}
	free(of_item);
	free(last);
	return waits;
}

/* Tasks without a length can wait for each other at one time: no chain is longer than all tasks. */
uint32_t *execution_chain(const struct execution *e, const struct execution_wait *waits, size_t *n)
{
	uint32_t *chain = ht_alloc(e->ntasks, sizeof(*chain)), last = EXECUTION_NONE;

	for (size_t i = 0; i < e->ntasks; i++)
		if (last == EXECUTION_NONE || e->tasks[i].end_ns > e->tasks[last].end_ns)
			last = (uint32_t)i;
	for (*n = 0; last != EXECUTION_NONE && *n < e->ntasks; last = waits[last].after)
		chain[(*n)++] = last;
	for (size_t i = 0; i < *n / 2; i++) {
		uint32_t swap = chain[i];

		chain[i] = chain[*n - 1 - i];
		chain[*n - 1 - i] = swap;
	}
	return chain;
}
