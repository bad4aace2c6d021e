/* auto/limit_cause.c - what keeps a run from the time that all of its work, shared perfectly, would take. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/limit_cause.h"

#include <math.h>
#include <stdio.h>

#include "analyze/data/time_breakdown.h"
#include "analyze/data/timeline.h"
#include "analyze/data/worker_time.h"
#include "core/base/table.h"
#include "core/metrics/bound.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

static const double WORTH_SAYING = 0.05;

/* What their names in the table of analyze mean. */
static const char *const meanings[TIME_CAUSES] = {
	[TIME_CAUSE_PLACEMENT] = "tasks ran where others need the time more",
	[TIME_CAUSE_DURATIONS] = "tasks took longer than they take alone",
	[TIME_CAUSE_FIRST_STATE] = "workers waited for data",
	[TIME_CAUSE_FIRST_STATE + 1] = "workers did the runtime's own work",
	[TIME_CAUSE_FIRST_STATE + 2] = "workers had no task while some were ready",
	[TIME_CAUSE_FIRST_STATE + 3] = "no task was ready for workers",
	[TIME_CAUSE_FIRST_STATE + 4] = "workers had done their last task",
};

const char *limit_cause(char text[LIMIT_CAUSE_TEXT], const struct run *r, const struct bounds *b)
{
	struct timeline *timeline = timeline_create(r->trace, r->dag, NULL);
	int64_t makespan_ns = trace_makespan_ns(r->trace, NULL);
	struct time_breakdown x;
	struct worker_times times;
	int largest = 0;
	char time[16];

	*text = '\0';
	if (!timeline)
		return text;
	worker_times_init(&times, timeline, r->trace, r->dag);
	time_breakdown_init(&x, b, r->dag, r->machine, r->trace, &times);
	for (int c = 1; c < TIME_CAUSES && x.known; c++)
		if (time_cause_ns(&x.all, c) > time_cause_ns(&x.all, largest))
			largest = c;
	if (x.known && time_cause_ns(&x.all, largest) >= WORTH_SAYING * (double)makespan_ns)
		snprintf(text, LIMIT_CAUSE_TEXT, "%s, %s (%.0f %% of the run: %s)", meanings[largest],
		         time_text(time, llround(time_cause_ns(&x.all, largest))),
		         100 * time_cause_ns(&x.all, largest) / (double)makespan_ns, time_cause_names[largest]);
	worker_times_fini(&times);
	timeline_free(timeline);
	return text;
}
