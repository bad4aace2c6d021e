/* analyze/findings/finding_limits.c - what binds a run: its graph, tasks, workers, data, ready tasks and end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analyze/data/copies.h"
#include "analyze/data/idle.h"
#include "analyze/findings/finding.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/task_size.h"
#include "core/trace/trace.h"

/* Below these shares of the machine's speed, or of the makespan, there is no finding: runs have such gaps by nature. */
#define BOUND_SHARE 0.90
#define LINK_SHARE  0.70
#define TURNS_SHARE 0.30

#define MANY_WAITS 10 /* of the application for tasks */
#define FEW_TASKS  4  /* a worker, between two of them */

/* Of the makespan. */
static double critical_path_share(const struct finding_input *in)
{
	return (double)in->bounds->critical_path_ns / (double)in->makespan_ns;
}

void finding_critical_path(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	double share = critical_path_share(in);
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
	finding_show(f, {"critical_path_ns", (double)in->bounds->critical_path_ns},
	             {"makespan_ns", (double)in->makespan_ns});
}

void finding_area(const struct finding_input *in, const struct finding_check *self, struct findings *out)
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
	finding_show(f, {"area_bound_ns", (double)in->bounds->area_ns}, {"makespan_ns", (double)in->makespan_ns});
}

void finding_commuting(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int64_t turns = in->bounds->exclusion_ns, others = in->bounds->mixed_ns;
	double share = (double)turns / (double)in->makespan_ns;
	char length[16], other[16];
	struct finding *f;

	if (share < TURNS_SHARE || turns < 2 * others)
		return;
	f = finding_add(
		out, self, (double)(turns - others) / (double)in->makespan_ns,
		"Tasks that commute on data run one after the other, which takes at least %s (%.0f %%); all else "
		"binds the run to %s",
		time_text(length, turns), 100 * share, time_text(other, others));
	finding_advise(f, "STARPU_REDUX in place of STARPU_COMMUTE, or several pieces of data, let them run at once");
	finding_show(f, {"exclusion_bound_ns", (double)turns}, {"mixed_bound_ns", (double)others},
	             {"makespan_ns", (double)in->makespan_ns});
}

void finding_links(const struct finding_input *in, const struct finding_check *self, struct findings *out)
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
	finding_show(f, {"least_ns", (double)x->least_ns}, {"bytes", (double)moved},
	             {"makespan_ns", (double)in->makespan_ns});
}

/*
 * What workers did in place of tasks, of struct idle; the finding is about the architecture that lost most of the
 * machine's speed to it. A loss that is not wrong by itself is a note.
 */
static const struct loss {
	const char *check;
	double least; /* share of the machine's speed */
	int is_note;
	const char *did, *why, *advice;
} losses[] = {
	{"transfers", 0.10, 0, "waited for data for",
         ": they had popped a task, had none to execute, and what it reads was still on its way",
         "Larger tiles, a scheduler that copies data ahead, or one that places tasks where their data is (dmda, dmdas; "
         "Heteroprio with STARPU_HETEROPRIO_USE_LA=1) make this smaller"},
	{"scheduling", 0.10, 0, "spent",
         " in the runtime: in the scheduler, in callbacks, or between having a task and its data and starting it",
         "Tasks are short for what the runtime does for each: larger tasks, or a simpler scheduler, make this smaller"},
	{"starvation", 0.20, 0, "had nothing to do for", ": no ready task that they can run was left for them",
         "Tasks that release many others have to come first, as 'heterotune tune' orders them; where that does not "
         "help, the graph is too narrow for the machine: smaller tiles make it wider"},
	{"ready", 0.10, 0, "were idle for", " while tasks that suit them were ready and not started",
         "The scheduler kept them in other workers' queues, or they waited for data before they were popped; central "
         "queues as Heteroprio's share them out later, and 'heterotune replay RUN --policy recorded' shows more"},
	/* Where an architecture is much slower, leaving it idle is right. */
	{"faster-elsewhere", 0.20, 1, "were idle for", " while tasks were ready that are faster elsewhere",
         "Whether they should have helped depends on the slow factors: 'heterotune tune' tries them"},
	{"tail", 0.10, 0, "had done their last for", "",
         "Long tasks and long chains have to start earlier, and slow workers must not take tasks so late that others "
         "wait for them: 'heterotune tune' searches orders and slow factors that do this"},
};

/* Without a ready task. The tail, too, may be late. */
static int64_t starved_of(const struct finding_input *in, enum arch a)
{
	const struct idle *x = in->idle;
	int64_t all = x->arch[a].starved_ns + x->arch[a].surplus_ns, late = x->arch[a].late_ns;

	if (!finding_is_submission(in))
		return all;
	return late < all ? all - late : 0;
}

/* In the order of losses[]. */
static void lost_by_arch(const struct finding_input *in, size_t loss, int64_t ns[ARCH_COUNT])
{
	const struct idle *x = in->idle;

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		const int64_t lost[] = {x->arch[a].fetch_ns,  x->arch[a].scheduling_ns,       starved_of(in, a),
		                        x->arch[a].suited_ns, x->arch[a].faster_elsewhere_ns, x->arch[a].tail_ns};

		ns[a] = lost[loss];
	}
}

/* How often the application waits before it submits more: at its end it waits for each datum that it unregisters. */
static size_t waits_of(const struct finding_input *in)
{
	const struct trace *t = in->trace;
	int64_t last_ns = TIME_NONE;
	size_t n = 0;

	for (uint32_t i = 0; i < in->dag->ntasks; i++)
		if (t->tasks[in->dag->tasks[i].trace_task].submit_ns > last_ns)
			last_ns = t->tasks[in->dag->tasks[i].trace_task].submit_ns;
	for (size_t i = 0; i < t->nwaits; i++)
		n += t->waits[i].start_ns < last_ns;
	return n;
}

/* So often that what it has submitted keeps few workers busy; the rest is not known yet then. */
static int is_often(size_t waits, const struct finding_input *in)
{
	return waits >= MANY_WAITS && in->dag->ntasks < waits * FEW_TASKS * (size_t)in->machine->nworkers;
}

void finding_loss(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	const struct idle *x = in->idle;
	const struct loss *l = losses;
	int64_t ns[ARCH_COUNT];
	double lost, share;
	struct finding *f;
	char head[128] = "", tail[16];
	int is_starvation = strcmp(self->name, "starvation") == 0;
	size_t waits;
	enum arch a;

	while (strcmp(l->check, self->name) != 0)
		l++;
	lost_by_arch(in, (size_t)(l - losses), ns);
	lost = idle_weighted(x, ns);
	a = idle_most(x, ns);
	if (a == ARCH_NONE || lost < l->least)
		return;
	share = (double)ns[a] / (double)x->arch[a].span_ns;
	if (strcmp(l->check, "tail") == 0)
		snprintf(head, sizeof(head),
		         "In the last %s (%.0f %% of the run) there were fewer tasks than workers, and ",
		         time_text(tail, x->tail_ns), 100 * (double)x->tail_ns / (double)in->makespan_ns);
	f = finding_add(out, self, l->is_note ? 0 : lost, "%s%s workers %s %.0f %% of the run%s", head, arch_name(a),
	                l->did, 100 * share, l->why);
	waits = is_starvation ? waits_of(in) : 0;
	if (is_often(waits, in))
		finding_advise(
			f,
			"The program waits %zu times for tasks, of which there are %u: it should submit more of them "
			"before it waits; those that use the same data follow each other in any case",
			waits, in->dag->ntasks);
	else if (is_starvation && critical_path_share(in) >= BOUND_SHARE)
		finding_advise(
			f,
			"The longest chain of tasks takes nearly all of the run, so no order of tasks gives them more: the "
			"graph is too narrow for the machine; smaller tiles make it wider");
	else
		finding_advise(f, "%s", l->advice);
	if (*head)
		finding_show(f, {"tail_ns", (double)x->tail_ns}, {"makespan_ns", (double)in->makespan_ns});
	finding_show(f, {"speed_share", lost}, {"worker_share", share}, {"worker_time_ns", (double)ns[a]},
	             {"workers", x->arch[a].nworkers});
}

/* The share of the machine's speed that is in no task. */
static double unused(const struct idle *x)
{
	int64_t ns[ARCH_COUNT];

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		ns[a] = x->arch[a].span_ns - x->arch[a].busy_ns;
	return idle_weighted(x, ns);
}

/*
 * Tasks that take less than what StarPU does for each. All that workers do but tasks is at stake: until tasks are
 * larger, to order them otherwise changes little of it.
 */
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
	f = finding_add(out, self, fmax(unused(in->idle), fmax(submission, workers)), "The tasks are too small: %s",
	                task_size_text(&g, text));
	finding_advise(f,
	               "Make tasks about %d times longer, by larger blocks, so that a tenth of the time goes to StarPU: "
	               "no scheduler gains as much",
	               g.longer);
	finding_show(f, {"task_ns", (double)g.task_ns}, {"submit_ns", (double)g.submit_ns},
	             {"worker_ns", (double)g.worker_ns}, {"longer", g.longer});
}
