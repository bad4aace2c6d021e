/* analyze/findings/finding_task_size.c - tasks that take less than what StarPU does for each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "analyze/findings/finding.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/task_size.h"

void finding_task_size(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	char text[TASK_SIZE_TEXT];
	struct task_size g;
	struct finding *f;
	double n = in->dag->ntasks, submission, workers;

	task_size_of(&g, in->trace, in->dag, in->overheads);
	if (g.longer <= 1)
		return;
	submission = n * (double)g.submit_ns / (double)in->makespan_ns;
	workers = n * (double)g.worker_ns / (double)in->makespan_ns / in->machine->nworkers;
	f = finding_add(out, self, fmax(submission, workers), "The tasks are too small: %s", task_size_text(&g, text));
	finding_advise(f,
	               "Make tasks about %d times longer, by larger blocks, so that a tenth of the time goes to StarPU: "
	               "no scheduler gains as much",
	               g.longer);
	finding_show(f, {"task_ns", (double)g.task_ns}, {"submit_ns", (double)g.submit_ns},
	             {"worker_ns", (double)g.worker_ns}, {"longer", g.longer});
}
