/* analyze/finding_machine.c - workers that share a core. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/finding.h"
#include "core/machine.h"
#include "core/trace.h"

/* Whether an earlier worker has the core of worker i. */
static int earlier(const struct machine *m, int i)
{
	for (int k = 0; k < i; k++)
		if (m->workers[k].binding == m->workers[i].binding)
			return 1;
	return 0;
}

static void look_at_cores(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	const struct machine *m = in->machine;
	int bound = 0, cores = 0, crowded = -1;
	struct finding *f;

	/* Ranks of MPI number the cores of their own hosts. */
	if (in->trace->nranks > 1)
		return;
	for (int i = 0; i < m->nworkers; i++) {
		if (m->workers[i].binding < 0)
			continue;
		bound++;
		if (earlier(m, i))
			crowded = crowded < 0 ? i : crowded;
		else
			cores++;
	}
	if (crowded < 0)
		return;
	f = finding_add(out, self, (double)(bound - cores) / bound, "%d workers are bound to %d cores: %s is on core %d with "
	                "another one", bound, cores, m->workers[crowded].name, m->workers[crowded].binding);
	finding_advise(f, "They take turns, so durations are too long and vary: leave a core for each worker (STARPU_NCPU, "
	               "STARPU_WORKERS_CPUID), devices included");
	finding_show(f, "workers", bound);
	finding_show(f, "cores", cores);
}

const struct finding_check finding_cores = {
	.name = "cores", .summary = "workers are bound to the same core", .look = look_at_cores,
};
