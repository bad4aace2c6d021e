/* tests/unit/test_granularity.c - task groups: every task is in one, and a config finds it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/granularity.h"

#include "sched/heteroprio/heteroprio_setting.h"
#include "tests/lib/tuned_graph.h"

/* Every task is in one group, whose numbers are those of its tasks; a config of the groups puts it there. */
static void granularities_share_out_all_tasks(void)
{
	struct tuned_graph g;

	tuned_graph_init(&g, 9);
	CHECK(g.granularities[GRANULARITY_FOOTPRINT] == NULL); /* one size: nothing to distinguish */
	for (int k = 0; k < GRANULARITY_COUNT; k++) {
		struct setting s;
		struct config *c;
		uint8_t *bucket_of;
		uint32_t count[CONFIG_MAX_BUCKETS] = {0}, total = 0;
		double rank[CONFIG_MAX_BUCKETS] = {0};
		struct ht_err err = {""};

		if (k == GRANULARITY_FOOTPRINT)
			continue;
		bucket_of = ht_alloc(g.d->ntasks, 1);
		CHECK(g.granularities[k] != NULL);
		setting_by_urgency(&s, g.granularities[k], 1, 1);
		c = config_of(&g, &s);
		CHECK(config_check(c) == NULL);
		CHECK_INT(heteroprio_buckets(c, g.d, bucket_of, &err), 0);
		CHECK_STR(err.text, "");
		for (uint32_t t = 0; t < g.d->ntasks; t++) {
			CHECK_INT(g.granularities[k]->groups[bucket_of[t]].kind, dag_type_of(g.d, t));
			count[bucket_of[t]]++;
			rank[bucket_of[t]] += g.ranks.upward_ns[t];
		}
		for (int i = 0; i < g.granularities[k]->ngroups; i++) {
			const struct task_group *a = &g.granularities[k]->groups[i];

			CHECK_INT(a->count, count[i]);
			CHECK_WITHIN(a->rank_ns, rank[i] / count[i], 1);
			CHECK(k != GRANULARITY_RANK || !a->level || a->rank_ns <= a[-1].rank_ns);
			CHECK_INT(a->where, a->kind == POTRF ? 1 << ARCH_CPU : 1 << ARCH_CPU | 1 << ARCH_CUDA);
			total += a->count;
		}
		CHECK_INT(total, g.d->ntasks);
		free(bucket_of);
		config_free(c);
	}
	tuned_graph_fini(&g);
}

/*
 * Of the updates two of three have data of another size, and their model distinguishes these two: a bucket goes by the
 * data, which is all that StarPU shows of a task.
 */
static void footprints_are_of_data(void)
{
	enum { DATA = 0x77, PARTS = 3 };
	struct dag *d = graph_cholesky(6, 1000);
	struct dag_class *classes = arena_alloc(d->arena, d->nclasses + PARTS - 1, sizeof(*classes));
	uint32_t class_of_part[PARTS] = {0, d->nclasses, d->nclasses + 1}, *data_class, n = 0;
	struct tuned_graph g;
	struct setting s;
	struct config *c;
	struct ht_err err = {""};
	uint8_t *bucket_of;
	int bucket[PARTS] = {-1, -1, -1};

	memcpy(classes, d->classes, d->nclasses * sizeof(*classes));
	while (classes[class_of_part[0]].codelet != GEMM)
		class_of_part[0]++;
	for (int i = 1; i < PARTS; i++) {
		classes[class_of_part[i]] = classes[class_of_part[0]];
		classes[class_of_part[i]].footprint = (uint32_t)i;
		classes[class_of_part[i]].data_footprint = DATA;
		classes[class_of_part[i]].is_refined = 1;
	}
	d->classes = classes;
	d->nclasses += PARTS - 1;
	for (uint32_t t = 0; t < d->ntasks; t++)
		if (dag_type_of(d, t) == GEMM)
			d->tasks[t].class_id = class_of_part[n++ % PARTS];
	data_class = dag_data_classes(d);
	CHECK_INT(data_class[class_of_part[0]], class_of_part[0]);
	CHECK_INT(data_class[class_of_part[1]], class_of_part[1]);
	CHECK_INT(data_class[class_of_part[2]], class_of_part[1]);
	free(data_class);
	tuned_graph_of(&g, d, "cpu:4 cuda:2");
	REQUIRE(g.granularities[GRANULARITY_FOOTPRINT]);
	setting_by_urgency(&s, g.granularities[GRANULARITY_FOOTPRINT], 1, 1);
	c = config_of(&g, &s);
	bucket_of = ht_alloc(d->ntasks, 1);
	CHECK(config_check(c) == NULL);
	CHECK_INT(heteroprio_buckets(c, d, bucket_of, &err), 0);
	for (uint32_t t = 0; t < d->ntasks; t++)
		for (int i = 0; i < PARTS; i++)
			if (d->tasks[t].class_id == class_of_part[i])
				bucket[i] = bucket_of[t];
	CHECK(bucket[0] != bucket[1]);
	CHECK_INT(bucket[2], bucket[1]);
	free(bucket_of);
	config_free(c);
	tuned_graph_fini(&g);
}

int main(void)
{
	RUN(granularities_share_out_all_tasks);
	RUN(footprints_are_of_data);
	return check_done();
}
