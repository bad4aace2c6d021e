/* analyze/report/report_locality.c - table: the memory nodes that LAHeteroprio's formulas would have named. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/base/table.h"

static void ratio_cell(struct table *t, double ratio)
{
	if (isfinite(ratio))
		table_cell(t, "%.1f %%", 100 * ratio);
	else
		table_cell(t, "-");
}

/* Of tasks; NAN where the formula named nothing. */
static double share(const struct bmd *b, enum locality_formula f, uint64_t tasks)
{
	return isfinite(bmd_ratio(b, &b->paper, f)) ? (double)tasks / (double)b->paper.tasks : NAN;
}

static double chosen(const struct bmd *b, enum locality_formula f)
{
	return f < LOCALITY_FIRST_AUTOMATIC ? NAN : share(b, f, b->chosen[f]);
}

static struct table *make(const struct report *r)
{
	const struct bmd *b = &r->bmd;
	struct table *t;

	if (!r->has_locality)
		return NULL;
	t = table_create("<formula|<in StarPU|BMD|BMD of StarPU's code|ran there|chosen");
	for (int i = 0; i < LOCALITY_FORMULAS; i++) {
		enum locality_formula f = (enum locality_formula)i;

		table_cell(t, "%s", locality_paper_name(f));
		table_cell(t, "%s", locality_starpu_name(f));
		ratio_cell(t, bmd_ratio(b, &b->paper, f));
		ratio_cell(t, bmd_ratio(b, &b->starpu, f));
		ratio_cell(t, share(b, f, b->ran_there[f]));
		ratio_cell(t, chosen(b, f));
	}
	table_cell(t, "automatic");
	table_cell(t, "AUTO");
	ratio_cell(t, b->paper.tasks ? (double)b->chosen_changed / (double)b->paper.tasks : NAN);
	for (int i = 0; i < 3; i++)
		table_cell(t, "-");
	return t;
}

static void note(const struct report *r, char text[REPORT_NOTE])
{
	const struct bmd *b = &r->bmd;

	snprintf(text, REPORT_NOTE,
	         "BMD: tasks for which the formula named another memory node when they were popped than when they\n"
	         "were pushed. Ran there: those that ran on the node it named at the push. Chosen: pushes for which\n"
	         "it had the lowest BMD so far, the paper's automatic choice.%s%s%s",
	         b->source == DATA_REBUILT ?
	                 "\nStates of data were not recorded: they follow from copies and accesses." :
	                 "",
	         b->pushers_recorded ? "" :
	                               "\nWho pushed a task was not recorded: taken is who ended what it waited for.",
	         b->has_transfers ? "" : "\nThe machine has no links, so that MC predicts nothing.");
}

void report_locality_csv(const struct report *r, FILE *f)
{
	const struct bmd *b = &r->bmd;
	struct csv c = {.f = f};

	fputs("formula,starpu,tasks,changed,starpu_changed,bmd,starpu_bmd,ran_there,chosen\n", f);
	for (int i = 0; i < LOCALITY_FORMULAS; i++) {
		enum locality_formula k = (enum locality_formula)i;

		csv_text(&c, locality_paper_name(k));
		csv_text(&c, locality_starpu_name(k));
		csv_int(&c, (int64_t)b->paper.tasks);
		csv_int(&c, (int64_t)b->paper.changed[k]);
		csv_int(&c, (int64_t)b->starpu.changed[k]);
		csv_num(&c, bmd_ratio(b, &b->paper, k));
		csv_num(&c, bmd_ratio(b, &b->starpu, k));
		csv_num(&c, share(b, k, b->ran_there[k]));
		csv_num(&c, chosen(b, k));
		csv_end(&c);
	}
}

void report_locality_json(const struct report *r, struct json *j)
{
	const struct bmd *b = &r->bmd;

	json_open(j, "locality", '{');
	json_int(j, "tasks", (int64_t)b->paper.tasks);
	json_int(j, "automatic_changed", (int64_t)b->chosen_changed);
	json_bool(j, "pushers_recorded", b->pushers_recorded);
	json_open(j, "formulas", '[');
	for (int i = 0; i < LOCALITY_FORMULAS; i++) {
		enum locality_formula f = (enum locality_formula)i;

		json_open(j, NULL, '{');
		json_str(j, "name", locality_paper_name(f));
		json_str(j, "starpu", locality_starpu_name(f));
		json_num(j, "bmd", bmd_ratio(b, &b->paper, f));
		json_num(j, "starpu_bmd", bmd_ratio(b, &b->starpu, f));
		json_int(j, "changed", (int64_t)b->paper.changed[f]);
		json_int(j, "ran_there", (int64_t)b->ran_there[f]);
		json_int(j, "chosen", (int64_t)b->chosen[f]);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

const struct report_table report_locality = {
	.name = "locality",
	.title = "Locality: nodes that LAHeteroprio's formulas name",
	.summary =
		"How steady each formula's choice of a memory node is between push and pop, and how often tasks ran there.",
	.make = make,
	.note = note,
};
