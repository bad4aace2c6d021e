/* compare/differences.c - where two recordings differ: by cause, type of task, state of the workers, and link. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compare/differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/report.h"
#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* While the rows are made. */
struct maker {
	struct differences *x;
	struct intern *names;
	struct idmap rows[DIFFERENCE_PARTS]; /* by name and architecture */
	int of;                              /* which recording */
};

/* Adds to the row of this name and architecture, which is made where there is none. */
static void add(struct maker *m, enum difference_part part, const char *name, enum arch arch, uint64_t count,
                double value)
{
	struct differences *x = m->x;
	uint64_t key = (uint64_t)intern_str(m->names, name) * (ARCH_COUNT + 1) + (uint64_t)(arch - ARCH_NONE);
	uint32_t at = idmap_get(&m->rows[part], key);

	if (at == IDMAP_NONE) {
		at = (uint32_t)x->count[part];
		idmap_put(&m->rows[part], key, at);
		*VEC_PUSH(x->at[part], x->count[part],
		          x->cap[part]) = (struct difference){.name = ht_strndup(name, strlen(name)), .arch = arch};
	}
	x->at[part][at].count[m->of] += count;
	x->at[part][at].value[m->of] += value;
}

static void add_causes(struct maker *m, const struct report *r)
{
	add(m, DIFFERENCE_CAUSE, "area bound", ARCH_NONE, 0, r->time_breakdown.bound_ns);
	for (int c = 0; c < TIME_CAUSES; c++)
		add(m, DIFFERENCE_CAUSE, time_cause_names[c], ARCH_NONE, 0, time_cause_ns(&r->time_breakdown.all, c));
}

static void add_types(struct maker *m, const struct report *r)
{
	for (uint32_t p = 0; p < r->metrics->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct metrics_executed *e = &r->input.executed[p][a];

			if (e->count)
				add(m, DIFFERENCE_TYPE, r->metrics->types[p].name, a, e->count,
				    e->mean_ns * (double)e->count);
		}
}

static void add_workers(struct maker *m, const struct report *r)
{
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		for (int s = 0; s < WORKER_STATES && r->times.arch_workers[a]; s++)
			add(m, DIFFERENCE_WORKER, worker_state_names[s], a, (uint64_t)r->times.arch_workers[a],
			    (double)r->times.arch[a].ns[s]);
}

static void add_links(struct maker *m, const struct report *r)
{
	for (size_t i = 0; i < r->copies.count; i++) {
		const struct copies_link *l = &r->copies.at[i];
		char name[96];

		add(m, DIFFERENCE_LINK, link_name(r->run->machine, l, name), ARCH_NONE, l->run.copies,
		    (double)l->run.bytes);
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
	struct arena *arena = arena_create();
	struct maker m = {.x = x, .names = intern_create(arena)};

	*x = (struct differences){.count = {0}};
	for (int i = 0; i < 2; i++) {
		m.of = i;
		if (first->time_breakdown.known && second->time_breakdown.known)
			add_causes(&m, of[i]);
		add_types(&m, of[i]);
		if (!first->times.unknown && !second->times.unknown)
			add_workers(&m, of[i]);
		add_links(&m, of[i]);
	}
	for (int p = 0; p < DIFFERENCE_PARTS; p++)
		idmap_fini(&m.rows[p]);
	intern_free(m.names);
	arena_free(arena);
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
