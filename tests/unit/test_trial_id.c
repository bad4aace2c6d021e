/* tests/unit/test_trial_id.c - what trials are called, and which are of one origin. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/trial_id.h"

#include "core/metrics/heuristic.h"
#include "tests/lib/check.h"
#include "tune/settings/scores.h"

enum { NO_SLOW = 1, DOUBLE_SLOW = 3 }; /* places in slow_variants[] */

static void labels(void)
{
	static const struct {
		struct trial_id id;
		const char *whole, *label; /* label: the short one */
	} rows[] = {
		{{.order = ORDER_HEURISTIC, .number = HEURISTIC_PRWS}, "PRWS", "PRWS"},
		{{.order = ORDER_HEURISTIC, .number = HEURISTIC_NTC, .slow = NO_SLOW}, "NTC/no-slow", "NTC/no-slow"},
		{{.order = ORDER_PLAIN, .slow = DOUBLE_SLOW}, "default/double-slow", "default/double-slow"},
		{{.order = ORDER_STARPU, .number = 12}, "starpu-12", "starpu-12"},
		{{.order = ORDER_HEURISTIC, .granularity = GRANULARITY_RANK, .slow = NO_SLOW, .locality = 1},
	         "rank:PRWS/no-slow+LA",
	         "PRWS/no-slow+LA"},
		{{.order = ORDER_URGENCY, .number = 75, .granularity = GRANULARITY_ORDER},
	         "order:urgency-75",
	         "urgency-75"},
		{{.order = ORDER_URGENCY, .number = 0, .granularity = GRANULARITY_FOOTPRINT},
	         "footprint:urgency-0",
	         "urgency-0"},
		{{.order = ORDER_SCORE, .number = SCORE_MULTREEPRIO}, "codelet:multreeprio", "multreeprio"},
		{{.order = ORDER_SCORE,
	          .number = SCORE_EFFICIENCY,
	          .granularity = GRANULARITY_PRIORITY,
	          .slow = NO_SLOW},
	         "priority:inspirit-efficiency/no-slow",
	         "inspirit-efficiency/no-slow"},
		{{.origin = TRIAL_SEARCHED,
	          .search = 1,
	          .granularity = GRANULARITY_RANK,
	          .slow = NO_SLOW,
	          .simplified = 1},
	         "search-1:rank:PRWS/no-slow, simplified",
	         "search-1, simplified"},
		{{.origin = TRIAL_SEARCHED, .search = 12, .starpu_env = {{18, 0, 1}}, .simplified = 1},
	         "search-12:PRWS, 18 CPUs, no prefetch, simplified",
	         "search-12, 18 CPUs, no prefetch, simplified"},
		{{.origin = TRIAL_POLICY, .policy = "dmdas"}, "dmdas", "dmdas"},
		{{.origin = TRIAL_POLICY, .policy = "best AutoHeteroprio", .starpu_env = {{0, 4, 0}}},
	         "best AutoHeteroprio, pipeline of 4",
	         "best AutoHeteroprio, pipeline of 4"},
	};
	char text[TRIAL_LABEL];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_STR(trial_label(text, &rows[i].id, TRIAL_LABEL_WHOLE), rows[i].whole);
		CHECK_STR(trial_label(text, &rows[i].id, TRIAL_LABEL_SHORT), rows[i].label);
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
			CHECK_INT(trial_id_equal(&rows[i].id, &rows[k].id), i == k);
	}
}

/* The longest that there can be is not cut. */
static void longest_label(void)
{
	const struct trial_id id = {.origin = TRIAL_SEARCHED,
	                            .search = INT32_MAX,
	                            .granularity = GRANULARITY_FOOTPRINT,
	                            .order = ORDER_SCORE,
	                            .number = SCORE_EFFICIENCY,
	                            .slow = DOUBLE_SLOW,
	                            .locality = 1,
	                            .simplified = 1,
	                            .starpu_env = {{INT32_MAX, 4, 1}}};
	char text[TRIAL_LABEL];

	CHECK_STR(trial_label(text, &id, TRIAL_LABEL_WHOLE),
	          "search-2147483647:footprint:inspirit-efficiency/double-slow+LA, 2147483647 CPUs, pipeline of 4, "
	          "no prefetch, simplified");
}

/* Slow factors, the search, the environment and simplification do not make another origin; lists and locality do. */
static void same_origin(void)
{
	const struct trial_id prws = {.granularity = GRANULARITY_RANK};
	const struct trial_id policy = {.origin = TRIAL_POLICY, .policy = "dmdas"};
	struct trial_id other = prws;

	other.origin = TRIAL_SEARCHED;
	other.search = 3;
	other.slow = NO_SLOW;
	other.simplified = 1;
	other.starpu_env.value[STARPU_ENV_CPUS] = 7;
	CHECK(trial_id_same_origin(&prws, &other));
	CHECK(!trial_id_equal(&prws, &other));
	/* With every slow variant alike: a label cut at '/' would lose the locality after it. */
	for (other.slow = 0; other.slow <= DOUBLE_SLOW; other.slow++) {
		other.locality = 1;
		CHECK(!trial_id_same_origin(&prws, &other));
		other.locality = 0;
		CHECK(trial_id_same_origin(&prws, &other));
	}
	other = prws;
	other.number = HEURISTIC_PURWS;
	CHECK(!trial_id_same_origin(&prws, &other));
	other = prws;
	other.granularity = GRANULARITY_ORDER;
	CHECK(!trial_id_same_origin(&prws, &other));
	other = prws;
	other.order = ORDER_STARPU; /* the same number */
	CHECK(!trial_id_same_origin(&prws, &other));
	CHECK(!trial_id_same_origin(&policy, &policy));
	CHECK(trial_id_equal(&policy, &policy));
}

static void heuristics(void)
{
	const struct trial_id published = {.order = ORDER_HEURISTIC, .number = HEURISTIC_OFFSET};
	const struct trial_id starpu = {.order = ORDER_STARPU, .number = 27, .origin = TRIAL_SEARCHED};
	const struct trial_id urgency = {.order = ORDER_URGENCY, .number = 25};
	const struct trial_id policy = {.origin = TRIAL_POLICY, .policy = "dm"};

	CHECK(trial_id_heuristic(&published) == &published_heuristics[HEURISTIC_OFFSET]);
	CHECK(trial_id_heuristic(&starpu) == &starpu_orderings[27]);
	CHECK(trial_id_heuristic(&urgency) == NULL);
	CHECK(trial_id_heuristic(&policy) == NULL);
}

int main(void)
{
	RUN(labels);
	RUN(longest_label);
	RUN(same_origin);
	RUN(heuristics);
	return check_done();
}
