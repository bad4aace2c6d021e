/* analyze/findings/finding_replays.c - what the run did that replays do not. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/findings/finding.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

/* A replay executes each task on one worker, for as long as it took: on how many it could run is not recorded. */
void finding_parallel(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	double together = 0, all = 0;
	uint32_t n = 0, most = 1;
	struct finding *f;

	for (uint32_t i = 0; i < in->dag->ntasks; i++) {
		const struct trace_task *t = &in->trace->tasks[in->dag->tasks[i].trace_task];
		double ns = (double)(t->end_ns - t->start_ns);

		all += ns;
		if (t->parallel <= 1)
			continue;
		together += ns;
		n++;
		most = t->parallel > most ? t->parallel : most;
	}
	if (!n)
		return;
	f = finding_add(out, self, all > 0 ? together / all : 0,
	                "%" PRIu32 " task%s ran on up to %" PRIu32 " workers together, %.0f %% of the time in tasks", n,
	                plural(n), most, all > 0 ? 100 * together / all : 0);
	finding_advise(f, "Replays give each of them one worker, for as long, so predictions and bounds are too short: "
	                  "compare schedulers in runs (heterotune auto --verify)");
	finding_show(f, {"parallel_tasks", n}, {"workers", most}, {"time_share", all > 0 ? together / all : 0});
}

void finding_contexts(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	static const double SEVERITY = 0.1;
	int n = __builtin_popcountll(in->trace->contexts);
	struct finding *f;

	if (n < 2)
		return;
	f = finding_add(out, self, SEVERITY, "Tasks ran in %d scheduling contexts", n);
	finding_advise(
		f,
		"Replays have one, in which a task may run on any worker of the architectures that its context has, so "
		"predictions and bounds may be too short: compare schedulers in runs (heterotune auto --verify)");
	finding_show(f, {"contexts", n});
}
