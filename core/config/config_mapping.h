/* core/config/config_mapping.h - what StarPU gets for a config: lists of numbers, and which number a task gets. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_CONFIG_MAPPING_H
#define CORE_CONFIG_CONFIG_MAPPING_H

#include "core/config/config.h"

struct ht_err;

enum { CONFIG_MAPPING_SETS = 1 << ARCH_COUNT };

/*
 * StarPU's buckets are numbered 0 to 99. Those of the config have the numbers of config_starpu_number(). Below them
 * are spare buckets, one for each set of architectures a task may be restricted to: they take the tasks of codelets
 * that the config does not know, and those that cannot run everywhere their bucket is looked at. Every architecture
 * looks at its spare buckets last, first at those that fewest others look at.
 */
struct config_mapping {
	struct config_list lists[ARCH_COUNT]; /* StarPU's numbers, in the order to look at them; 0 slots: not present */
	int number[CONFIG_MAX_BUCKETS];       /* StarPU's number of a bucket of the config */
	arch_mask users[CONFIG_MAX_BUCKETS];  /* by StarPU's number: the architectures that have it in their lists */
	int spare[CONFIG_MAPPING_SETS];       /* by what a task can run on, of the architectures present; -1: nowhere */
	int nspare;
};

/*
 * `present`: the architectures with workers. Fails when the config's buckets leave no number for the spare ones. With
 * `c` NULL every architecture looks at as many buckets as there are numbers, in their order, the last of which stands
 * for all that would come after it.
 */
int config_mapping_make(struct config_mapping *p, const struct config *c, arch_mask present, struct ht_err *err);

/* The number for a task of `bucket` (-1: not in the config) that can run on `where`; -1: it can run nowhere here. */
int config_mapping_number(const struct config_mapping *p, int bucket, arch_mask where);

#endif
