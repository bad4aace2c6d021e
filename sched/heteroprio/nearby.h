/* sched/heteroprio/nearby.h - Heteroprio's buckets split by memory node: where to push, where to pop. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_HETEROPRIO_NEARBY_H
#define SCHED_HETEROPRIO_NEARBY_H

#include <stdint.h>

#include "core/config/config.h"
#include "core/machine/arch.h"
#include "sched/heteroprio/locality.h"
#include "sched/knob.h"

struct ht_err;
struct policy_world;

/*
 * The state of LAHeteroprio (locality.h has the formulas). LOCALITY_STARPU is what StarPU 1.4.10 does with one
 * scheduling context: AUTO stays with the formula it starts with, the paper's LC_SMWB. LOCALITY_PAPER: AUTO is at each
 * push the formula whose choice has changed least between push and pop.
 */
struct nearby;

/* What the knobs say; 0 and no text where they are not given. */
struct nearby_knobs {
	struct knob_text push;
	int step[ARCH_COUNT], subgroup[ARCH_COUNT];
};

/* Rows of a policy's table; `member` is the struct nearby_knobs in `owner`, `formulas` what users read of push. */
#define NEARBY_KNOBS(owner, member, formulas) \
	TEXT_KNOB(owner, member.push, "push", formulas), ARCH_KNOB(owner, member.step, "step", "N", 0, 1, 1000), \
		ARCH_KNOB(owner, member.subgroup, "subgroup", "N", 0, 1, 1000)

/*
 * From the knobs of `policy`, what they leave open from `config`'s locality setting (NULL: none), the rest StarPU's
 * defaults: AUTO; step 1 on CPUs, else the length of the list; subgroup all nodes on CPUs, else 1. The world has to
 * say where data is. NULL: the sentence in err.
 */
struct nearby *nearby_create(const struct policy_world *w, enum locality_rules rules, const char *policy,
                             const struct nearby_knobs *knobs, const struct config_locality *config,
                             struct ht_err *err);
void nearby_free(struct nearby *n);

/*
 * The lists have these lengths, and slot[a * CONFIG_MAX_BUCKETS + b] is the place of bucket b in that of a, -1: none.
 * From then on workers look in the order of locality_access_order().
 */
void nearby_map(struct nearby *n, const int length[ARCH_COUNT], const int *slot);

/* Where a worker of the node looks: `*count` places. */
const struct locality_access *nearby_order(const struct nearby *n, int node, int *count);

/* Its inverse: a worker of `node` looks at a slot of `other` at places[slot * nodes + other]; there are `*nslots`. */
const uint16_t *nearby_places(const struct nearby *n, int node, int *nslots);

/* enum locality_formula of nearby_put(). */
int nearby_formula(const struct nearby *n);

/*
 * The node a task is put on that `releaser` pushes (-1: the main thread), and that a worker has taken it. Of nodes that
 * are as good the pusher's is named both times, so that a choice changes only where data has moved.
 */
int nearby_put(struct nearby *n, uint32_t task, int releaser);
void nearby_taken(struct nearby *n, uint32_t task);

#endif
