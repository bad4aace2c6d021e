/* tests/unit/test_sensitivity.c - the makespan without each part of a setting. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/sensitivity.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "tests/lib/tuned_graph.h"
#include "tune/evaluate/final_round.h"

/* Two tasks, one after the other, for CPUs and GPUs. */
static struct dag *pair(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(40, 10);
	struct dag_builder *b = dag_builder_create();
	struct ht_err err = {""};
	struct dag *d;

	dag_builder_type(b, "one", cost);
	dag_builder_task(b, 0);
	dag_builder_task(b, 0);
	dag_builder_edge(b, 0, 1);
	d = dag_builder_finish(b, &err);
	CHECK_STR(err.text, "");
	return d;
}

/* What is worth most is found: one bucket first in its list decides, nothing else does. */
static void sensitivity_compares_replications(void)
{
	struct sensitivity *w = ht_alloc(1, sizeof(*w));
	struct ht_err err = {""};
	struct tuned_graph g;
	struct setting s;
	struct finalist x = {.setting = &s};
	int found = 0;
	struct evaluator *e;

	tuned_graph_init(&g, 7);
	e = evaluator_of(&g, 2, NULL, "", &err);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 1, 1);
	s.locality.enabled = 1;
	x.id.starpu_env.value[STARPU_ENV_CPUS] = 2;
	CHECK_INT(sensitivity_of(w, e, 0, &x, 3, 20, &err), 0);
	CHECK(w->count > 5 && w->count <= 20);
	for (size_t i = 0; i < w->count; i++) {
		CHECK(w->items[i].worst <= w->items[i].effect);
		CHECK(i == 0 || w->items[i].effect <= w->items[i - 1].effect);
		CHECK(*w->items[i].what != '\0');
		CHECK(isinf(w->items[i].effect) || w->items[i].effect < 100);
		found += !strcmp(w->items[i].what, "locality: AUTO");
		found += !strcmp(w->items[i].what, "startup: 2 CPUs");
	}
	CHECK_INT(found, 2);
	evaluator_free(e);
	free(w);
	tuned_graph_fini(&g);
}

/*
 * Drivers that sleep: the worker that is woken for a task may be one whose list has lost it, and then nobody takes it.
 * That is no number of percent.
 */
static void sensitivity_knows_what_never_ends(void)
{
	struct sensitivity *w = ht_alloc(1, sizeof(*w));
	struct ht_err err = {""};
	struct tuned_graph g;
	struct setting s;
	struct finalist x = {.setting = &s};
	int never = 0;
	struct evaluator *e;

	tuned_graph_of(&g, pair(), "cuda:1 cpu:1");
	e = evaluator_of(&g, 2, NULL, "drivers=blocking", &err);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 1, 1);
	CHECK_INT(sensitivity_of(w, e, 0, &x, 3, 20, &err), 0);
	for (size_t i = 0; i < w->count; i++) {
		never += isinf(w->items[i].effect);
		CHECK(isinf(w->items[i].effect) || w->items[i].effect < 100);
	}
	CHECK(never > 0);
	evaluator_free(e);
	free(w);
	tuned_graph_fini(&g);
}

int main(void)
{
	RUN(sensitivity_compares_replications);
	RUN(sensitivity_knows_what_never_ends);
	return check_done();
}
