/* tune/search/move.h - a small change of a setting. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_MOVE_H
#define TUNE_SEARCH_MOVE_H

struct rng;
struct setting;

/* What may be changed besides lists, factors and buckets. */
struct move_options {
	int locality; /* there is a policy that honours it */
	int frozen;   /* setting_can_freeze() holds, and stays so */
};

/*
 * Makes one change that keeps the setting legal: two neighbours of a list are exchanged, or any two; a bucket goes
 * elsewhere in a list, leaves it, or enters one; a slow factor grows, shrinks, or comes and goes with its fastest
 * architecture; a bucket is split between two of its groups, or joined with another; the buckets of one type change
 * together; the locality part. Returns 0 where it found nothing to change.
 */
int move_any(struct setting *s, struct rng *r, const struct move_options *o);

#endif
