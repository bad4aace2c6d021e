/* tests/unit/test_move.c - random changes keep a setting legal. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/move.h"

#include "core/base/rng.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/tuned_graph.h"

/* Random changes: legal at every step, all tasks find a bucket, and no replay is left without an end. */
static void changes_keep_it_legal(void)
{
	struct tuned_graph g;
	struct rng r = {7};
	const struct move_options o = {.locality = 1};
	int split = 0, joined = 0;

	tuned_graph_init(&g, 6);
	for (int k = 0; k < GRANULARITY_COUNT; k++) {
		struct setting s;

		if (!g.granularities[k])
			continue;
		setting_by_urgency(&s, g.granularities[k], 0.5, 1);
		for (int i = 0; i < 1500; i++) {
			uint64_t before = setting_hash(&s);
			int buckets = s.nbuckets;
			struct config *c;

			CHECK_INT(move_any(&s, &r, &o), 1);
			CHECK(setting_hash(&s) != before);
			split += s.nbuckets > buckets;
			joined += s.nbuckets < buckets;
			c = config_of(&g, &s);
			CHECK(config_check(c) == NULL);
			if (config_check(c))
				printf("# %s after %d changes by %s\n", config_check(c), i, granularity_name(k));
			if (i % 50 == 0) {
				struct simulate_options how = {.policy = &policy_heteroprio,
				                               .policy_options = "",
				                               .config = c};
				struct ht_err err = {""};
				struct simulation *done = simulate(g.d, g.m, &how, &err);

				CHECK(done != NULL);
				CHECK_STR(err.text, "");
				simulation_free(done);
			}
			config_free(c);
		}
	}
	CHECK(split > 50 && joined > 50);
	tuned_graph_fini(&g);
}

/* What AutoHeteroprio can hold still at, changes leave so. */
static void frozen_stays_frozen(void)
{
	const struct move_options o = {.locality = 1, .frozen = 1};
	struct tuned_graph g;
	struct setting s;
	struct rng r = {7};

	tuned_graph_init(&g, 6);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 0.5, 1);
	for (int i = 0; i < 1500; i++)
		CHECK(setting_can_freeze(&s) && move_any(&s, &r, &o));
	setting_remove(&s, ARCH_CPU, 0);
	CHECK(!setting_can_freeze(&s));
	tuned_graph_fini(&g);
}

/* Where no policy honours it, locality stays as it is. */
static void locality_stays(void)
{
	const struct move_options o = {0};
	struct tuned_graph g;
	struct setting s;
	struct rng r = {7};

	tuned_graph_init(&g, 6);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 0.5, 1);
	for (int i = 0; i < 1500; i++) {
		struct setting changed = s;

		CHECK_INT(move_any(&changed, &r, &o), 1);
		CHECK(!changed.locality.enabled);
	}
	tuned_graph_fini(&g);
}

int main(void)
{
	RUN(changes_keep_it_legal);
	RUN(frozen_stays_frozen);
	RUN(locality_stays);
	return check_done();
}
