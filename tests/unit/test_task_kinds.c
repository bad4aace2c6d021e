/* tests/unit/test_task_kinds.c - the tasks of buckets by codelet, where types are many, or run on different things. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/heteroprio/heteroprio_setting.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tune/settings/config_make.h"
#include "tune/settings/granularity.h"
#include "tune/settings/task_kinds.h"

enum { MANY = 150 };

static const arch_mask ARCHS = 1 << ARCH_CPU | 1 << ARCH_CUDA;

static void test_few(void)
{
	const int64_t cost[ARCH_COUNT] = COSTS(10, 20);
	struct dag_builder *b = dag_builder_create();
	struct arena *a = arena_create();
	struct task_kinds k;
	struct dag *d;

	for (int i = 0; i < 3; i++)
		dag_builder_task(b, dag_builder_type(b, "x", cost));
	d = dag_builder_finish(b, NULL);
	task_kinds_init(&k, d, ARCHS, a);
	CHECK_INT(k.n, 3);
	CHECK(k.are_types);
	for (int i = 0; i < 3; i++) {
		CHECK(k.kinds[i].is_type);
		CHECK_INT(k.of_class[i], i);
		CHECK_INT(k.kinds[i].where, ARCHS);
		CHECK_INT(k.kinds[i].nmembers, 1);
		CHECK_INT(k.kinds[i].members[0].limits, 0);
	}
	task_kinds_fini(&k);
	arena_free(a);
	dag_free(d);
}

/* Type i takes i; every third one runs on CPUs alone. The 60 that take longest have buckets of their own. */
static struct dag *many_types(void)
{
	struct dag_builder *b = dag_builder_create();
	static char names[MANY][16];

	for (int i = 0; i < MANY; i++) {
		const int64_t cost[ARCH_COUNT] = COSTS(i + 1, i % 3 ? i + 2 : -1);

		snprintf(names[i], sizeof(names[i]), "t%d", i);
		dag_builder_task(b, dag_builder_type(b, names[i], cost));
	}
	return dag_builder_finish(b, NULL);
}

static void test_many(void)
{
	struct dag *d = many_types();
	struct arena *a = arena_create();
	struct task_kinds k;
	size_t members = 0;

	task_kinds_init(&k, d, ARCHS, a);
	CHECK_INT(k.n, 62);
	CHECK(!k.are_types);
	for (int i = 0; i < MANY; i++) {
		const struct task_kind *kind = &k.kinds[k.of_class[i]];

		CHECK_INT(kind->is_type, i >= MANY - 60);
		CHECK_INT(kind->where, i % 3 ? ARCHS : 1 << ARCH_CPU);
	}
	for (int i = 0; i < k.n; i++)
		members += k.kinds[i].nmembers;
	CHECK_INT(members, MANY);
	CHECK_STR(k.kinds[60].name, "30 other types");
	CHECK_STR(k.kinds[61].name, "60 other types");
	task_kinds_fini(&k);
	arena_free(a);
	dag_free(d);
}

/* Every task has a bucket of the config that is made, which all architectures in whose lists it is can run. */
static void check_config(const struct dag *d, const struct machine *m)
{
	struct ht_err err = {""};
	struct config *c = config_from_dag(d, m, &err);
	uint8_t *bucket = ht_alloc(d->ntasks, 1);
	double *rank = ht_alloc(d->ntasks, sizeof(*rank));

	CHECK_STR(err.text, "");
	CHECK(c && !config_check(c));
	CHECK_INT(heteroprio_buckets(c, d, bucket, &err), 0);
	for (uint32_t t = 0; t < d->ntasks; t++) {
		arch_mask where = c->buckets[bucket[t]].where;

		CHECK(where && !(where & ~dag_class_archs(&d->classes[d->tasks[t].class_id])));
	}
	for (int kind = 0; kind < GRANULARITY_COUNT; kind++) {
		struct granularity *g = granularity_make((enum granularity_kind)kind, d, m, rank);

		CHECK(g || kind != GRANULARITY_CODELET);
		for (int i = 0; g && i < g->ngroups; i++)
			CHECK(g->groups[i].where && g->groups[i].count);
		granularity_free(g);
	}
	config_free(c);
	free(bucket);
	free(rank);
}

/* A codelet that runs on CPUs where its data is small, and on GPUs where it is large; another one on both. */
static void test_by_size(void)
{
	const int64_t small[ARCH_COUNT] = COSTS(10, -1), large[ARCH_COUNT] = COSTS(-1, 20);
	const int64_t any[ARCH_COUNT] = COSTS(5, 5);
	struct dag_builder *b = dag_builder_create();
	uint32_t x = dag_builder_type(b, "x", small), y = dag_builder_type(b, "y", large);
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	struct arena *a = arena_create();
	struct task_kinds k;
	struct dag *d;

	dag_builder_task(b, x);
	dag_builder_task(b, y);
	dag_builder_task(b, y);
	dag_builder_task(b, dag_builder_type(b, "z", any));
	d = dag_builder_finish(b, NULL);
	d->classes[1].codelet = 0;
	d->classes[2].codelet = 1;
	d->types[1] = d->types[2];
	d->ntypes = 2;
	d->classes[0].footprint = 100;
	d->classes[1].footprint = 200;
	task_kinds_init(&k, d, machine_archs(m), a);
	CHECK_INT(k.n, 3);
	CHECK(!k.kinds[0].is_type && !k.kinds[1].is_type && k.kinds[2].is_type);
	CHECK_INT(k.kinds[0].nmembers, 1);
	CHECK_INT(k.kinds[0].members[0].limits, MEMBER_FOOTPRINT);
	CHECK_INT(k.kinds[0].members[0].footprint, 100);
	CHECK_INT(k.kinds[1].nmembers, 2); /* and what has another size: most tasks are these */
	CHECK_INT(k.kinds[1].members[0].limits, 0);
	CHECK_INT(k.kinds[1].members[1].footprint, 200);
	task_kinds_fini(&k);
	check_config(d, m);
	machine_free(m);
	arena_free(a);
	dag_free(d);
}

static void test_config_of_many(void)
{
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	struct dag *d = many_types();

	check_config(d, m);
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(test_few);
	RUN(test_many);
	RUN(test_by_size);
	RUN(test_config_of_many);
	return check_done();
}
