/* export/format_autoheteroprio.c - the statistics that AutoHeteroprio would have made of a run, as its data file. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The run is gone through in the order of its times: a task ends, becomes ready when its last predecessor has ended and
 * it is submitted, starts. At each of them the learner does what StarPU 1.4 does there, so the file is that of a first
 * run under AutoHeteroprio that scheduled as the recorded one did.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/autoheteroprio_data.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "export/export.h"
#include "sched/heteroprio/learner.h"

/* At one time, in this order. */
enum event_kind { EVENT_END, EVENT_READY, EVENT_START };

struct event {
	int64_t ns;
	uint32_t task;
	enum event_kind kind;
};

struct going {
	const struct run *run;
	int64_t first_ns; /* of the trace: the graph's first submission */
	int64_t now_ns;
};

static const struct trace_task *recorded(const struct run *r, uint32_t task)
{
	return &r->trace->tasks[r->dag->tasks[task].trace_task];
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static int is_submitted(void *ctx, uint32_t task)
{
	const struct going *g = ctx;

	return dag_submit_ns(g->run->dag, task) <= g->now_ns;
}

/* The time of the trace that is 0 of the graph: where a submission was recorded, else the first start. */
static int64_t first_submission(const struct run *r)
{
	int64_t first = INT64_MAX;

	for (uint32_t i = 0; i < r->dag->ntasks; i++) {
		const struct trace_task *t = recorded(r, i);

		if (t->submit_ns != TIME_NONE)
			return t->submit_ns - dag_submit_ns(r->dag, i);
		first = t->start_ns < first ? t->start_ns : first;
	}
	return first;
}

static int list_events(const struct going *g, struct event *events, struct ht_err *err)
{
	const struct dag *d = g->run->dag;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *t = recorded(g->run, i);
		int64_t ready_ns = dag_submit_ns(d, i), start_ns = t->start_ns - g->first_ns;
		int64_t recorded_ns = trace_extra(g->run->trace, t)->ready_ns;

		if (t->worker < 0 || t->start_ns == TIME_NONE || t->end_ns < t->start_ns)
			return ht_err_set(err, "task %u was not executed in the run: job=%llu", (unsigned)i,
			                  (unsigned long long)t->job);
		for (uint32_t k = d->pred_first[i]; k < d->pred_first[i + 1]; k++) {
			int64_t end_ns = recorded(g->run, d->pred[k])->end_ns - g->first_ns;

			ready_ns = end_ns > ready_ns ? end_ns : ready_ns;
		}
		if (recorded_ns != TIME_NONE)
			ready_ns = recorded_ns - g->first_ns;
		/* Where a run's clocks disagree a task is ready when it starts, at the latest. */
		ready_ns = ready_ns < start_ns ? ready_ns : start_ns;
		events[3 * i] = (struct event){ready_ns, i, EVENT_READY};
		events[3 * i + 1] = (struct event){start_ns, i, EVENT_START};
		events[3 * i + 2] = (struct event){t->end_ns - g->first_ns, i, EVENT_END};
	}
	return 0;
}

static void see(struct learner *l, struct going *g, const struct event *e)
{
	const struct trace_task *t = recorded(g->run, e->task);
	enum arch a = g->run->trace->workers[t->worker].arch;

	g->now_ns = e->ns;
	if (e->kind == EVENT_READY)
		learner_ready(l, e->task);
	else if (e->kind == EVENT_START)
		learner_started(l, t->worker, a, e->ns);
	else
		learner_done(l, e->task, t->worker, a, e->ns);
}

/* What the collector recorded of the codelet, where it did; else what the graph concludes. */
static arch_mask *where_of_types(const struct run *r, arch_mask also)
{
	arch_mask *where = ht_alloc(r->dag->ntypes, sizeof(*where));

	for (uint32_t i = 0; i < r->dag->ntasks; i++) {
		uint32_t type = dag_type_of(r->dag, i), codelet = recorded(r, i)->codelet;

		where[type] = r->dag->types[type].where;
		if (codelet != TRACE_NONE && r->trace->codelets[codelet].where)
			where[type] = r->trace->codelets[codelet].where;
		where[type] |= also;
	}
	return where;
}

static int autoheteroprio_write(const struct export_source *s, const char *out, struct ht_err *err)
{
	struct going g = {.run = s->run};
	arch_mask *where = where_of_types(s->run, s->also);
	struct learner *l = ht_alloc(1, sizeof(*l));
	struct learner_view view = {.dag = s->run->dag,
	                            .where = where,
	                            .present = machine_archs(s->run->machine),
	                            .nworkers = (int)s->run->trace->nworkers,
	                            .is_submitted = is_submitted,
	                            .ctx = &g};
	size_t n = (size_t)s->run->dag->ntasks * 3;
	struct event *events = ht_alloc(n, sizeof(*events));
	int rc = learner_init(l, &view, err);

	g.first_ns = first_submission(s->run);
	if (rc == 0)
		rc = list_events(&g, events, err);
	if (rc == 0) {
		qsort(events, n, sizeof(*events), by_time);
		for (size_t i = 0; i < n; i++)
			see(l, &g, &events[i]);
		learner_finish(l);
		rc = autoheteroprio_save(&l->autoheteroprio_data, out, NULL, err);
	}
	learner_fini(l);
	free(l);
	free(events);
	free(where);
	return rc;
}

const struct export_format format_autoheteroprio = {
	.name = "autoheteroprio",
	.mark = "number_of_archs",
	.summary = "data file for AutoHeteroprio, as if it had seen the run (StarPU 1.4)",
	.from = EXPORT_RUN,
	.takes_also = 1,
	.write = autoheteroprio_write,
};
