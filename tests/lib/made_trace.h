/* tests/lib/made_trace.h - a trace made by hand: rows of times. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_MADE_TRACE_H
#define TESTS_LIB_MADE_TRACE_H

#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/trace/trace.h"

struct row { /* a task: times, type, worker */
	int64_t submit, ready, pop, start, end;
	uint32_t type;
	int worker;
};

/* Types are called type00, type01, ...; workers are CPUs. */
static inline struct trace *trace_of(const struct row *rows, size_t n, uint32_t ntypes, size_t nworkers)
{
	struct arena *a = arena_create();
	struct trace *t = ht_alloc(1, sizeof(*t));

	t->arena = a;
	t->strings = intern_create(a);
	t->nranks = 1;
	t->tasks = arena_alloc(a, n, sizeof(*t->tasks));
	t->extras = arena_alloc(a, n, sizeof(*t->extras));
	t->ntasks = n;
	t->codelets = arena_alloc(a, ntypes, sizeof(*t->codelets));
	t->ncodelets = ntypes;
	t->workers = arena_alloc(a, nworkers, sizeof(*t->workers));
	t->nworkers = nworkers;
	for (uint32_t i = 0; i < ntypes; i++) {
		char name[16];

		snprintf(name, sizeof(name), "type%02u", i);
		t->codelets[i].label = intern_str(t->strings, name);
	}
	for (size_t i = 0; i < n; i++) {
		struct trace_task *k = &t->tasks[i];

		k->job = i;
		k->submit_ns = rows[i].submit;
		t->extras[i] = (struct trace_extra)TRACE_EXTRA_NONE;
		t->extras[i].ready_ns = rows[i].ready;
		t->extras[i].pop_ns = rows[i].pop;
		k->start_ns = rows[i].start;
		k->end_ns = rows[i].end;
		k->codelet = rows[i].type;
		k->worker = rows[i].worker;
		k->parallel = 1;
	}
	return t;
}

static inline void trace_drop(struct trace *t)
{
	intern_free(t->strings);
	arena_free(t->arena);
	free(t);
}

#endif
