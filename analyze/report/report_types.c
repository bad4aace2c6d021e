/* analyze/report/report_types.c - table: the types of tasks by architecture, and the metrics of the heuristics. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "analyze/data/task_metrics.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/table.h"

static const struct column columns[] = {
	{"type", "type", COLUMN_TEXT, COLUMN_ONCE | COLUMN_SHORT},
	{"count", "count", COLUMN_COUNT, COLUMN_ONCE},
	{NULL, "NOD", COLUMN_REAL, COLUMN_ONCE},
	{NULL, "URT", COLUMN_REAL, COLUMN_ONCE},
	{"arch", "arch", COLUMN_TEXT, 0},
	{"executed", NULL, COLUMN_COUNT, 0},
	{"share", NULL, COLUMN_SHARE, 0},
	{NULL, "share", COLUMN_PERCENT, 0},
	{"mean_ns", "mean", COLUMN_NS, 0},
	{"deviation_ns", "deviation", COLUMN_NS, 0},
	{"nod", NULL, COLUMN_REAL, 0},
	{"nrt", "NRT", COLUMN_REAL, 0},
	{"urt", NULL, COLUMN_REAL, 0},
	{"diff", "diff", COLUMN_REAL, 0},
	{"rel_diff", "rel_diff", COLUMN_REAL, 0},
	{"cost", NULL, COLUMN_REAL, 0},
	{"released_ns", NULL, COLUMN_NS, 0},
	{0},
};

/* Those of report_add_tasks(), in CSV only. */
static const struct column task_columns[] = {
	{"ability_direct", NULL, COLUMN_REAL, 0},    {"ability", NULL, COLUMN_REAL, 0},
	{"efficiency", NULL, COLUMN_REAL, 0},        {"upward_rank_ns", NULL, COLUMN_NS, 0},
	{"downward_rank_ns", NULL, COLUMN_NS, 0},    {"slack_ns", NULL, COLUMN_NS, 0},
	{"released_on_arch_ns", NULL, COLUMN_NS, 0}, {"speedup", NULL, COLUMN_REAL, 0},
	{"nod_bonus", NULL, COLUMN_REAL, 0},         {0},
};

static void add_row(const struct report *r, struct records *x, uint32_t p, enum arch a)
{
	const struct metrics_type *t = &r->metrics->types[p];
	const struct metrics_arch *m = &t->arch[a];

	records_add(x, V(t->name), V(t->count), V(t->nod), V(t->urt), V(arch_name(a)), V(m->executed), V(m->share),
	            V(m->legal ? m->share : NAN), V(m->mean_ns), V(m->deviation_ns), V(t->nod), V(m->nrt), V(t->urt),
	            V(m->diff), V(m->rel_diff), V(m->cost), V(t->released_ns));
	if (r->tasks) {
		const struct type_means *k = &r->tasks->types[p];

		records_add(x, V(k->successors), V(k->ability), V(k->efficiency), V(k->upward_ns), V(k->downward_ns),
		            V(k->slack_ns), V(k->arch[a].released_ns), V(k->arch[a].speedup), V(k->arch[a].nod_bonus));
	}
}

static void fill(const struct report *r, struct records *x)
{
	records_columns(x, r->tasks ? task_columns : NULL);
	for (uint32_t p = 0; p < r->metrics->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			if (r->metrics->archs >> a & 1)
				add_row(r, x, p, a);
}

static void note(const struct report *r, char note[REPORT_NOTE])
{
	char unit[16];
	int asks = 0;

	for (uint32_t p = 0; p < r->metrics->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			asks |= r->metrics->types[p].arch[a].legal && !r->metrics->types[p].arch[a].executed;
	snprintf(note, REPORT_NOTE,
	         "NOD: tasks that the end of one releases; NRT: their work for this architecture;\n"
	         "URT: for idle ones; diff: gain on the slowest other; unit %s, a mean task.%s",
	         time_text(unit, llround(r->metrics->unit_ns)),
	         asks ? "\nA mean without a deviation is the model's: the type did not run there." : "");
}

const struct report_table report_types = {
	.name = "types",
	.title = "Types of tasks",
	.summary = "What the tasks of each type cost on each architecture, where they ran, and what they release.",
	.columns = columns,
	.fill = fill,
	.note = note,
};
