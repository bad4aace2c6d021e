/* tests/unit/test_config_words.c - what a config asks of a user, and what it is called. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config_words.h"

#include "core/config/config.h"
#include "tests/lib/check.h"

static struct config of_policy(const char *policy)
{
	return (struct config){.policy = policy, .knobs = "", .workers = {[ARCH_CPU] = 20, [ARCH_CUDA] = 4}};
}

static void efforts(void)
{
	struct config c = of_policy("dmda");

	CHECK_INT(config_effort(&c, "dmda"), CONFIG_EFFORT_NONE);
	CHECK_INT(config_effort(&c, "lws"), CONFIG_EFFORT_SCHED);
	CHECK_INT(config_effort(&c, ""), CONFIG_EFFORT_SCHED);
	CHECK_INT(config_effort(&c, NULL), CONFIG_EFFORT_SCHED);
	c.knobs = "beta=3";
	CHECK_INT(config_effort(&c, "dmda"), CONFIG_EFFORT_KNOBS);
	c.knobs = NULL;
	c.starpu_env.value[STARPU_ENV_CPUS] = 18;
	CHECK_INT(config_effort(&c, "dmda"), CONFIG_EFFORT_KNOBS);
	c.has_rank_priorities = 1;
	CHECK_INT(config_effort(&c, "dmda"), CONFIG_EFFORT_RANKS);
	c = of_policy("heteroprio");
	CHECK_INT(config_effort(&c, "heteroprio"), CONFIG_EFFORT_BUCKETS);
	c = of_policy("placement");
	CHECK_INT(config_effort(&c, "placement"), CONFIG_EFFORT_OWN);
}

static void policies_of_starpu(void)
{
	struct config c = of_policy("dmdas");
	char text[CONFIG_WORDS];

	CHECK_STR(config_words(&c, text), "STARPU_SCHED=dmdas");
	CHECK_STR(config_variables(&c, text), "STARPU_SCHED=dmdas");
	c.knobs = "beta=3";
	c.starpu_env.value[STARPU_ENV_CPUS] = 18;
	CHECK_STR(config_words(&c, text), "STARPU_SCHED=dmdas STARPU_SCHED_BETA=3 STARPU_NCPU=18");
	CHECK_STR(config_variables(&c, text), "STARPU_SCHED=dmdas STARPU_SCHED_BETA=3 STARPU_NCPU=18");
	c.knobs = "";
	c.has_rank_priorities = 1;
	CHECK_STR(config_words(&c, text), "dmdas with priorities from the scheduler library, and STARPU_NCPU=18");
	CHECK_STR(config_variables(&c, text), "STARPU_NCPU=18");
}

static void buckets(void)
{
	struct config_member members[] = {{.codelet = "gemm"}, {.codelet = "syrk"}};
	struct config_bucket bucket[] = {{.members = &members[0], .nmembers = 1},
	                                 {.members = &members[1], .nmembers = 1}};
	struct config c = of_policy("heteroprio");
	char text[CONFIG_WORDS];

	c.buckets = bucket;
	c.nbuckets = 1;
	CHECK_STR(config_words(&c, text), "Heteroprio with 1 bucket by codelet");
	CHECK_STR(config_variables(&c, text), "");
	c.nbuckets = 2;
	members[1].limits = MEMBER_SUBMISSION;
	CHECK_STR(config_words(&c, text), "Heteroprio with 2 buckets by order of submission");
	members[1].limits = MEMBER_FOOTPRINT;
	CHECK_STR(config_words(&c, text), "Heteroprio with 2 buckets by size of data");
	members[1].limits = MEMBER_PRIORITY;
	c.locality.enabled = 1;
	c.starpu_env.value[STARPU_ENV_NO_PREFETCH] = 1;
	CHECK_STR(config_words(&c, text),
	          "Heteroprio with 2 buckets by priority, near their data, and STARPU_PREFETCH=0");
	c = of_policy("placement");
	c.knobs = "windows=3,q=1.5";
	CHECK_STR(config_words(&c, text), "placement by the scheduler library");
	CHECK_STR(config_variables(&c, text), "");
}

static void candidates(void)
{
	struct config_trial trials[] = {{CONFIG_TRIAL_RUN, "recorded", 5},
	                                {CONFIG_TRIAL_RECORDED_ORDER, "replay", 5},
	                                {"dmda", "replay", 4},
	                                {"PRWS", "replay", 4},
	                                {"dmda", "measured", 4}};
	struct config c = of_policy("dmda");

	CHECK_INT(config_candidates(&c), 0);
	c.trials = trials;
	c.ntrials = 5;
	CHECK_INT(config_candidates(&c), 2);
}

int main(void)
{
	RUN(efforts);
	RUN(policies_of_starpu);
	RUN(buckets);
	RUN(candidates);
	return check_done();
}
