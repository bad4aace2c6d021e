/* analyze/data/time_breakdown.c - the makespan as a sum: the area bound, and what each cause adds to it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/time_breakdown.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/trace/trace.h"

/* q(p): what a task of each class costs at the prices, where it costs least. To be freed. */
static double *least_prices(const struct bounds *b, const struct dag *d, arch_mask archs)
{
	double *least = ht_alloc(d->nclasses, sizeof(*least));

	for (uint32_t p = 0; p < d->nclasses; p++) {
		least[p] = -1;
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			int64_t cost = archs >> a & 1 ? dag_class_least(d, p, a) : -1;

			if (cost >= 0 && (least[p] < 0 || b->price[a] * (double)cost < least[p]))
				least[p] = b->price[a] * (double)cost;
		}
	}
	return least;
}

/* The account gets what tasks should cost where they ran above their least; worth[], all of what they should there. */
static void add_tasks(struct time_breakdown *x, const struct bounds *b, const struct dag *d, arch_mask archs,
                      const struct trace *t, double worth[ARCH_COUNT])
{
	double *least = least_prices(b, d, archs);

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t p = d->tasks[i].class_id;
		enum arch a = t->workers[t->tasks[d->tasks[i].trace_task].worker].arch;
		int64_t cost = dag_class_least(d, p, a);
		/* All the time of a class without a cost where it ran counts as duration. */
		double here = cost < 0 ? least[p] : b->price[a] * (double)cost;

		worth[a] += here;
		x->bound_ns += least[p];
		x->arch[a].placement_ns += here - least[p];
	}
	free(least);
}

static int is_known(const struct bounds *b, const struct machine *m, const struct worker_times *times)
{
	double sum = 0;

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (times->arch_workers[a] != machine_workers_of(m, a))
			return 0;
		sum += b->price[a] * times->arch_workers[a];
	}
	return !times->unknown && sum > 0.999 && sum < 1.001;
}

const char *const time_cause_names[TIME_CAUSES] = {
	"placement", "durations", "waiting", "scheduling", "idle, ready", "starved", "tail",
};

double time_cause_ns(const struct time_breakdown_part *part, int cause)
{
	return cause == TIME_CAUSE_PLACEMENT ? part->placement_ns :
	       cause == TIME_CAUSE_DURATIONS ? part->durations_ns :
	                                       part->state_ns[WORKER_EXECUTING + 1 + cause - TIME_CAUSE_FIRST_STATE];
}

void time_breakdown_init(struct time_breakdown *x, const struct bounds *b, const struct dag *d, const struct machine *m,
                         const struct trace *t, const struct worker_times *times)
{
	double worth[ARCH_COUNT] = {0};

	*x = (struct time_breakdown){.known = is_known(b, m, times)};
	if (!x->known)
		return;
	add_tasks(x, b, d, machine_archs(m), t, worth);
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		struct time_breakdown_part *part = &x->arch[a];
		const int64_t *ns = times->arch[a].ns;

		part->durations_ns = b->price[a] * (double)ns[WORKER_EXECUTING] - worth[a];
		for (int s = WORKER_EXECUTING + 1; s < WORKER_STATES; s++)
			part->state_ns[s] = b->price[a] * (double)ns[s];
		x->all.placement_ns += part->placement_ns;
		x->all.durations_ns += part->durations_ns;
		for (int s = 0; s < WORKER_STATES; s++)
			x->all.state_ns[s] += part->state_ns[s];
	}
}
