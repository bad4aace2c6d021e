/* analyze/report/report_time_breakdown.c - table: what each cause adds to the area bound, up to the makespan. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdio.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/json.h"
#include "core/base/table.h"

/* Of the makespan: causes below have no row. */
#define SHOWN 0.0005

static const char *const keys[TIME_CAUSES] = {
	"placement_ns", "durations_ns", "waiting_ns", "scheduling_ns", "ready_ns", "starved_ns", "tail_ns",
};

static int has_row(const struct report *r, int cause)
{
	return fabs(time_cause_ns(&r->time_breakdown.all, cause)) >= SHOWN * (double)r->makespan_ns;
}

static const struct column columns[] = {
	{NULL, "cause", COLUMN_TEXT, 0},
	{NULL, "time", COLUMN_DELTA, 0},
	{NULL, "of the run", COLUMN_SHARE, 0},
	{0},
};

static void fill(const struct report *r, struct records *x)
{
	const struct time_breakdown *b = &r->time_breakdown;
	double makespan_ns = (double)r->makespan_ns;
	char heading[32];

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		snprintf(heading, sizeof(heading), "on %s", arch_name(a));
		if (r->times.arch_workers[a])
			records_columns(x, (struct column[]){{NULL, heading, COLUMN_DELTA, 0}, {0}});
	}
	records_add(x, V("area bound"), V(b->bound_ns), V(b->bound_ns / makespan_ns));
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (r->times.arch_workers[a])
			records_add(x, V(NAN));
	for (int c = 0; c < TIME_CAUSES; c++) {
		double ns = time_cause_ns(&b->all, c);

		if (!has_row(r, c))
			continue;
		records_add(x, V(time_cause_names[c]), V(ns), V(ns / makespan_ns));
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			if (r->times.arch_workers[a])
				records_add(x, V(time_cause_ns(&b->arch[a], c)));
	}
}

static int is_shown(const struct report *r)
{
	return r->time_breakdown.known && r->makespan_ns > 0;
}

/* What the largest bound has that the area bound has not. */
static const char *above_area(const struct bounds *b)
{
	if (b->exclusion_ns == b->largest_ns)
		return "tasks that commute on data";
	return b->bus_ns >= 0 ? "chains and copies" : "dependencies";
}

static const char *durations_note(const struct report *r)
{
	if (!has_row(r, TIME_CAUSE_DURATIONS))
		return "";
	return time_cause_ns(&r->time_breakdown.all, TIME_CAUSE_DURATIONS) < 0 ?
	               "Durations: tasks took less than usual.\n" :
	               "Durations: tasks took longer than usual.\n";
}

static void note(const struct report *r, char text[REPORT_NOTE])
{
	size_t n = (size_t)snprintf(text, REPORT_NOTE, "%s%sOne more second of a worker saves at most",
	                            has_row(r, TIME_CAUSE_PLACEMENT) ?
	                                    "Placement: tasks ran where others need the time more.\n" :
	                                    "",
	                            durations_note(r));
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

		snprintf(text + n, REPORT_NOTE - n, "\nAt least %s above the area bound are due to %s (%s).",
		         time_text(least, b->largest_ns - b->area_ns), above_area(b), bounds_largest_name(b));
	}
}

const struct report_table report_time_breakdown = {
	.name = "time-breakdown",
	.title = "From the area bound to the run",
	.summary = "The makespan as a sum: the area bound, and what each cause adds to it.",
	.columns = columns,
	.is_shown = is_shown,
	.fill = fill,
	.note = note,
};

static void json_part(struct json *j, const struct time_breakdown_part *part)
{
	for (int c = 0; c < TIME_CAUSES; c++)
		json_int(j, keys[c], llround(time_cause_ns(part, c)));
}

void report_time_breakdown_json(const struct report *r, struct json *j)
{
	const struct time_breakdown *x = &r->time_breakdown;

	if (!x->known)
		return;
	json_open(j, "time_breakdown", '{');
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
