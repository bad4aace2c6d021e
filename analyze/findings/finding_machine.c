/* analyze/findings/finding_machine.c - cores: of workers, of other programs, of the thread that submits tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>

#include "analyze/data/idle.h"
#include "analyze/findings/finding.h"
#include "core/base/number.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/run/manifest.h"
#include "core/trace/overheads.h"
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
	                "%d workers are bound to %d core%s: %s is on core %d with another one", bound, cores,
	                plural((uint64_t)cores), m->workers[crowded].name, m->workers[crowded].binding);
	finding_advise(f,
	               "They take turns, so durations are too long and vary: leave a core for each worker (STARPU_NCPU, "
	               "STARPU_WORKERS_CPUID), devices included");
	finding_show(f, {"workers", bound}, {"cores", cores});
}

/* `cores` of the manifest: those that the application could use; 0: not known, as of a simulated run. */
static int64_t cores_of(const struct finding_input *in)
{
	int64_t cores = 0;

	if (in->trace->nranks > 1 || !in->manifest ||
	    number_parse_int(manifest_get(in->manifest, "cores"), 1, INT32_MAX, &cores) != 0)
		return 0;
	return cores;
}

static int threads_of(const struct finding_input *in)
{
	int threads = 0;

	for (int i = 0; i < in->machine->nworkers; i++)
		threads += first_of_thread(in->trace, in->machine, i);
	return threads;
}

void finding_crowd(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t cores = cores_of(in);
	int threads = threads_of(in);
	struct finding *f;

	if (!cores || threads <= cores)
		return;
	f = finding_add(out, self, 1 - (double)cores / threads,
	                "%d workers have a thread each, and there %s %" PRId64 " core%s for them", threads,
	                cores == 1 ? "was" : "were", cores, plural((uint64_t)cores));
	finding_advise(
		f, "Threads of workers are always busy, so they take turns, and durations are too long and vary: start "
		   "fewer CPU workers (STARPU_NCPU), or give the program more cores");
	finding_show(f, {"workers", threads}, {"cores", (double)cores});
}

void finding_busy(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t cores = cores_of(in);
	double share = cores ? manifest_others(in->manifest) : 0;
	struct finding *f;

	if (share <= 0)
		return;
	f = finding_add(out, self, share, "Other programs used %.0f %% of the %" PRId64 " core%s while the program ran",
	                100 * share, cores, plural((uint64_t)cores));
	finding_advise(f, "Threads of workers lose their cores in the middle of tasks, and between them: record again "
	                  "when these programs have ended, or on cores that they leave alone (taskset, STARPU_NCPU)");
	finding_show(f, {"others_share", share}, {"cores", (double)cores});
}

/* Of the machine's speed, while the program was submitting. */
static double late_share(const struct finding_input *in, int64_t ns[ARCH_COUNT])
{
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		ns[a] = in->idle->arch[a].late_ns;
	return idle_weighted(in->idle, ns);
}

int finding_is_submission(const struct finding_input *in)
{
	static const double LEAST = 0.05;
	int64_t ns[ARCH_COUNT];

	return in->overheads->submit_ns > 0 && late_share(in, ns) >= LEAST;
}

/*
 * The threads of workers poll: where they have all cores the one that submits tasks gets a part of one, and a CPU
 * worker may gain less than that thread loses. Else it is late because of StarPU if each submission takes long.
 */
void finding_submission(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	static const double MOSTLY = 0.5;
	const struct idle *x = in->idle;
	int64_t cores = cores_of(in), typical = in->overheads->submit_ns, ns[ARCH_COUNT];
	double lost = late_share(in, ns), mean;
	enum arch a = idle_most(x, ns);
	int threads = threads_of(in);
	char each[16], usual[16];
	struct finding *f;

	if (a == ARCH_NONE || !finding_is_submission(in))
		return;
	mean = (double)x->submitting_ns / (double)x->submitted;
	f = finding_add(
		out, self, lost,
		"%s workers had nothing to do for %.0f %% of the run while the program was submitting tasks: one "
		"took %s on average, and typically %s",
		arch_name(a), 100 * (double)ns[a] / (double)x->arch[a].span_ns, time_text(each, llround(mean)),
		time_text(usual, typical));
	if (cores && threads >= cores && lost * x->arch[ARCH_CPU].nworkers > x->power[ARCH_CPU])
		finding_advise(f,
		               "The threads of %d workers never sleep, and have all %" PRId64
		               " cores: leave one to the "
		               "thread that submits (STARPU_RESERVE_NCPU=1, or one CPU worker less in STARPU_NCPU)",
		               threads, cores);
	else if ((double)typical >= MOSTLY * mean)
		finding_advise(f,
		               "One thread cannot submit them as fast as they are executed: larger tasks, or several "
		               "threads that submit");
	else
		finding_advise(
			f, "There is more between them than StarPU's work: the program's own, workers on its core, or "
			   "tasks that submit others. Submit earlier what does not depend on it");
	finding_show(f, {"speed_share", lost}, {"submission_ns", mean}, {"typical_ns", (double)typical},
	             {"workers", threads}, {"cores", (double)cores});
}
