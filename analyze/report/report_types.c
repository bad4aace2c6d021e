/* analyze/report/report_types.c - table: the types of tasks by architecture, and the metrics of the heuristics. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/table.h"

static void type_cells(struct table *t, const struct metrics_type *p, int first)
{
	char text[16];

	if (!first) {
		for (int i = 0; i < 4; i++)
			table_cell(t, "%s", "");
		return;
	}
	table_cell(t, "%.28s", p->name);
	table_cell(t, "%" PRIu32, p->count);
	table_cell(t, "%s", value_text(text, p->nod));
	table_cell(t, "%s", value_text(text, p->urt));
}

static void arch_cells(struct table *t, const struct metrics_arch *x, enum arch a)
{
	char text[16];

	table_cell(t, "%s", arch_name(a));
	if (x->legal)
		table_cell(t, "%.0f %%", 100 * x->share);
	else
		table_cell(t, "-");
	table_cell(t, "%s", time_text(text, x->mean_ns));
	table_cell(t, "%s", time_text(text, x->deviation_ns));
	table_cell(t, "%s", value_text(text, x->nrt));
	table_cell(t, "%s", value_text(text, x->diff));
	table_cell(t, "%s", value_text(text, x->rel_diff));
}

static struct table *make_types(const struct report *r)
{
	struct table *t = table_create("<type|count|NOD|URT|<arch|share|mean|deviation|NRT|diff|rel_diff");

	for (uint32_t p = 0; p < r->metrics->ntypes; p++) {
		const struct metrics_type *type = &r->metrics->types[p];
		int first = 1;

		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			if (!(r->metrics->archs >> a & 1))
				continue;
			type_cells(t, type, first);
			arch_cells(t, &type->arch[a], a);
			first = 0;
		}
	}
	return t;
}

static void note_types(const struct report *r, char note[REPORT_NOTE])
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
	.make = make_types,
	.note = note_types,
};
