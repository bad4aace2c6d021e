/* core/execution/chrome_beside.c - what workers did beside tasks: spans that were recorded, and the rest as idle. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/execution/chrome.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

static const char *const span_names[SPAN_COUNT] = {
	[SPAN_SLEEP] = "sleeping",
	[SPAN_SCHEDULING] = "scheduling",
	[SPAN_FETCH] = "waiting for data",
	[SPAN_CALLBACK] = "a callback",
	[SPAN_PUSH_OUTPUT] = "releasing tasks and data",
	[SPAN_PARALLEL] = "a parallel task",
};

static void put_slice(struct chrome *c, int worker, const char *name, int64_t from, int64_t to)
{
	char start[32], length[32];

	fprintf(c->f,
	        ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"beside\",\"pid\":%d,\"tid\":%zu,\"ts\":%s,\"dur\":%s}",
	        name, CHROME_WORKERS, c->first_track[worker] + c->e->lanes[worker], chrome_us_text(start, from),
	        chrome_us_text(length, to - from));
}

/* Idle is from where tasks and spans of the worker have reached to where the next one begins; ready tasks decide. */
struct idle {
	int64_t *reached; /* by worker */
	size_t step;      /* of the ready tasks: the first one that is later */
};

static void put_idle(struct chrome *c, struct idle *x, int worker, int64_t from, int64_t to)
{
	const struct execution *e = c->e;
	int64_t at = x->reached[worker];

	if (from > at && at != INT64_MIN) {
		while (x->step < e->nsteps && e->steps[x->step].ns <= at)
			x->step++;
		while (x->step > 0 && e->steps[x->step - 1].ns > at)
			x->step--;
		put_slice(c, worker,
		          x->step && e->steps[x->step - 1].ready > 0 ? "idle, tasks ready" : "idle, none ready", at,
		          from);
	}
	x->reached[worker] = to > at ? to : at;
}

/* Spans overlap tasks where a device works while its thread looks for more; sleeping is idle. */
void chrome_beside(struct chrome *c)
{
	const struct execution *e = c->e;
	struct idle x = {.reached = ht_alloc((size_t)e->machine->nworkers, sizeof(*x.reached))};
	int64_t last = INT64_MIN;
	size_t t = 0, s = 0;

	for (int w = 0; w < e->machine->nworkers; w++)
		x.reached[w] = e->ntasks ? e->tasks[0].start_ns : INT64_MIN;
	while (t < e->ntasks || s < e->nspans) {
		const struct execution_span *span = s < e->nspans ? &e->spans[s] : NULL;

		if (span && (t == e->ntasks || span->start_ns < e->tasks[t].start_ns)) {
			if (span->kind != SPAN_SLEEP) {
				put_idle(c, &x, span->worker, span->start_ns, span->end_ns);
				put_slice(c, span->worker, span_names[span->kind], span->start_ns, span->end_ns);
			}
			s++;
			continue;
		}
		put_idle(c, &x, e->tasks[t].worker, e->tasks[t].start_ns, e->tasks[t].end_ns);
		last = e->tasks[t].end_ns > last ? e->tasks[t].end_ns : last;
		t++;
	}
	for (int w = 0; w < e->machine->nworkers; w++)
		put_idle(c, &x, w, last, last);
	free(x.reached);
}
