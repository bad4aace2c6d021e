/* compare/differences.c - where two recordings differ: by cause, type of task, state of the workers, and link. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compare/differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/report.h"
#include "core/base/alloc.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* Adds to the row of this name and architecture, which is made where there is none; `of`: which recording. */
static void add(struct differences *x, enum difference_part part, int of, const char *name, enum arch arch,
                uint64_t count, double value)
{
	struct difference *row = NULL;

	for (size_t i = 0; i < x->count[part] && !row; i++)
		if (x->at[part][i].arch == arch && strcmp(x->at[part][i].name, name) == 0)
			row = &x->at[part][i];
	if (!row) {
		row = VEC_PUSH(x->at[part], x->count[part], x->cap[part]);
		*row = (struct difference){.name = ht_strndup(name, strlen(name)), .arch = arch};
	}
	row->count[of] += count;
	row->value[of] += value;
}

static void add_causes(struct differences *x, int of, const struct report *r)
{
	add(x, DIFFERENCE_CAUSE, of, "area bound", ARCH_NONE, 0, r->time_breakdown.bound_ns);
	for (int c = 0; c < TIME_CAUSES; c++)
		add(x, DIFFERENCE_CAUSE, of, time_cause_names[c], ARCH_NONE, 0,
		    time_cause_ns(&r->time_breakdown.all, c));
}

static void add_types(struct differences *x, int of, const struct report *r)
{
	for (uint32_t p = 0; p < r->metrics->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct metrics_executed *e = &r->input.executed[p][a];

			if (e->count)
				add(x, DIFFERENCE_TYPE, of, r->metrics->types[p].name, a, e->count,
				    e->mean_ns * (double)e->count);
		}
}

static void add_workers(struct differences *x, int of, const struct report *r)
{
	for (enum arch a = 0; a < ARCH_COUNT && !r->times.unknown; a++)
		for (int s = 0; s < WORKER_STATES && r->times.arch_workers[a]; s++)
			add(x, DIFFERENCE_WORKER, of, worker_state_names[s], a, (uint64_t)r->times.arch_workers[a],
			    (double)r->times.arch[a].ns[s]);
}

static void add_links(struct differences *x, int of, const struct report *r)
{
	for (size_t i = 0; i < r->copies.count; i++) {
		const struct copies_link *l = &r->copies.at[i];
		char link[72], name[80];

		/* One machine describes the nodes of one rank only. */
		if (r->run->trace->nranks > 1)
			snprintf(name, sizeof(name), "%d: node %d > node %d", l->rank, l->from, l->to);
		else
			snprintf(name, sizeof(name), "%s", link_name(r->run->machine, l->from, l->to, link));
		add(x, DIFFERENCE_LINK, of, name, ARCH_NONE, l->run.copies, (double)l->run.bytes);
	}
}

static int by_difference(const void *pa, const void *pb)
{
	const struct difference *a = pa, *b = pb;
	double da = fabs(a->value[1] - a->value[0]), db = fabs(b->value[1] - b->value[0]);

	if (da != db)
		return da < db ? 1 : -1;
	return a->arch != b->arch ? (int)a->arch - (int)b->arch : strcmp(a->name, b->name);
}

void differences_init(struct differences *x, const struct report *first, const struct report *second)
{
	const struct report *const of[2] = {first, second};

	*x = (struct differences){.count = {0}};
	for (int i = 0; i < 2; i++) {
		if (first->time_breakdown.known && second->time_breakdown.known)
			add_causes(x, i, of[i]);
		add_types(x, i, of[i]);
		add_workers(x, i, of[i]);
		add_links(x, i, of[i]);
	}
	for (int p = 0; p < DIFFERENCE_PARTS; p++)
		if (x->count[p])
			qsort(x->at[p], x->count[p], sizeof(*x->at[p]), by_difference);
}

void differences_fini(struct differences *x)
{
	for (int p = 0; p < DIFFERENCE_PARTS; p++) {
		for (size_t i = 0; i < x->count[p]; i++)
			free(x->at[p][i].name);
		free(x->at[p]);
	}
}
