/* analyze/report/report_tasks.c - tables: graph metrics and speed-ups of the tasks of each type. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/data/task_metrics.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/table.h"

static void time_cell(struct table *t, double ns)
{
	char text[16];

	table_cell(t, "%s", time_text(text, isfinite(ns) ? llround(ns) : -1));
}

static void value_cell(struct table *t, double v)
{
	char text[16];

	table_cell(t, "%s", value_text(text, v));
}

static struct table *make_tasks(const struct report *r)
{
	struct table *t;

	if (!r->tasks)
		return NULL;
	t = table_create("<type|successors|ability|efficiency|released|upward rank|downward rank|slack|critical");
	for (uint32_t p = 0; p < r->metrics->ntypes; p++) {
		const struct type_means *m = &r->tasks->types[p];

		table_cell(t, "%.28s", r->metrics->types[p].name);
		value_cell(t, m->successors);
		value_cell(t, m->ability);
		value_cell(t, m->efficiency);
		time_cell(t, m->released_ns);
		time_cell(t, m->upward_ns);
		time_cell(t, m->downward_ns);
		time_cell(t, m->slack_ns);
		table_cell(t, "%" PRIu32, m->critical);
	}
	return t;
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
	.make = make_tasks,
	.note = note_tasks,
};

static struct table *make_archs(const struct report *r)
{
	struct table *t;

	if (!r->tasks)
		return NULL;
	t = table_create("<type|<arch|cost|released|speedup|NOD bonus");
	for (uint32_t p = 0; p < r->metrics->ntypes; p++) {
		const struct metrics_type *type = &r->metrics->types[p];
		const char *name = type->name;

		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct type_arch_means *m = &r->tasks->types[p].arch[a];

			if (!(r->metrics->archs >> a & 1))
				continue;
			table_cell(t, "%.28s", name);
			table_cell(t, "%s", arch_name(a));
			value_cell(t, type->arch[a].cost);
			time_cell(t, m->released_ns);
			value_cell(t, m->speedup);
			value_cell(t, m->nod_bonus);
			name = "";
		}
	}
	return t;
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
	.make = make_archs,
	.note = note_archs,
};
