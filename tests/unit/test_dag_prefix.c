/* tests/unit/test_dag_prefix.c - the beginning of a graph is a graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "tests/lib/check.h"
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

int main(void)
{
	RUN(a_prefix_is_a_graph);
	return check_done();
}
