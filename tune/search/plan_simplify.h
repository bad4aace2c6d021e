/* tune/search/plan_simplify.h - what a search has changed of a plan and what brings nothing is taken back. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_PLAN_SIMPLIFY_H
#define TUNE_SEARCH_PLAN_SIMPLIFY_H

#include <stddef.h>

#include "tune/search/searched_plan.h"

/*
 * A walk of small changes drifts: a change that makes no difference in its replays is as good as none to it, and may
 * make one where tasks come in another order, as in the next iteration of a program. So whatever `x` has otherwise than
 * `plain`, with ranks of the same scale and arrays for places, is taken back where the mean of its replications stays
 * within a thousandth of what it is: all at once, else in halves, and in halves of those that are not. `x` has all its
 * replications, before and after; at most so many replays. The result does not depend on the number of threads, unless
 * it is over before. -1: a replay failed.
 */
int plan_simplify(struct plan_search *s, const struct searched_plan *plain, struct searched_plan *x, size_t replays,
                  struct ht_err *err);

#endif
