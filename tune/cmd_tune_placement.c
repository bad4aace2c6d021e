/* tune/cmd_tune_placement.c - heterotune tune --placement: the knobs of the policy placement for a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/cmd_tune_placement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/json.h"
#include "core/base/table.h"
#include "tune/search/placement_search.h"
#include "tune/tune.h"

static void print_json(const struct placement_found *found, const char *knobs)
{
	struct json j = {.f = stdout};

	json_open(&j, NULL, '{');
	json_str(&j, "policy", "placement");
	json_str(&j, "knobs", knobs);
	json_int(&j, "makespan_ns", found->makespan_ns);
	json_int(&j, "varied_ns", found->varied_ns);
	json_int(&j, "plans", (int64_t)found->plans);
	json_int(&j, "replays", (int64_t)found->replays);
	json_close(&j, '}');
}

static void print_text(const struct placement_found *found, const char *knobs)
{
	char mean[16], varied[16];

	printf("policy        placement:%s\n", knobs);
	printf("makespan      %s; %s on average when durations vary\n", time_text(mean, found->makespan_ns),
	       time_text(varied, found->varied_ns));
	printf("of            %zu plans, %zu replays\n", found->plans, found->replays);
}

int tune_placement(const struct tune_problem *p, int json, struct ht_err *err)
{
	const struct placement_search search = {p->dag,  p->machine,   p->scenario, p->jobs,
	                                        p->seed, p->jitter_cv, NULL,        NULL};
	struct placement_found found;
	char *knobs;

	if (placement_search(&search, &found, err) != 0)
		return -1;
	knobs = placement_knobs_text(&found.knobs);
	if (json)
		print_json(&found, knobs);
	else
		print_text(&found, knobs);
	free(knobs);
	return 0;
}
