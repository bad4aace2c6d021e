/* tests/unit/test_config_use.c - what a machine gets of a config: with fewer workers, others, another name. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config_use.h"

#include "core/base/err.h"
#include "core/machine/machine.h"
#include "tests/lib/check.h"

static struct config_fewer fewer[] = {
	{{[ARCH_CPU] = 20, [ARCH_CUDA] = 2}, 150000000, 140000000},
	{{[ARCH_CPU] = 10, [ARCH_CUDA] = 4}, 145000000, 160000000},
};

static struct config *with_fallback(const char *policy, int nfewer)
{
	struct config *c = config_create();

	c->workers[ARCH_CPU] = 20;
	c->workers[ARCH_CUDA] = 4;
	c->fallback = (struct config_fallback){.policy = policy, .knobs = "", .fewer = fewer, .nfewer = nfewer};
	return c;
}

static enum config_use use_on(const struct config *c, int cpus, int cudas, int opencls, char why[CONFIG_USE_WHY])
{
	const int workers[ARCH_COUNT] = {[ARCH_CPU] = cpus, [ARCH_CUDA] = cudas, [ARCH_OPENCL] = opencls};

	return config_use_of(c, "", workers, why);
}

static enum config_use use_named(const struct config *c, const char *machine, int cpus, int cudas,
                                 char why[CONFIG_USE_WHY])
{
	const int workers[ARCH_COUNT] = {[ARCH_CPU] = cpus, [ARCH_CUDA] = cudas};

	return config_use_of(c, machine, workers, why);
}

static void its_own_machine_gets_the_setting(void)
{
	struct config *c = with_fallback("dmdas", 2);
	char why[CONFIG_USE_WHY];

	CHECK_INT(use_on(c, 20, 4, 0, why), CONFIG_USE_SETTING);
	CHECK_STR(why, "");
	config_free(c);
}

static void fewer_workers_get_what_the_nearest_replays_say(void)
{
	struct config *c = with_fallback("dmdas", 2);
	char why[CONFIG_USE_WHY];

	CHECK_INT(use_on(c, 20, 1, 0, why), CONFIG_USE_FALLBACK);
	CHECK_STR(why, "made for 20 cpu + 4 cuda, this machine has 20 cpu + 1 cuda; replayed on 20 cpu + 2 cuda its "
	               "setting takes 150 ms, dmdas 140 ms");
	CHECK_INT(use_on(c, 8, 4, 0, why), CONFIG_USE_SETTING);
	CHECK_STR(why, "made for 20 cpu + 4 cuda, this machine has 8 cpu + 4 cuda; replayed on 10 cpu + 4 cuda its "
	               "setting takes 145 ms, dmdas 160 ms");
	CHECK_INT(use_on(c, 19, 4, 0, why), CONFIG_USE_SETTING);
	CHECK_STR(why, "made for 20 cpu + 4 cuda, this machine has 19 cpu + 4 cuda, nearly all of them");
	config_free(c);
}

static void other_machines_get_the_fallback(void)
{
	struct config *c = with_fallback("dmdas", 2), *unknown = with_fallback("dmdas", 0);
	char why[CONFIG_USE_WHY];

	CHECK_INT(use_on(c, 20, 2, 2, why), CONFIG_USE_FALLBACK);
	CHECK_STR(why, "made for 20 cpu + 4 cuda, this machine has 20 cpu + 2 cuda + 2 opencl");
	CHECK_INT(use_on(c, 20, 0, 0, why), CONFIG_USE_FALLBACK);
	CHECK_INT(use_on(c, 20, 5, 0, why), CONFIG_USE_FALLBACK);
	CHECK_INT(use_on(unknown, 19, 4, 0, why), CONFIG_USE_FALLBACK); /* nothing was replayed */
	config_free(unknown);
	config_free(c);
}

/* Replays with fewer workers are of the machine that the config was made for, and of nodes like it. */
static void replays_hold_for_machines_of_the_name(void)
{
	struct config *c = with_fallback("dmdas", 2);
	char why[CONFIG_USE_WHY];

	c->machine_name = "node-12a";
	CHECK_INT(use_named(c, "node-7a", 8, 4, why), CONFIG_USE_SETTING);
	CHECK_INT(use_named(c, "node-a", 8, 4, why), CONFIG_USE_SETTING);
	CHECK_INT(use_named(c, "node-7", 8, 4, why), CONFIG_USE_FALLBACK);
	CHECK_INT(use_named(c, "other", 8, 4, why), CONFIG_USE_FALLBACK);
	CHECK_STR(why, "made for 20 cpu + 4 cuda, this machine has 8 cpu + 4 cuda, and is other, not node-12a");
	CHECK_INT(use_named(c, "other", 20, 4, why), CONFIG_USE_SETTING);
	CHECK_STR(why, "");
	config_free(c);
}

/* Not what was tuned elsewhere, nor a scheduler with knobs of elsewhere: costs are those of the machine itself. */
static void what_rests_on_live_costs_is_used_by_itself(void)
{
	struct config *c = with_fallback("dmdas", 2);
	char why[CONFIG_USE_WHY];

	c->machine_name = "sirocco";
	c->policy = "placement";
	c->knobs = "q=2";
	c->nplans = 1;
	CHECK_INT(use_named(c, "mirage", 9, 3, why), CONFIG_USE_POLICY);
	CHECK_INT(use_named(c, "sirocco", 9, 3, why), CONFIG_USE_SETTING); /* of the nearest replays */
	CHECK_INT(use_on(c, 20, 5, 0, why), CONFIG_USE_POLICY);
	c->policy = "modular-heft-prio";
	c->has_rank_priorities = 1;
	CHECK_INT(use_named(c, "mirage", 9, 3, why), CONFIG_USE_POLICY);
	config_strip(c);
	CHECK_STR(c->policy, "modular-heft-prio");
	CHECK_STR(c->knobs, "");
	CHECK_INT(c->has_rank_priorities, 1);
	CHECK_INT(c->nplans, 0);
	config_free(c);
}

static struct machine *machine_of(const char *text)
{
	struct ht_err err = {""};
	struct machine *m = machine_parse(text, &err);

	CHECK_STR(err.text, "");
	return m;
}

static void a_replay_has_what_production_has(void)
{
	struct config *c = with_fallback("dmdas", 0);
	struct machine *own = machine_of("cpu:20 cuda:4"), *other = machine_of("cpu:20 cuda:5");
	char why[CONFIG_USE_WHY];
	struct ht_err err;

	c->knobs = "q=2";
	c->fallback.knobs = "beta=3";
	CHECK_INT(config_use_on(c, own, why, &err), 0);
	CHECK_STR(why, "");
	CHECK_STR(c->policy, "heteroprio");
	CHECK_STR(c->knobs, "q=2");
	CHECK_INT(config_use_on(c, other, why, &err), 0);
	CHECK_STR(why, "made for 20 cpu + 4 cuda, this machine has 20 cpu + 5 cuda: replayed is its fallback, dmdas");
	CHECK_STR(c->policy, "dmdas");
	CHECK_STR(c->knobs, "beta=3");
	c->policy = "heteroprio";
	c->fallback.policy = "";
	CHECK_INT(config_use_on(c, other, why, &err), -1);
	CHECK_STR(err.text, "made for 20 cpu + 4 cuda, this machine has 20 cpu + 5 cuda");
	machine_free(own);
	machine_free(other);
	config_free(c);
}

static void there_may_be_no_fallback(void)
{
	struct config *c = with_fallback("", 0);
	char why[CONFIG_USE_WHY];

	CHECK_INT(use_on(c, 20, 2, 0, why), CONFIG_USE_NOTHING);
	CHECK_INT(use_on(c, 20, 4, 0, why), CONFIG_USE_SETTING);
	config_free(c);
}

static void a_scheduler_of_starpu_is_its_own_fallback(void)
{
	struct config *c = with_fallback("", 0);
	char why[CONFIG_USE_WHY];

	c->policy = "dmda";
	c->knobs = "beta=3";
	CHECK_INT(use_on(c, 20, 2, 0, why), CONFIG_USE_FALLBACK);
	CHECK_STR(config_fallback_of(c).policy, "dmda");
	CHECK_STR(config_fallback_of(c).knobs, "beta=3");
	config_free(c);
}

int main(void)
{
	RUN(its_own_machine_gets_the_setting);
	RUN(fewer_workers_get_what_the_nearest_replays_say);
	RUN(other_machines_get_the_fallback);
	RUN(replays_hold_for_machines_of_the_name);
	RUN(what_rests_on_live_costs_is_used_by_itself);
	RUN(a_replay_has_what_production_has);
	RUN(there_may_be_no_fallback);
	RUN(a_scheduler_of_starpu_is_its_own_fallback);
	return check_done();
}
