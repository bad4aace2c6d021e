/* analyze/findings/finding_limits.c - what binds a run: its graph, its workers, its data, its ready tasks, its end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <assert.h>

#include "analyze/data/copies.h"
#include "analyze/data/idle.h"
#include "analyze/findings/finding.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"

/* Below these shares of the machine's speed, or of the makespan, there is no finding: runs have such gaps by nature. */
#define BOUND_SHARE            0.90
#define FETCH_SHARE            0.10
#define RUNTIME_SHARE          0.10
#define LINK_SHARE             0.70
#define READY_SHARE            0.10
#define STARVED_SHARE          0.20
#define FASTER_ELSEWHERE_SHARE 0.20
#define TAIL_SHARE             0.10

static void check_path(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	double share = (double)in->bounds->critical_path_ns / (double)in->makespan_ns;
	char path[16], span[16];
	struct finding *f;

	if (share < BOUND_SHARE)
		return;
	f = finding_add(out, self, 0,
	                "The longest chain of tasks takes %s of the %s (%.0f %%): the run is bound by its "
	                "critical path",
	                time_text(path, in->bounds->critical_path_ns), time_text(span, in->makespan_ns), 100 * share);
	finding_advise(f,
	               "No order of tasks gains more than %.0f %%; shorter tasks on the chain or a different algorithm "
	               "do",
	               100 * (1 - share < 0 ? 0 : 1 - share));
	finding_show(f, "critical_path_ns", (double)in->bounds->critical_path_ns);
	finding_show(f, "makespan_ns", (double)in->makespan_ns);
}

static void check_area(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	double share = (double)in->bounds->area_ns / (double)in->makespan_ns;
	char area[16], span[16];
	struct finding *f;

	if (share < BOUND_SHARE)
		return;
	f = finding_add(out, self, 0,
	                "All work shared out perfectly takes %s of the %s (%.0f %%): the run is bound by the "
	                "speed of its workers",
	                time_text(area, in->bounds->area_ns), time_text(span, in->makespan_ns), 100 * share);
	finding_advise(f, "No order of tasks gains more than %.0f %%; faster kernels or more workers do",
	               100 * (1 - share < 0 ? 0 : 1 - share));
	finding_show(f, "area_bound_ns", (double)in->bounds->area_ns);
	finding_show(f, "makespan_ns", (double)in->makespan_ns);
}

/* The architecture whose workers lost most of the machine's speed to it. */
static enum arch most(const struct idle *x, const int64_t ns[ARCH_COUNT])
{
	enum arch worst = ARCH_NONE;
	double lost = 0;

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double here = x->arch[a].span_ns > 0 ? x->power[a] * (double)ns[a] / (double)x->arch[a].span_ns : 0;

		if (here > lost) {
			lost = here;
			worst = a;
		}
	}
	return worst;
}

static double share_of(const struct idle *x, const int64_t ns[ARCH_COUNT], enum arch a)
{
	return (double)ns[a] / (double)x->arch[a].span_ns;
}

static void show_idle(struct finding *f, const struct idle *x, const int64_t ns[ARCH_COUNT], enum arch a)
{
	finding_show(f, "speed_share", idle_weighted(x, ns));
	finding_show(f, "worker_share", share_of(x, ns, a));
	finding_show(f, "worker_time_ns", (double)ns[a]);
	finding_show(f, "workers", x->arch[a].nworkers);
}

static void check_transfers(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t ns[ARCH_COUNT];
	struct finding *f;
	double lost;
	enum arch a;

	for (enum arch i = 0; i < ARCH_COUNT; i++)
		ns[i] = in->idle->arch[i].fetch_ns;
	lost = idle_weighted(in->idle, ns);
	a = most(in->idle, ns);
	if (a == ARCH_NONE || lost < FETCH_SHARE)
		return;
	f = finding_add(out, self, lost,
	                "%s workers waited for data for %.0f %% of the run: they had popped a task, had none to "
	                "execute, and what it reads was still on its way",
	                arch_name(a), 100 * share_of(in->idle, ns, a));
	finding_advise(f,
	               "Larger tiles, a scheduler that copies data ahead, or one that places tasks where their data is "
	               "(dmda, dmdas; Heteroprio with STARPU_HETEROPRIO_USE_LA=1) make this smaller");
	show_idle(f, in->idle, ns, a);
}

static void check_links(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	const struct copies *x = in->copies;
	double share = (double)x->least_ns / (double)in->makespan_ns;
	const struct copies_run *slowest = NULL;
	char bytes[16], least[16], span[16];
	int host = x->host_least_ns == x->least_ns;
	uint64_t moved = x->host_bytes;
	struct finding *f;

	if (share < LINK_SHARE)
		return;
	for (size_t i = 0; i < x->count; i++)
		if (!slowest || x->at[i].run.least_ns > slowest->least_ns)
			slowest = &x->at[i].run;
	assert(host || slowest);
	moved = host ? moved : slowest->bytes;
	f = finding_add(out, self, 0,
	                "The %s that the run moved over %s take at least %s of the %s (%.0f %%): with these "
	                "copies it is bound by its links",
	                bytes_text(bytes, (double)moved),
	                host ? "the link between its devices and the host" : "its slowest link",
	                time_text(least, x->least_ns), time_text(span, in->makespan_ns), 100 * share);
	finding_advise(f,
	               "A scheduler that copies less gains more than one that orders better: dmdas, or Heteroprio with "
	               "locality (STARPU_HETEROPRIO_USE_LA=1); larger tiles move less per operation");
	finding_show(f, "least_ns", (double)x->least_ns);
	finding_show(f, "bytes", (double)moved);
	finding_show(f, "makespan_ns", (double)in->makespan_ns);
}

static void check_scheduling(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t ns[ARCH_COUNT];
	struct finding *f;
	double lost;
	enum arch a;

	for (enum arch i = 0; i < ARCH_COUNT; i++)
		ns[i] = in->idle->arch[i].scheduling_ns;
	lost = idle_weighted(in->idle, ns);
	a = most(in->idle, ns);
	if (a == ARCH_NONE || lost < RUNTIME_SHARE)
		return;
	f = finding_add(out, self, lost,
	                "%s workers spent %.0f %% of the run in the runtime: in the scheduler, in callbacks, or "
	                "between having a task and its data and starting it",
	                arch_name(a), 100 * share_of(in->idle, ns, a));
	finding_advise(
		f,
		"Tasks are short for what the runtime does for each: larger tasks, or a simpler scheduler, make this "
		"smaller");
	show_idle(f, in->idle, ns, a);
}

static void check_starvation(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t ns[ARCH_COUNT];
	struct finding *f;
	double lost;
	enum arch a;

	for (enum arch i = 0; i < ARCH_COUNT; i++)
		ns[i] = in->idle->arch[i].starved_ns + in->idle->arch[i].surplus_ns;
	lost = idle_weighted(in->idle, ns);
	a = most(in->idle, ns);
	if (a == ARCH_NONE || lost < STARVED_SHARE)
		return;
	f = finding_add(out, self, lost,
	                "%s workers had nothing to do for %.0f %% of the run: no ready task that they can run "
	                "was left for them",
	                arch_name(a), 100 * share_of(in->idle, ns, a));
	finding_advise(f,
	               "Tasks that release many others have to come first, as 'heterotune tune' orders them; where that "
	               "does not help, the graph is too narrow for the machine: smaller tiles make it wider");
	show_idle(f, in->idle, ns, a);
}

static void check_ready(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t ns[ARCH_COUNT];
	struct finding *f;
	double lost;
	enum arch a;

	for (enum arch i = 0; i < ARCH_COUNT; i++)
		ns[i] = in->idle->arch[i].suited_ns;
	lost = idle_weighted(in->idle, ns);
	a = most(in->idle, ns);
	if (a == ARCH_NONE || lost < READY_SHARE)
		return;
	f = finding_add(out, self, lost,
	                "%s workers were idle for %.0f %% of the run while tasks that suit them were ready "
	                "and not started",
	                arch_name(a), 100 * share_of(in->idle, ns, a));
	finding_advise(
		f, "The scheduler kept them in other workers' queues, or they waited for data before they were popped; "
		   "central queues as Heteroprio's share them out later, and 'heterotune replay RUN --policy recorded' "
		   "shows more");
	show_idle(f, in->idle, ns, a);
}

/* Not wrong by itself: where an architecture is much slower, leaving it idle is right. */
static void check_faster_elsewhere(const struct finding_input *in, const struct finding_check *self,
                                   struct findings *out)
{
	int64_t ns[ARCH_COUNT];
	struct finding *f;
	enum arch a;

	for (enum arch i = 0; i < ARCH_COUNT; i++)
		ns[i] = in->idle->arch[i].faster_elsewhere_ns;
	a = most(in->idle, ns);
	if (a == ARCH_NONE || idle_weighted(in->idle, ns) < FASTER_ELSEWHERE_SHARE)
		return;
	f = finding_add(out, self, 0,
	                "%s workers were idle for %.0f %% of the run while tasks were ready that are faster "
	                "elsewhere",
	                arch_name(a), 100 * share_of(in->idle, ns, a));
	finding_advise(f, "Whether they should have helped depends on the slow factors: 'heterotune tune' tries them");
	show_idle(f, in->idle, ns, a);
}

static void check_tail(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t ns[ARCH_COUNT];
	struct finding *f;
	char tail[16];
	double lost;
	enum arch a;

	for (enum arch i = 0; i < ARCH_COUNT; i++)
		ns[i] = in->idle->arch[i].tail_ns;
	lost = idle_weighted(in->idle, ns);
	a = most(in->idle, ns);
	if (a == ARCH_NONE || lost < TAIL_SHARE)
		return;
	f = finding_add(out, self, lost,
	                "In the last %s (%.0f %% of the run) there were fewer tasks than workers, and %s workers "
	                "had done their last for %.0f %% of the run",
	                time_text(tail, in->idle->tail_ns), 100 * (double)in->idle->tail_ns / (double)in->makespan_ns,
	                arch_name(a), 100 * share_of(in->idle, ns, a));
	finding_advise(f,
	               "Long tasks and long chains have to start earlier, and slow workers must not take tasks so late "
	               "that others wait for them: 'heterotune tune' searches orders and slow factors that do this");
	finding_show(f, "tail_ns", (double)in->idle->tail_ns);
	finding_show(f, "makespan_ns", (double)in->makespan_ns);
	show_idle(f, in->idle, ns, a);
}

const struct finding_check finding_critical_path = {
	.name = "critical-path",
	.summary = "the longest chain of tasks takes 90 % of the run",
	.check = check_path,
};
const struct finding_check finding_area = {
	.name = "area",
	.summary = "the work shared out perfectly takes 90 % of the run",
	.check = check_area,
};
const struct finding_check finding_transfers = {
	.name = "transfers",
	.summary = "workers wait for data",
	.check = check_transfers,
};
const struct finding_check finding_links = {
	.name = "links",
	.summary = "what was copied needs 70 % of the run",
	.check = check_links,
};
const struct finding_check finding_scheduling = {
	.name = "scheduling",
	.summary = "workers are busy with the runtime",
	.check = check_scheduling,
};
const struct finding_check finding_starvation = {
	.name = "starvation",
	.summary = "workers are idle without a ready task",
	.check = check_starvation,
};
const struct finding_check finding_ready = {
	.name = "ready",
	.summary = "workers are idle while tasks that suit them are ready",
	.check = check_ready,
};
const struct finding_check finding_faster_elsewhere = {
	.name = "faster-elsewhere",
	.summary = "workers are idle while what is ready is faster elsewhere",
	.check = check_faster_elsewhere,
};
const struct finding_check finding_tail = {
	.name = "tail",
	.summary = "workers have nothing left to do long before the end",
	.check = check_tail,
};
