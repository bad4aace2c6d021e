/* tests/tool/bucket_counts.c - how many tasks of each model a config puts in each of its buckets. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* usage: bucket_counts RUN CONFIG: prints model, StarPU's number of the bucket, tasks. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/run/run.h"
#include "sched/heteroprio/heteroprio_setting.h"

int main(int argc, char **argv)
{
	struct ht_err err;
	struct run *r = argc == 3 ? run_open(argv[1], &err) : NULL;
	struct config *c = r ? config_load(argv[2], &err) : NULL;
	uint8_t *bucket_of = c ? ht_alloc(r->dag->ntasks, 1) : NULL;
	uint32_t(*count)[CONFIG_MAX_BUCKETS] = c ? ht_alloc(r->dag->ntypes, sizeof(*count)) : NULL;
	int rc = !c || heteroprio_buckets(c, r->dag, bucket_of, &err) != 0;

	for (uint32_t t = 0; !rc && t < r->dag->ntasks; t++)
		count[dag_type_of(r->dag, t)][bucket_of[t]]++;
	for (uint32_t p = 0; !rc && p < r->dag->ntypes; p++)
		for (int b = 0; b < c->nbuckets; b++)
			if (count[p][b])
				printf("%s %d %u\n", r->dag->types[p].model, config_starpu_number(c, b),
				       (unsigned)count[p][b]);
	if (rc)
		fprintf(stderr, "bucket_counts: %s\n", argc == 3 ? err.text : "usage: bucket_counts RUN CONFIG");
	free(bucket_of);
	free(count);
	config_free(c);
	run_free(r);
	return rc;
}
