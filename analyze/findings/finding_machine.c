/* analyze/findings/finding_machine.c - workers that share a core, and more workers than cores. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/findings/finding.h"
#include "core/base/number.h"
#include "core/machine/machine.h"
#include "core/run/manifest.h"
#include "core/trace/trace.h"

/* One thread may drive several workers, as those of a device: they take turns anyway. */
static int same_thread(const struct trace *t, const struct machine *m, int i, int k)
{
	return t->nworkers == (size_t)m->nworkers && t->workers[i].tid && t->workers[i].tid == t->workers[k].tid;
}

/* Whether an earlier worker, on a thread of its own, has the core of worker i. */
static int earlier(const struct trace *t, const struct machine *m, int i)
{
	for (int k = 0; k < i; k++)
		if (m->workers[k].binding == m->workers[i].binding && !same_thread(t, m, i, k))
			return 1;
	return 0;
}

static int first_of_thread(const struct trace *t, const struct machine *m, int i)
{
	for (int k = 0; k < i; k++)
		if (same_thread(t, m, i, k))
			return 0;
	return 1;
}

void finding_cores(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	const struct machine *m = in->machine;
	int bound = 0, cores = 0, crowded = -1;
	struct finding *f;

	/* Ranks of MPI number the cores of their own hosts. */
	if (in->trace->nranks > 1)
		return;
	for (int i = 0; i < m->nworkers; i++) {
		if (m->workers[i].binding < 0 || !first_of_thread(in->trace, m, i))
			continue;
		bound++;
		if (earlier(in->trace, m, i))
			crowded = crowded < 0 ? i : crowded;
		else
			cores++;
	}
	if (crowded < 0)
		return;
	f = finding_add(out, self, (double)(bound - cores) / bound,
	                "%d workers are bound to %d cores: %s is on core %d with "
	                "another one",
	                bound, cores, m->workers[crowded].name, m->workers[crowded].binding);
	finding_advise(f,
	               "They take turns, so durations are too long and vary: leave a core for each worker (STARPU_NCPU, "
	               "STARPU_WORKERS_CPUID), devices included");
	finding_show(f, {"workers", bound}, {"cores", cores});
}

/* `cores` of the manifest: those that the application could use; of a simulated run it has none. */
void finding_crowd(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t cores = 0;
	struct finding *f;
	int threads = 0;

	if (in->trace->nranks > 1 || !in->manifest ||
	    number_parse_int(manifest_get(in->manifest, "cores"), 1, INT32_MAX, &cores) != 0)
		return;
	for (int i = 0; i < in->machine->nworkers; i++)
		threads += first_of_thread(in->trace, in->machine, i);
	if (threads <= cores)
		return;
	f = finding_add(out, self, 1 - (double)cores / threads,
	                "%d workers have a thread each, and there were %" PRId64 " cores for "
	                "them",
	                threads, cores);
	finding_advise(
		f, "Threads of workers are always busy, so they take turns, and durations are too long and vary: start "
		   "fewer CPU workers (STARPU_NCPU), or give the program more cores");
	finding_show(f, {"workers", threads}, {"cores", (double)cores});
}
