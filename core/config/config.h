/* core/config/config.h - the product: a tuned Heteroprio setting, the machine it holds for, and the evidence. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_CONFIG_H
#define CORE_CONFIG_CONFIG_H

#include <stdint.h>

#include "core/config/config_costs.h"
#include "core/config/starpu_env.h"
#include "core/machine/arch.h"

struct arena;
struct ht_err;
struct machine;

enum { CONFIG_MAX_BUCKETS = 100 }; /* HETEROPRIO_MAX_PRIO of StarPU */

/* Which of the limits of a member hold. */
enum { MEMBER_FOOTPRINT = 1, MEMBER_PRIORITY = 2, MEMBER_SUBMISSION = 4 };

/*
 * One member of a bucket: tasks of this codelet, matched by codelet name or by model symbol, whichever is not empty;
 * with limits, only some of them (core/config/config_match.h).
 */
struct config_member {
	const char *codelet; /* "" : any */
	const char *model;   /* "" : any */
	unsigned limits;     /* MEMBER_*; 0: all tasks of these names */
	uint32_t footprint;
	int32_t priority[2];    /* the application's, from and to; INT32_MIN and INT32_MAX: no bound */
	uint32_t submission[2]; /* place among the tasks of these names, from 0; to UINT32_MAX: no bound */
};

struct config_bucket {
	const char *name; /* "gemm" */
	arch_mask where;  /* every task of it can run on all of these */
	struct config_member *members;
	int nmembers;
	enum arch fastest;              /* ARCH_NONE: no slow-factor test */
	double slow_factor[ARCH_COUNT]; /* 0 on the fastest and where there is no restriction */
};

/* The order in which the workers of one architecture look at the buckets: list[0] first. */
struct config_list {
	int buckets[CONFIG_MAX_BUCKETS];
	int count;
};

struct config_locality {
	int enabled;
	char push[16];            /* paper's name of the formula: "LS_SDH2"; "" : StarPU's default */
	int step[ARCH_COUNT];     /* PRIO_STEP; 0: StarPU's default */
	int subgroup[ARCH_COUNT]; /* S; 0: StarPU's default */
};

/* Replayed makespans on a machine that has fewer workers, of the same architectures. */
struct config_fewer {
	int workers[ARCH_COUNT];
	int64_t setting_ns, fallback_ns;
};

/* A scheduler of StarPU's own, which takes nothing but its environment: for where the setting is not used. */
struct config_fallback {
	const char *policy; /* "": none */
	const char *knobs;  /* "" : none */
	struct config_fewer *fewer;
	int nfewer;
};

/* One trial: a candidate and the makespan it got. */
struct config_trial {
	const char *name;   /* "PRWS", "run", "eager", ... */
	const char *source; /* "replay", "recorded" */
	int64_t makespan_ns;
};

/* A device that data belongs to, or where a task goes; CPUs are one place, of devid 0. ARCH_NONE: none. */
struct config_place {
	enum arch arch;
	int devid;
};

/*
 * What was found for the graph of a recorded run, for a program that submits that graph: how urgent its tasks are,
 * where its data belongs, and which tasks go elsewhere. A graph of more than CONFIG_PLAN_MAX_TASKS has no plan.
 */
struct config_plan {
	uint32_t ntasks;
	uint32_t *hash;     /* per task, as they are submitted: core/dag/submission_hash.h */
	int32_t *rank;      /* upward ranks as whole numbers from 0, in the same order */
	int64_t longest_us; /* the highest one */
	uint32_t nhandles;
	struct config_place *owner; /* per piece of data, as tasks first access them; none: the policy has no owners */
	struct config_place *place; /* per task: where it goes, not to the owner of what it writes; NULL: none */
	const char *knobs;          /* of the policy for this graph, in place of the config's; NULL: the config's */
	int64_t priority; /* of its first task: other graphs that begin alike may have another; 0: not known */
};

enum { CONFIG_PLAN_MAX_TASKS = 1 << 16 };

/* What a rank of 1 stands for, in ns. */
double config_plan_rank_ns(const struct config_plan *p);

/* Trials that are in every config made from a recorded run. */
#define CONFIG_TRIAL_RUN            "run" /* the measured makespan, with all that a replay leaves out */
#define CONFIG_TRIAL_RECORDED_ORDER "recorded order, mean durations" /* on the run's workers, in a replay */
#define CONFIG_TRIAL_OF_0_2         "recorded schedule"              /* the same, in configs of 0.2 */

/* All strings and arrays live in `arena`. */
struct config {
	const char *policy;      /* "heteroprio", or another one that was faster than its setting: config_is_policy() */
	const char *knobs;       /* of the policy, "beta=3": sched/policy.h; "": none */
	int has_rank_priorities; /* the library gives tasks their upward ranks as priorities (rank_priority()) */
	const char *chosen;      /* the trial that is written here */
	struct config_bucket *buckets;
	int nbuckets;
	struct config_list lists[ARCH_COUNT]; /* count 0: no workers of it */
	struct config_locality locality;
	struct starpu_env starpu_env;
	double starpu_env_gain[STARPU_ENV_COUNT]; /* what each brings, as a share of the makespan; 0: not known */
	struct config_fallback fallback;
	struct config_cost *costs; /* of codelets that have no performance model, sorted */
	size_t ncosts;
	const char *machine_name;
	int workers[ARCH_COUNT];   /* fingerprint: how many of each */
	struct config_plan *plans; /* of the runs it was made from */
	int nplans;
	struct config_trial *trials;
	int ntrials;
	int64_t bound_ns;
	const char *run; /* path of the run, as given */
	struct arena *arena;
};

struct config *config_create(void);
void config_free(struct config *c);

/* XML, validated against the RELAX NG schema (heterotune-config.5); sentences name file and line. */
struct config *config_load(const char *path, struct ht_err *err);
int config_save(const struct config *c, const char *path, struct ht_err *err);

/*
 * 0 when `m`, or each of its ranks, has the workers the config was made for, or those of them that its startup leaves,
 * else -1 and what differs.
 */
int config_fits(const struct config *c, const struct machine *m, struct ht_err *err);
int config_fits_workers(const struct config *c, const int workers[ARCH_COUNT], struct ht_err *err);

/* "20 cpu + 4 cuda" in buf; returns buf. */
enum { CONFIG_WORKERS_TEXT = 160 };
const char *config_workers_text(char buf[CONFIG_WORKERS_TEXT], const int workers[ARCH_COUNT]);

/*
 * What tune chooses among: "placement", which the scheduler library brings along, or what STARPU_SCHED can be. With
 * another one than heteroprio and laheteroprio the buckets are only kept.
 */
int config_is_policy(const char *word);

/*
 * Whether the policy is the library's own: "placement", "laheteroprio", "multreeprio" and "inspirit" are, and so is
 * "heteroprio" with knobs; without them it is StarPU's.
 */
int config_is_own(const struct config *c);

/* Whether the config needs the scheduler library: for its policies, Heteroprio's buckets, and ranks as priorities. */
int config_needs_library(const struct config *c);

/* Whether a policy of StarPU looks at the priorities of tasks. */
int config_takes_priorities(const char *policy);

/*
 * The environment by which StarPU's own policies get their knobs: "beta=3" is STARPU_SCHED_BETA=3. Fills in at most
 * CONFIG_KNOB_VARS variables, whose texts live in `text`; returns their number; -1: a knob has none, or no such value.
 * StarPU reads them in the locale of the program (1.4.10, include/starpu_helper.h) and aborts on what is no number
 * there, so the value of 0.5 is 5e-1, which is the same in all; `shown` is that of the config.
 */
enum { CONFIG_KNOB_VARS = 4, CONFIG_KNOB_TEXT = 512 };
struct config_knob_var {
	const char *name, *value, *shown;
};
int config_knob_vars(const char *knobs, struct config_knob_var vars[CONFIG_KNOB_VARS], char text[CONFIG_KNOB_TEXT]);

/* NULL when it can be given to StarPU (lists name legal buckets once, factors are finite, ...), else what is wrong. */
const char *config_check(const struct config *c);

/* The same, and of which bucket, or of the list of which architecture, it is wrong; -1: of none. */
const char *config_check_in(const struct config *c, int *bucket, int *list);

/*
 * The number StarPU gets for a bucket (task->priority), 0 to 99, different for every bucket. Buckets that come first in
 * the list of the architecture that matters most have the largest numbers; those below 100 - nbuckets stay free.
 */
int config_starpu_number(const struct config *c, int bucket);

/* What StarPU calls a push formula in STARPU_LAHETEROPRIO_PUSH; NULL when there is no formula of that name. */
const char *config_starpu_push(const char *push);

/* The first trial of that name; NULL: there is none. */
const struct config_trial *config_trial_find(const struct config *c, const char *name);

#endif
