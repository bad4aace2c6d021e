/* analyze/report/report_locality.c - table: the memory nodes that LAHeteroprio's formulas would have named. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/json.h"

/* Of tasks; NAN where the formula named nothing. */
static double share(const struct bmd *b, enum locality_formula f, uint64_t tasks)
{
	return isfinite(bmd_ratio(b, &b->paper, f)) ? (double)tasks / (double)b->paper.tasks : NAN;
}

static double chosen(const struct bmd *b, enum locality_formula f)
{
	return f < LOCALITY_FIRST_AUTOMATIC ? NAN : share(b, f, b->chosen[f]);
}

static const struct column columns[] = {
	{"formula", "formula", COLUMN_TEXT, COLUMN_NO_JSON},
	{"name", NULL, COLUMN_TEXT, COLUMN_NO_CSV},
	{"starpu", "in StarPU", COLUMN_TEXT, 0},
	{"tasks", NULL, COLUMN_COUNT, COLUMN_NO_JSON},
	{"changed", NULL, COLUMN_COUNT, COLUMN_NO_JSON},
	{"starpu_changed", NULL, COLUMN_COUNT, COLUMN_NO_JSON},
	{"bmd", "BMD", COLUMN_SHARE, 0},
	{"starpu_bmd", "BMD of StarPU's code", COLUMN_SHARE, 0},
	{"changed", NULL, COLUMN_COUNT, COLUMN_NO_CSV},
	{"ran_there", "ran there", COLUMN_SHARE, COLUMN_NO_JSON},
	{"chosen", "chosen", COLUMN_SHARE, COLUMN_NO_JSON},
	{"ran_there", NULL, COLUMN_COUNT, COLUMN_NO_CSV},
	{"chosen", NULL, COLUMN_COUNT, COLUMN_NO_CSV},
	{0},
};

static void fill(const struct report *r, struct records *x)
{
	const struct bmd *b = &r->bmd;
	const char *none = NULL;

	for (enum locality_formula f = 0; f < LOCALITY_FORMULAS; f++)
		records_add(x, V(locality_paper_name(f)), V(locality_paper_name(f)), V(locality_starpu_name(f)),
		            V(b->paper.tasks), V(b->paper.changed[f]), V(b->starpu.changed[f]),
		            V(bmd_ratio(b, &b->paper, f)), V(bmd_ratio(b, &b->starpu, f)), V(b->paper.changed[f]),
		            V(share(b, f, b->ran_there[f])), V(chosen(b, f)), V(b->ran_there[f]), V(b->chosen[f]));
	records_add(x, V("automatic"), V(none), V("AUTO"), V(-1), V(-1), V(-1),
	            V(b->paper.tasks ? (double)b->chosen_changed / (double)b->paper.tasks : NAN), V(NAN), V(-1), V(NAN),
	            V(NAN), V(-1), V(-1));
	records_hide_row(x, RECORDS_DATA);
}

static int is_shown(const struct report *r)
{
	return r->has_locality;
}

static void note(const struct report *r, char text[REPORT_NOTE])
{
	const struct bmd *b = &r->bmd;

	snprintf(
		text, REPORT_NOTE,
		"BMD: tasks for which the formula named another memory node when they were popped than when they\n"
		"were pushed. Ran there: those that ran on the node it named at the push. Chosen: pushes for which\n"
		"it had the lowest BMD so far, the paper's automatic choice.%s%s%s",
		b->source == DATA_REBUILT ?
			"\nStates of data were not recorded: they follow from copies and accesses." :
			"",
		b->pushers_recorded ?
			"" :
			"\nThe worker that pushed a task was not recorded: it is taken to be the one that\nended the last task it waited for.",
		b->has_transfers ? "" : "\nThe machine has no links, so that MC predicts nothing.");
}

void report_locality_json(const struct report *r, struct json *j)
{
	const struct bmd *b = &r->bmd;

	json_open(j, "locality", '{');
	json_int(j, "tasks", (int64_t)b->paper.tasks);
	json_int(j, "automatic_changed", (int64_t)b->chosen_changed);
	json_bool(j, "pushers_recorded", b->pushers_recorded);
	report_table_json(&report_locality, r, "formulas", j);
	json_close(j, '}');
}

const struct report_table report_locality = {
	.name = "locality",
	.title = "Locality: nodes that LAHeteroprio's formulas name",
	.summary =
		"How steady each formula's choice of a memory node is between push and pop, and how often tasks ran there.",
	.columns = columns,
	.is_shown = is_shown,
	.fill = fill,
	.note = note,
};
