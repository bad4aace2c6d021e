/* replay/schedule_rec.c - a simulated schedule as StarPU's replay reads one: sched.rec. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/schedule_rec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"

struct orders {
	const struct execution_task *tasks;
	const uint32_t *position; /* in the graph's topological order: of tasks that take no time */
	const uint32_t *submitted;
};

static int by_start(const void *a, const void *b, void *arg)
{
	const struct orders *o = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (o->tasks[x].start_ns != o->tasks[y].start_ns)
		return o->tasks[x].start_ns < o->tasks[y].start_ns ? -1 : 1;
	return o->position[x] < o->position[y] ? -1 : o->position[x] > o->position[y];
}

static int by_submission(const void *a, const void *b, void *arg)
{
	const struct orders *o = arg;
	uint32_t x = o->submitted[*(const uint32_t *)a], y = o->submitted[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

static int read_submission(const struct trace *t, const struct dag *d, uint32_t *submitted, struct ht_err *err)
{
	if (t->nranks > 1)
		return ht_err_set(err, "a schedule of %d ranks: StarPU's replay is of one", t->nranks);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *task = &t->tasks[d->tasks[i].trace_task];

		if (!task->submit_order)
			return ht_err_set(err, "job %" PRIu64 " has no SubmitOrder, by which StarPU's replay knows it",
			                  (uint64_t)task->job);
		submitted[i] = task->submit_order;
	}
	return 0;
}

int schedule_rec_write(FILE *f, const struct trace *t, const struct dag *d, int nworkers,
                       const struct execution_task *tasks, struct ht_err *err)
{
	uint32_t *order = ht_alloc(d->ntasks, sizeof(*order)), *position = ht_alloc(d->ntasks, sizeof(*position));
	uint32_t *submitted = ht_alloc(d->ntasks, sizeof(*submitted)), *place = ht_alloc(d->ntasks, sizeof(*place));
	uint32_t *count = ht_alloc((size_t)nworkers, sizeof(*count));
	struct orders o = {tasks, position, submitted};
	int rc = -1;

	if (read_submission(t, d, submitted, err) < 0)
		goto out;
	for (uint32_t i = 0; i < d->ntasks; i++) {
		position[dag_in_order(d, i)] = i;
		order[i] = i;
	}
	qsort_r(order, d->ntasks, sizeof(*order), by_start, &o);
	for (uint32_t i = 0; i < d->ntasks; i++)
		place[order[i]] = ++count[tasks[order[i]].worker];
	qsort_r(order, d->ntasks, sizeof(*order), by_submission, &o);
	for (uint32_t i = 0; i < d->ntasks; i++)
		fprintf(f, "SubmitOrder: %u\nSpecificWorker: %d\nWorkerorder: %u\n\n", (unsigned)submitted[order[i]],
		        (int)tasks[order[i]].worker, (unsigned)place[order[i]]);
	rc = 0;
out:
	free(order);
	free(position);
	free(submitted);
	free(place);
	free(count);
	return rc;
}
