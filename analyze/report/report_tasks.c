/* analyze/report/report_tasks.c - tables: graph metrics and speed-ups of the tasks of each type. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "analyze/data/task_metrics.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/table.h"

static int is_shown(const struct report *r)
{
	return r->tasks != NULL;
}

static const struct column task_columns[] = {
	{NULL, "type", COLUMN_TEXT, COLUMN_SHORT}, {NULL, "successors", COLUMN_REAL, 0},
	{NULL, "ability", COLUMN_REAL, 0},         {NULL, "efficiency", COLUMN_REAL, 0},
	{NULL, "released", COLUMN_NS, 0},          {NULL, "upward rank", COLUMN_NS, 0},
	{NULL, "downward rank", COLUMN_NS, 0},     {NULL, "slack", COLUMN_NS, 0},
	{NULL, "critical", COLUMN_COUNT, 0},       {0},
};

static void fill_tasks(const struct report *r, struct records *x)
{
	for (uint32_t p = 0; p < r->metrics->ntypes; p++) {
		const struct type_means *m = &r->tasks->types[p];

		records_add(x, V(r->metrics->types[p].name), V(m->successors), V(m->ability), V(m->efficiency),
		            V(m->released_ns), V(m->upward_ns), V(m->downward_ns), V(m->slack_ns), V(m->critical));
	}
}

static void note_tasks(const struct report *r, char note[REPORT_NOTE])
{
	const struct ability *a = &r->tasks->ability;
	char error[64] = "", window[16];

	if (a->labels)
		snprintf(error, sizeof(error), ", estimated with a standard error of %.1f %%", 100 * a->error);
	snprintf(note, REPORT_NOTE,
	         "Means over the tasks of a type. Ability: tasks that wait for a task, and itself%s. "
	         "Efficiency:\nthose that can complete within %s after it starts. Released: the best times of its "
	         "successors.\nCritical: tasks without slack.",
	         error, time_text(window, r->tasks->efficiency.window_ns));
}

const struct report_table report_tasks = {
	.name = "tasks",
	.title = "Tasks in the graph",
	.summary = "What waits for the tasks of each type, and how far they are from the ends of the graph.",
	.columns = task_columns,
	.is_shown = is_shown,
	.fill = fill_tasks,
	.note = note_tasks,
};

static const struct column arch_columns[] = {
	{NULL, "type", COLUMN_TEXT, COLUMN_ONCE | COLUMN_SHORT},
	{NULL, "arch", COLUMN_TEXT, 0},
	{NULL, "cost", COLUMN_REAL, 0},
	{NULL, "released", COLUMN_NS, 0},
	{NULL, "speedup", COLUMN_REAL, 0},
	{NULL, "NOD bonus", COLUMN_REAL, 0},
	{0},
};

static void fill_archs(const struct report *r, struct records *x)
{
	for (uint32_t p = 0; p < r->metrics->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct metrics_type *type = &r->metrics->types[p];
			const struct type_arch_means *m = &r->tasks->types[p].arch[a];

			if (r->metrics->archs >> a & 1)
				records_add(x, V(type->name), V(arch_name(a)), V(type->arch[a].cost), V(m->released_ns),
				            V(m->speedup), V(m->nod_bonus));
		}
}

static void note_archs(const struct report *r, char note[REPORT_NOTE])
{
	char unit[16];

	snprintf(note, REPORT_NOTE,
	         "Cost: in multiples of %s. Released: work for the architecture. Speedup: over the "
	         "slowest one.\nNOD bonus: NOD, as a part of the highest of any task that can run there.",
	         time_text(unit, llround(r->metrics->unit_ns)));
}

const struct report_table report_tasks_arch = {
	.name = "tasks-arch",
	.title = "Tasks by architecture",
	.summary = "What the tasks of each type cost, release and gain on each architecture.",
	.columns = arch_columns,
	.is_shown = is_shown,
	.fill = fill_archs,
	.note = note_archs,
};
