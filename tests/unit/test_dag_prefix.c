/* tests/unit/test_dag_prefix.c - the beginning of a graph is a graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/invariants.h"

static void a_prefix_is_a_graph(void)
{
	struct dag *d = graph_cholesky(9, 1000);

	for (uint32_t n = 1; n <= d->ntasks + 3; n += 13) {
		struct dag *part = dag_prefix(d, n);

		CHECK_STR(dag_check(part) ? dag_check(part) : "", "");
		CHECK_INT(part->ntasks, n < d->ntasks ? n : d->ntasks);
		CHECK(part->ntasks < d->ntasks || part->nedges == d->nedges);
		for (uint32_t i = 0; i < part->nedges; i++)
			CHECK(part->succ[i] < part->ntasks);
		dag_free(part);
	}
	dag_free(d);
}

/*
 * Tasks 0, 2 and 3 of rank 0, submitted at 0, 20 and 30, and 1 of rank 1. Point 0 sends what 0 has written, at 25;
 * point 2 sends what 3 has, after all; nothing leaves from point 3, which waits for 2.
 */
static void a_rank_knows_what_it_sends(void)
{
	static const int64_t submit_ns[] = {0, 5, 20, 30};
	static struct dag_point points[] = {{25, 0}, {0, 1}, {40, 0}, {10, 0}};
	static struct dag_message messages[] = {{8, 0, 1, 0, 1, UINT32_MAX, 0}, {8, 2, 1, 0, 1, UINT32_MAX, 1}};
	const uint32_t from[] = {0, 5, 3, 2}, to[] = {4, 1, 6, 7};
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "k", (const int64_t[ARCH_COUNT])COSTS(1, -1)), place[4];
	struct dag_messages m = {points, 4, messages, 2, {0}};
	struct dag *d, *part;

	for (int t = 0; t < 4; t++)
		dag_builder_task(b, type);
	d = dag_builder_finish(b, NULL);
	d->submit_ns = arena_alloc(d->arena, 4, sizeof(*d->submit_ns));
	memcpy(d->submit_ns, submit_ns, sizeof(submit_ns));
	d->tasks[1].rank = 1;
	d->nranks = 2;
	d->messages = &m;
	csr_build(&m.before, d->arena, 8, from, to, 4);
	part = dag_of_rank(d, 0, place);
	CHECK_INT(part->nsends, 2);
	CHECK_INT(part->sends[0].task, 0);
	CHECK_INT(part->sends[0].before, 2);
	CHECK_INT(part->sends[1].task, 2);
	CHECK_INT(part->sends[1].before, 3);
	dag_free(part);
	part = dag_of_rank(d, 1, place);
	CHECK_INT(part->nsends, 0);
	dag_free(part);
	dag_free(d);
}

int main(void)
{
	RUN(a_prefix_is_a_graph);
	RUN(a_rank_knows_what_it_sends);
	return check_done();
}
