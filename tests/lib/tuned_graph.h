/* tests/lib/tuned_graph.h - a graph, its machine, and all that settings of a tune are made of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_TUNED_GRAPH_H
#define TESTS_LIB_TUNED_GRAPH_H

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tune/evaluate/evaluator.h"
#include "tune/settings/config_make.h"
#include "tune/settings/granularity.h"
#include "tune/settings/setting.h"

struct tuned_graph {
	struct dag *d;
	struct machine *m;
	struct ranks ranks;
	struct config *base;
	struct granularity *granularities[GRANULARITY_COUNT];
};

static inline void tuned_graph_of(struct tuned_graph *g, struct dag *d, const char *machine)
{
	struct ht_err err = {""};

	*g = (struct tuned_graph){.d = d, .m = machine_parse(machine, NULL)};
	CHECK_INT(ranks_init(&g->ranks, g->d, g->m, &err), 0);
	g->base = config_from_dag(g->d, g->m, &err);
	for (int k = 0; k < GRANULARITY_COUNT; k++)
		g->granularities[k] = granularity_make((enum granularity_kind)k, g->d, g->m, g->ranks.upward_ns);
}

/* A Cholesky factorisation whose priorities are those of its iterations, and whose data has three sizes. */
static inline void tuned_graph_init(struct tuned_graph *g, int n)
{
	struct dag *d = graph_cholesky(n, 1000);

	for (uint32_t t = 0; t < d->ntasks; t++)
		d->tasks[t].priority = (int32_t)(d->ntasks - t) / 7 - 20;
	tuned_graph_of(g, d, "cpu:4 cuda:2");
}

static inline void tuned_graph_fini(struct tuned_graph *g)
{
	for (int k = 0; k < GRANULARITY_COUNT; k++)
		granularity_free(g->granularities[k]);
	config_free(g->base);
	ranks_fini(&g->ranks);
	dag_free(g->d);
	machine_free(g->m);
}

static inline struct config *config_of(const struct tuned_graph *g, const struct setting *s)
{
	struct config *c = config_create();

	memcpy(c->workers, g->base->workers, sizeof(c->workers));
	setting_config(s, c);
	return c;
}

static inline struct evaluator *evaluator_of(const struct tuned_graph *g, int jobs, const char *journal,
                                             const char *policy_options, struct ht_err *err)
{
	struct evaluator_options o = {.base = g->base,
	                              .policy_options = policy_options,
	                              .jobs = jobs,
	                              .journal = journal,
	                              .jitter_cv = 0.1,
	                              .seed = 3};
	struct evaluator_graph graph = {g->d, g->m, NULL};
	struct evaluator *e = evaluator_create(&o);

	evaluator_add(e, &graph);
	evaluator_limit_tasks(e, 400 * (uint64_t)g->d->ntasks);
	CHECK_INT(evaluator_open(e, err), 0);
	return e;
}

#endif
