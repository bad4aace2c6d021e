/* sched/static/cluster_heft.c - HEFT on convex clusters of tasks instead of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report on communication times in XKaapi (Inria, 2013), section 3: the graph is divided into convex clusters
 * (cluster.h), and HEFT (heft.h) places the clusters, each on one worker, with copies between clusters only.
 * A cluster's length is the sum of its tasks'; a worker that cannot run one of them cannot run the cluster. The report
 * puts empty tasks around the clusters so that they begin and end as a whole; here a worker executes its clusters one
 * after the other, and a task waits for those it depends on, not for all of their cluster.
 *
 * A cluster that no worker can run as a whole is taken apart again, into its tasks.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/static/cluster.h"
#include "sched/static/clusters.h"
#include "sched/static/heft.h"
#include "sched/static/schedule.h"

/* Clusters without an architecture that can run all their tasks become clusters of one. */
static void take_apart(struct clusters *c, const struct dag *d, arch_mask of_machine)
{
	uint32_t *of = ht_alloc(d->ntasks, sizeof(*of)), n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		arch_mask archs = of_machine;
		uint32_t each = 0;

		for (uint32_t k = c->first[i]; k < c->first[i + 1]; k++) {
			for (int a = 0; a < ARCH_COUNT; a++) {
				if (dag_cost(d, c->tasks[k], (enum arch)a) < 0)
					archs &= (arch_mask) ~(1u << a);
			}
		}
		for (uint32_t k = c->first[i]; k < c->first[i + 1]; k++) {
			of[c->tasks[k]] = n + each;
			each += !archs;
		}
		n += archs ? 1 : each;
	}
	clusters_fini(c);
	clusters_init(c, d, of, n);
}

struct cluster_knobs {
	int64_t size, tries, seed;
	int links;
};

static const struct knob knobs[] = {
	COUNT_KNOB(cluster_knobs, size, "size", "N", CLUSTER_SIZE, 1, 1000000000),
	COUNT_KNOB(cluster_knobs, tries, "tries", "N", 0, 1, 1000000000),
	COUNT_KNOB(cluster_knobs, seed, "seed", "N", 1, 0, 1000000000),
	PLANNER_LINKS_KNOB(cluster_knobs, links),
	LAST_KNOB,
};

static void *cluster_heft_create(const struct policy *self, const struct policy_world *w, const char *options,
                                 struct ht_err *err)
{
	struct cluster_options o;
	struct cluster_knobs k;
	struct clusters c;
	struct schedule *s;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	o = (struct cluster_options){(uint32_t)k.size, (uint32_t)k.tries, (uint64_t)k.seed};
	cluster_convex(&c, w->dag, &o);
	take_apart(&c, w->dag, machine_archs(w->machine));
	s = heft_plan(w, &c, (enum planner_links)k.links, err);
	clusters_fini(&c);
	return s ? follow_create(w, s) : NULL;
}

const struct policy policy_cluster_heft = {
	.name = "cluster-heft",
	.summary = "heft on convex clusters of tasks (XKaapi)",
	.knobs = knobs,
	.create = cluster_heft_create,
	.free = follow_free,
	.added = follow_added,
	.push = follow_push,
	.pop = follow_pop,
	.priority = follow_priority,
};
