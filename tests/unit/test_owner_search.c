/* tests/unit/test_owner_search.c - owners of data get better, the same on any number of threads. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/machine.h"
#include "sched/placement/plan.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"
#include "tune/evaluate/evaluator.h"
#include "tune/search/owner_search.h"

enum { REPLAYS = 640 };

/* All data belongs to the first GPU, and nothing is stolen: *before and the result are mean makespans. */
static int64_t search(int jobs, size_t replays, int64_t *before, uint32_t *moved)
{
	struct machine *m = machine_parse("cuda:2 cpu:1", NULL);
	struct dag *d = graph_cholesky(6, 1000);
	struct evaluator *e =
		evaluator_create(&(struct evaluator_options){.policy_options = "", .jobs = jobs, .jitter_cv = 0.02});
	struct placement_knobs knobs;
	struct placement_base base;
	struct placement_plan plan;
	int64_t ns = -1;

	evaluator_add(e, &(struct evaluator_graph){d, m, NULL});
	CHECK_INT(placement_knobs_read(&knobs, "f=1000000", NULL), 0);
	CHECK_INT(placement_base_init(&base, d, m, 0, NULL), 0);
	placement_plan_init(&plan, &base, &knobs);
	for (uint32_t h = 0; h < d->nhandles; h++)
		plan.owner[h] = plan.owner[h] == PLACES_NONE ? PLACES_NONE : base.device[0];
	CHECK_INT(owner_search(e, &plan, &knobs, 1, 40, before, NULL), 0); /* the first round alone */
	CHECK_INT(owner_search(e, &plan, &knobs, 1, replays, &ns, NULL), 0);
	*moved = 0;
	for (uint32_t h = 0; h < d->nhandles; h++)
		*moved += plan.owner[h] == base.device[1];
	CHECK_INT(knobs.owners != 0, *moved != 0);
	placement_plan_fini(&plan);
	placement_base_fini(&base);
	evaluator_free(e);
	machine_free(m);
	dag_free(d);
	return ns;
}

static void test_better(void)
{
	int64_t before[2], after[2];
	uint32_t moved[2];

	for (int i = 0; i < 2; i++)
		after[i] = search(1 + i, REPLAYS, &before[i], &moved[i]);
	CHECK_INT(after[0], after[1]);
	CHECK_INT(moved[0], moved[1]);
	CHECK(moved[0] > 0);
	CHECK((double)after[0] < 0.9 * (double)before[0]);
}

/* Too few replays for a round: nothing changes. */
static void test_none(void)
{
	int64_t before;
	uint32_t moved;

	CHECK_INT(search(1, 31, &before, &moved), -1);
}

int main(void)
{
	RUN(test_better);
	RUN(test_none);
	return check_done();
}
