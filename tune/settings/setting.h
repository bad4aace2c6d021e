/* tune/settings/setting.h - a point of the search: buckets, lists, slow factors, locality. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_SETTING_H
#define TUNE_SETTINGS_SETTING_H

#include <stdint.h>

#include "core/config/config.h"
#include "core/machine/arch.h"

struct granularity;

/* Buckets are numbered by their first groups: settings that are the same have the same bytes. */
struct setting {
	const struct granularity *granularity;
	int nbuckets;
	uint8_t bucket_of[CONFIG_MAX_BUCKETS];         /* per group */
	arch_mask where[CONFIG_MAX_BUCKETS];           /* what all its groups can run on */
	int8_t fastest[CONFIG_MAX_BUCKETS];            /* enum arch */
	double factor[CONFIG_MAX_BUCKETS][ARCH_COUNT]; /* 0: no restriction */
	uint8_t count[ARCH_COUNT];                     /* of list[] */
	uint8_t list[ARCH_COUNT][CONFIG_MAX_BUCKETS];  /* buckets, first to be looked at first */
	struct config_locality locality;
};

/* The lists on `base`, config_from_dag() of their graph, whose types are the groups; its factors times slow_scale. */
void setting_from_lists(struct setting *s, const struct granularity *codelets, const struct config *base,
                        const struct config_list lists[ARCH_COUNT], double slow_scale);

/* Every bucket taken apart into its groups on a finer granularity, which follow each other by urgency. */
void setting_refine(struct setting *s, const struct setting *coarse, const struct granularity *fine);

/*
 * A bucket per group, by falling score: the share of upward rank in it is `urgency`, that of how much faster the
 * architecture is than the best other one, 1 - urgency; both as places from first to last, 0 to 1. Slow factors are
 * the ratios of mean costs times `slow_scale`.
 */
void setting_by_urgency(struct setting *s, const struct granularity *g, double urgency, double slow_scale);

/* A bucket per group, on each architecture by score; equal ones in the order of groups; slow factors as above. */
void setting_by_score(struct setting *s, const struct granularity *g, double score[ARCH_COUNT][CONFIG_MAX_BUCKETS],
                      double slow_scale);

/* Numbers the buckets anew; to be called after every change. Factors and fastest architectures without use become 0. */
void setting_normalise(struct setting *s);

/* Of all that makes a difference; different settings have different ones but for chance (2^-64). */
uint64_t setting_hash(const struct setting *s);

/*
 * Whether the bucket is in the list of `a`: its place, or -1. setting_remove() and setting_insert() keep the order of
 * the others.
 */
int setting_place(const struct setting *s, enum arch a, int bucket);
void setting_insert(struct setting *s, enum arch a, int place, int bucket);
void setting_remove(struct setting *s, enum arch a, int place);

/*
 * The second bucket becomes part of the first, where that one is in each list, with its slow factors; what the second
 * had is gone. 0: no list has it any more, and the setting is of no use.
 */
int setting_join(struct setting *s, int first, int second);

/*
 * Whether StarPU's AutoHeteroprio can hold still at it: a bucket for each type, in the lists of all architectures that
 * can run it, and slow factors of at least 1 on all but the fastest or, where CPUs can run it, none.
 */
int setting_can_freeze(const struct setting *s);

/* How many architectures look at the bucket. */
int setting_users(const struct setting *s, int bucket);

/* Into `c`, with new buckets in its arena; evidence and machine of `c` stay. */
void setting_config(const struct setting *s, struct config *c);

#endif
