/* tune/search/permute.h - every order of a list: AutoHeteroprio's reference, where lists are short. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_PERMUTE_H
#define TUNE_SEARCH_PERMUTE_H

#include <stdint.h>

struct ht_err;
struct evaluator;
struct setting;

enum { PERMUTATION_MAX = 8 }; /* things to permute: 40320 orders */

/* n!, n <= PERMUTATION_MAX. */
uint32_t permutation_count(int n);

/* places[n] becomes the k-th of all orders of 0 to n - 1 in lexicographic sequence, k < permutation_count(n). */
void permutation_places(int *places, int n, uint32_t k);

/*
 * Alternates over the architectures: all permutations of one list, of which the fastest stays, until no list gets
 * better (papers: AutoHeteroprio, control priorities). Lists with more permutations than `most` stay as they are, and
 * so do all when the budget is spent. *at has the makespan *ns on the graph, the mean over `samples` (evaluator.h),
 * and becomes the best found with its own. -1: a replay failed.
 */
int permute_lists(struct evaluator *e, int graph, int samples, double most, struct setting *at, int64_t *ns,
                  struct ht_err *err);

#endif
