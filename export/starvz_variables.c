/* export/starvz_variables.c - StarVZ's table of variables: tasks submitted and not ended, tasks ready. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/csv.h"
#include "core/base/stats.h"
#include "core/execution/execution.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "export/starvz.h"

struct variable {
	struct csv *c;
	const char *resource, *type;
};

/* How many of n have gone up and not yet down; both arrays get sorted. A row for each time at which that changes. */
static void put_count(const struct variable *v, int64_t *up, int64_t *down, size_t n)
{
	int64_t now = 0, since = 0;
	size_t u = 0, d = 0;

	stats_sort_i64(up, n);
	stats_sort_i64(down, n);
	while (d < n) {
		int64_t ns = u < n && up[u] < down[d] ? up[u] : down[d], was = now;

		for (; u < n && up[u] == ns; u++)
			now++;
		for (; d < n && down[d] == ns; d++)
			now--;
		if (now == was)
			continue;
		if (was) {
			csv_text(v->c, "Variable");
			csv_text(v->c, v->resource);
			csv_text(v->c, v->type);
			starvz_ms(v->c, since);
			starvz_ms(v->c, ns);
			starvz_ms(v->c, ns - since);
			csv_int(v->c, was);
			csv_end(v->c);
		}
		since = ns;
	}
}

static void put_rank(const struct starvz *s, struct csv *c, int rank)
{
	const struct execution *e = s->e;
	int64_t *up = ht_alloc(e->ntasks, sizeof(*up)), *down = ht_alloc(e->ntasks, sizeof(*down));
	char name[32] = "scheduler";
	size_t n = 0;

	if (rank >= 0)
		snprintf(name, sizeof(name), "%d_scheduler", rank);
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct trace_task *t = starvz_task(s, &e->tasks[i]);

		if (starvz_rank(s, e->tasks[i].worker) != rank || t->submit_ns == TIME_NONE)
			continue;
		up[n] = t->submit_ns < t->end_ns ? t->submit_ns : t->end_ns;
		down[n++] = t->end_ns;
	}
	put_count(&(struct variable){c, name, "Number of Submitted Uncompleted Tasks"}, up, down, n);
	n = 0;
	for (size_t i = 0; i < e->ntasks; i++) {
		if (starvz_rank(s, e->tasks[i].worker) != rank)
			continue;
		up[n] = e->tasks[i].ready_ns + e->origin_ns;
		down[n++] = e->tasks[i].start_ns + e->origin_ns;
	}
	put_count(&(struct variable){c, name, "Number of Ready Tasks"}, up, down, n);
	free(up);
	free(down);
}

void starvz_variables(const struct starvz *s, FILE *f)
{
	struct csv c = {.f = f};
	int ranks = s->run->trace->nranks;

	fputs("Nature,ResourceId,Type,Start,End,Duration,Value\n", f);
	for (int rank = 0; rank < ranks && ranks > 1; rank++)
		put_rank(s, &c, rank);
	if (ranks <= 1)
		put_rank(s, &c, -1);
}
