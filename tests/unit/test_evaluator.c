/* tests/unit/test_evaluator.c - what is replayed, and what is known without. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/evaluator.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/rng.h"
#include "tests/lib/tuned_graph.h"
#include "tune/search/move.h"

enum { SETTINGS = 300 };

static size_t replays_of(const struct evaluator *e)
{
	struct evaluator_state state;

	evaluator_state(e, &state);
	return state.replays;
}

/* Changes that make no difference on the graph cost no replay, and the makespan is that of a replay all the same. */
static void equal_settings_are_replayed_once(void)
{
	const struct move_options o = {.locality = 0};
	struct setting *settings = ht_alloc(SETTINGS, sizeof(*settings));
	const struct setting *each[SETTINGS];
	int64_t ns[SETTINGS], alone_ns;
	struct ht_err err = {""};
	struct rng r = {3};
	struct tuned_graph g;
	struct evaluator *e;

	tuned_graph_init(&g, 6);
	setting_by_urgency(&settings[0], g.granularities[GRANULARITY_RANK], 1, 64);
	for (int i = 1; i < SETTINGS; i++) {
		settings[i] = settings[0];
		CHECK_INT(move_any(&settings[i], &r, &o), 1);
		CHECK(setting_hash(&settings[i]) != setting_hash(&settings[0]));
	}
	for (int i = 0; i < SETTINGS; i++)
		each[i] = &settings[i];
	e = evaluator_of(&g, 1, NULL, "", &err);
	CHECK_INT(evaluator_settings(e, each, SETTINGS, 0, 1, EVALUATOR_ALWAYS, NULL, ns, &err), 0);
	CHECK(replays_of(e) < SETTINGS * 9 / 10 && replays_of(e) > SETTINGS / 10);
	evaluator_free(e);
	for (int i = 0; i < SETTINGS; i++) {
		e = evaluator_of(&g, 1, NULL, "", &err);
		CHECK_INT(evaluator_settings(e, &each[i], 1, 0, 1, EVALUATOR_ALWAYS, NULL, &alone_ns, &err), 0);
		CHECK_INT(replays_of(e), 1);
		CHECK_INT(alone_ns, ns[i]);
		evaluator_free(e);
	}
	free(settings);
	tuned_graph_fini(&g);
}

/* What is clearly above its limit at the first replay gets no others. */
static void hopeless_settings_are_left(void)
{
	const struct setting *each[2];
	struct setting settings[2];
	int64_t ns[2], most_ns[2];
	struct ht_err err = {""};
	struct tuned_graph g;
	struct evaluator *e;

	tuned_graph_init(&g, 6);
	setting_by_urgency(&settings[0], g.granularities[GRANULARITY_RANK], 1, 8);
	setting_by_urgency(&settings[1], g.granularities[GRANULARITY_RANK], 0, 1);
	each[0] = &settings[0];
	each[1] = &settings[1];
	e = evaluator_of(&g, 1, NULL, "", &err);
	CHECK_INT(evaluator_settings(e, each, 2, 0, 1, EVALUATOR_ALWAYS, NULL, ns, &err), 0);
	most_ns[0] = ns[0];
	most_ns[1] = ns[1] * 9 / 10;
	CHECK_INT(evaluator_settings(e, each, 2, 0, 4, EVALUATOR_ALWAYS, most_ns, ns, &err), 0);
	CHECK(ns[0] > 0 && ns[0] != EVALUATOR_NEVER);
	CHECK_INT(ns[1], EVALUATOR_NEVER);
	CHECK_INT(replays_of(e), 2 + 3);
	evaluator_free(e);
	tuned_graph_fini(&g);
}

/* A bucket that no architecture looks at is no makespan to show as the best one. */
static void what_never_ends_is_not_the_best(void)
{
	struct evaluator_state state;
	const struct setting *each[1];
	struct setting setting;
	struct ht_err err = {""};
	struct tuned_graph g;
	struct evaluator *e;
	int64_t ns;

	tuned_graph_init(&g, 6);
	setting_by_urgency(&setting, g.granularities[GRANULARITY_CODELET], 1, 1);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (setting_place(&setting, a, 0) >= 0)
			setting_remove(&setting, a, setting_place(&setting, a, 0));
	each[0] = &setting;
	e = evaluator_of(&g, 1, NULL, "", &err);
	CHECK_INT(evaluator_settings(e, each, 1, 0, 1, EVALUATOR_ALWAYS, NULL, &ns, &err), 0);
	CHECK_INT(ns, EVALUATOR_NEVER);
	evaluator_state(e, &state);
	CHECK_INT(state.best_ns, -1);
	evaluator_free(e);
	tuned_graph_fini(&g);
}

int main(void)
{
	RUN(equal_settings_are_replayed_once);
	RUN(hopeless_settings_are_left);
	RUN(what_never_ends_is_not_the_best);
	return check_done();
}
