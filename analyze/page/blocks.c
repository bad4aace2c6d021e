/* analyze/page/blocks.c - what a chart of a page draws: tasks, or several of a worker together where there are many. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/blocks.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/execution/execution.h"
#include "core/execution/execution_waits.h"
#include "core/machine/machine.h"

static size_t lanes_of(const struct execution *e)
{
	size_t lanes = 0;

	for (int w = 0; w < e->machine->nworkers; w++)
		lanes += e->lanes[w];
	return lanes;
}

/* A lane has in each slice at most one block of tasks within it and, at its end, one that goes beyond. */
static int64_t slice_for(const struct execution *e, size_t most)
{
	size_t slices = most / (2 * lanes_of(e)) + 1;
	int64_t first = e->tasks[0].start_ns, last = first;

	for (size_t i = 0; i < e->ntasks; i++)
		last = e->tasks[i].end_ns > last ? e->tasks[i].end_ns : last;
	return (last - first) / (int64_t)slices + 1;
}

static void add_task(struct block *b, const struct execution *e, uint32_t i)
{
	const struct execution_task *t = &e->tasks[i], *longest = &e->tasks[b->task];

	if (!b->count++) {
		b->task = i;
		b->start_ns = t->start_ns;
	} else if (t->end_ns - t->start_ns > longest->end_ns - longest->start_ns) {
		b->task = i;
	}
	b->end_ns = t->end_ns > b->end_ns ? t->end_ns : b->end_ns;
}

/* Whether the block and the task lie in one slice, counted from the first start. */
static int share_slice(const struct blocks *b, const struct execution *e, const struct block *last,
                       const struct execution_task *t)
{
	int64_t first = e->tasks[0].start_ns;

	return b->slice_ns && (last->start_ns - first) / b->slice_ns == (t->end_ns - first) / b->slice_ns;
}

void blocks_init(struct blocks *b, const struct execution *e, size_t most)
{
	size_t lanes = (size_t)e->machine->nworkers * EXECUTION_LANES;
	uint32_t *of_task = ht_alloc(e->ntasks, sizeof(*of_task)), *open = ht_alloc(lanes, sizeof(*open));
	struct execution_wait *waits = execution_waits(e);

	*b = (struct blocks){.slice_ns = e->ntasks > most ? slice_for(e, most) : 0};
	for (size_t i = 0; i < lanes; i++)
		open[i] = EXECUTION_NONE;
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct execution_task *t = &e->tasks[i];
		uint32_t *last = &open[(size_t)t->worker * EXECUTION_LANES + t->lane];

		if (*last == EXECUTION_NONE || !share_slice(b, e, &b->at[*last], t)) {
			*last = (uint32_t)b->n;
			VEC_PUSH(b->at, b->n, b->cap);
		}
		add_task(&b->at[*last], e, (uint32_t)i);
		of_task[i] = *last;
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct execution_wait *w = &waits[b->at[i].task];

		b->at[i].after = w->after == EXECUTION_NONE || of_task[w->after] == i ? EXECUTION_NONE :
		                                                                        of_task[w->after];
		b->at[i].since_ns = w->since_ns;
		b->at[i].cause = w->cause;
	}
	free(of_task);
	free(open);
	free(waits);
}

void blocks_fini(struct blocks *b)
{
	free(b->at);
	*b = (struct blocks){0};
}
