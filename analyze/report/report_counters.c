/* analyze/report/report_counters.c - table: PAPI counters by event, type and architecture. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

static const struct column columns[] = {
	{"counter", "counter", COLUMN_TEXT, COLUMN_ONCE},
	{"type", "type", COLUMN_TEXT, COLUMN_ONCE | COLUMN_SHORT},
	{"arch", "arch", COLUMN_TEXT, 0},
	{"tasks", "tasks", COLUMN_COUNT, 0},
	{"sum", NULL, COLUMN_SCALED, 0},
	{"mean", "per task", COLUMN_SCALED, 0},
	{"deviation", "deviation", COLUMN_SCALED, 0},
	{"per_second", "per second", COLUMN_SCALED, 0},
	{0},
};

/* Every event, type and architecture that have a value. */
static void fill(const struct report *r, struct records *x)
{
	const struct trace *t = r->run->trace;

	for (int e = 0; e < r->counters.nevents; e++)
		for (uint32_t p = 0; p < r->counters.ntypes; p++)
			for (enum arch a = 0; a < ARCH_COUNT; a++) {
				const struct task_counter *c = task_counters_of(&r->counters, e, p, a);

				if (c->tasks)
					records_add(x, V(r->counters.names[e]), V(trace_text(t, t->codelets[p].label)),
					            V(arch_name(a)), V(c->tasks), V(c->sum), V(task_counter_mean(c)),
					            V(task_counter_deviation(c)), V(task_counter_per_s(c)));
			}
}

static int is_shown(const struct report *r)
{
	return r->show_counters;
}

const struct report_table report_counters = {
	.name = "counters",
	.title = "Counters of tasks",
	.summary =
		"PAPI counters of the tasks of each type: the mean of a task, its deviation, and the rate while they ran.",
	.columns = columns,
	.is_shown = is_shown,
	.fill = fill,
};
