/* analyze/report/report_time_breakdown.c - table: what each cause adds to the area bound, up to the makespan. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/json.h"
#include "core/base/table.h"

/* Of the makespan: causes below have no row. */
#define SHOWN 0.0005

enum { PLACEMENT, DURATIONS, FIRST_STATE, CAUSES = FIRST_STATE + WORKER_STATES - 1 };

static const char *const names[CAUSES] = {
	"placement", "durations", "waiting", "scheduling", "idle, ready", "starved", "tail",
};

static double part_ns(const struct time_breakdown_part *part, int cause)
{
	return cause == PLACEMENT ? part->placement_ns :
	       cause == DURATIONS ? part->durations_ns :
	                            part->state_ns[WORKER_EXECUTING + 1 + cause - FIRST_STATE];
}

static void time_cell(struct table *t, double ns)
{
	char text[16];

	table_cell(t, "%s%s", ns <= -0.5 ? "-" : "", time_text(text, llround(fabs(ns))));
}

static void row(struct table *t, const struct report *r, const char *name, int cause)
{
	const struct time_breakdown *x = &r->time_breakdown;
	double ns = cause < 0 ? x->bound_ns : part_ns(&x->all, cause);

	table_cell(t, "%s", name);
	time_cell(t, ns);
	table_cell(t, "%.1f %%", 100 * ns / (double)r->makespan_ns);
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (!r->times.arch_workers[a])
			continue;
		if (cause < 0)
			table_cell(t, "-");
		else
			time_cell(t, part_ns(&x->arch[a], cause));
	}
}

static struct table *make(const struct report *r)
{
	char header[256] = "<cause|time|of the run";
	size_t n = strlen(header);
	struct table *t;

	if (!r->time_breakdown.known || r->makespan_ns <= 0)
		return NULL;
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (r->times.arch_workers[a])
			n += (size_t)snprintf(header + n, sizeof(header) - n, "|on %s", arch_name(a));
	t = table_create(header);
	row(t, r, "area bound", -1);
	for (int c = 0; c < CAUSES; c++)
		if (fabs(part_ns(&r->time_breakdown.all, c)) >= SHOWN * (double)r->makespan_ns)
			row(t, r, names[c], c);
	return t;
}

static void note(const struct report *r, char text[REPORT_NOTE])
{
	size_t n = (size_t)snprintf(text, REPORT_NOTE,
	                            "Placement: tasks ran where time is worth more. Durations: they took "
	                            "longer.\nA worker's second more lowers the area bound by");
	const struct bounds *b = &r->bounds;
	const char *between = "";

	for (enum arch a = 0; a < ARCH_COUNT && n < REPORT_NOTE; a++) {
		char worth[16];

		if (!r->times.arch_workers[a])
			continue;
		n += (size_t)snprintf(text + n, REPORT_NOTE - n, "%s %s on %s", between,
		                      time_text(worth, llround(1e9 * b->price[a])), arch_name(a));
		between = ",";
	}
	if (n < REPORT_NOTE)
		n += (size_t)snprintf(text + n, REPORT_NOTE - n, ".");
	if (n < REPORT_NOTE && (double)b->largest_ns > 1.01 * (double)b->area_ns) {
		char least[16];

		snprintf(text + n, REPORT_NOTE - n, "\nDependencies alone make at least %s of what is above that (%s).",
		         time_text(least, b->largest_ns - b->area_ns), bounds_largest_name(b));
	}
}

const struct report_table report_time_breakdown = {
	.name = "account",
	.title = "From the area bound to the run",
	.summary = "The makespan as a sum: the area bound, and what each cause adds to it.",
	.make = make,
	.note = note,
};

static void json_part(struct json *j, const struct time_breakdown_part *part)
{
	json_int(j, "placement_ns", llround(part->placement_ns));
	json_int(j, "durations_ns", llround(part->durations_ns));
	for (int s = WORKER_EXECUTING + 1; s < WORKER_STATES; s++) {
		char key[32];

		snprintf(key, sizeof(key), "%s_ns", worker_state_names[s]);
		json_int(j, key, llround(part->state_ns[s]));
	}
}

void report_time_breakdown_json(const struct report *r, struct json *j)
{
	const struct time_breakdown *x = &r->time_breakdown;

	if (!x->known)
		return;
	json_open(j, "account", '{');
	json_int(j, "bound_ns", llround(x->bound_ns));
	json_part(j, &x->all);
	json_open(j, "archs", '{');
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (!r->times.arch_workers[a])
			continue;
		json_open(j, arch_name(a), '{');
		json_num(j, "price", r->bounds.price[a]);
		json_part(j, &x->arch[a]);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
}
