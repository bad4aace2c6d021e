/* tests/tool/compare_graphs.c - whether the tasks of two runs, in the order of submission, wait for the same. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/run/run.h"

/* Types are the same when one name contains the other: "potrf" is "chol_model_potrf". */
static int same_type(const char *a, const char *b)
{
	return strstr(a, b) || strstr(b, a);
}

static int same_predecessors(const struct dag *a, const struct dag *b, uint32_t t)
{
	uint32_t n = dag_npred(a, t);

	return n == dag_npred(b, t) &&
	       (n == 0 || memcmp(a->pred + a->pred_first[t], b->pred + b->pred_first[t], n * sizeof(*a->pred)) == 0);
}

static unsigned homes(const struct dag *d)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < d->nhandles; i++)
		n += d->handle_home[i] >= 0;
	return n;
}

int main(int argc, char **argv)
{
	struct ht_err err = {""};
	struct run *a = argc == 3 ? run_open(argv[1], &err) : NULL, *b = a ? run_open(argv[2], &err) : NULL;
	uint32_t types = 0, waits = 0;
	int status = 2;

	if (!b) {
		fprintf(stderr, "compare_graphs RUN RUN: %s\n", err.text);
		goto out;
	}
	status = a->dag->ntasks != b->dag->ntasks;
	for (uint32_t t = 0; t < a->dag->ntasks && t < b->dag->ntasks; t++) {
		types += !same_type(a->dag->types[dag_type_of(a->dag, t)].name,
		                    b->dag->types[dag_type_of(b->dag, t)].name);
		waits += !same_predecessors(a->dag, b->dag, t);
	}
	printf("tasks: %u %u, dependencies: %u %u; tasks of other types: %u, that wait for others: %u\n",
	       a->dag->ntasks, b->dag->ntasks, a->dag->nedges, b->dag->nedges, types, waits);
	printf("waits of the application: %u %u; data with a home: %u %u\n", a->dag->nwaits, b->dag->nwaits,
	       homes(a->dag), homes(b->dag));
	status |= types || waits;
out:
	run_free(a);
	run_free(b);
	return status;
}
