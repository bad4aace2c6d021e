/* replay/schedule_text.c - a predicted schedule as lines of text. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/schedule_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"

static int by_start(const void *a, const void *b, void *arg)
{
	const struct execution_task *tasks = arg, *x = &tasks[*(const uint32_t *)a], *y = &tasks[*(const uint32_t *)b];

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

void schedule_text_write(FILE *f, const struct trace *t, const struct dag *d, const struct execution_task *tasks)
{
	uint32_t *order = ht_alloc(d->ntasks, sizeof(*order));

	for (uint32_t i = 0; i < d->ntasks; i++)
		order[i] = i;
	qsort_r(order, d->ntasks, sizeof(*order), by_start, (void *)tasks);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct execution_task *s = &tasks[order[i]];
		const struct dag_task *x = &d->tasks[order[i]];

		fprintf(f, "%" PRIu64 " %s %d %" PRId64 " %" PRId64 "\n", (uint64_t)t->tasks[x->trace_task].job,
		        d->types[dag_type_of(d, order[i])].name, (int)s->worker, s->start_ns, s->end_ns);
	}
	free(order);
}
