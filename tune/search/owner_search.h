/* tune/search/owner_search.h - owners of data that are better than those of a cut. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_OWNER_SEARCH_H
#define TUNE_SEARCH_OWNER_SEARCH_H

#include <stddef.h>
#include <stdint.h>

struct evaluator;
struct ht_err;
struct placement_knobs;
struct placement_plan;

/*
 * From the owners of `plan`, under the policy placement with these knobs, on graph 0: in each round some pieces of data
 * change their owners, or two exchange theirs, and the change with the least mean over replications 1 to
 * OWNER_SEARCH_REPLICATIONS is kept if it is better. Durations vary in all of them: owners that are best for the mean
 * durations alone bring nothing in the next run. At most `replays` are made. The plan gets the best owners, k->owners
 * their number, and *varied_ns their mean; all stay as they were where nothing better was found. The same input gives
 * the same result, whatever the number of threads, unless it is over before. -1: a replay failed.
 */
int owner_search(struct evaluator *e, struct placement_plan *plan, struct placement_knobs *k, uint64_t seed,
                 size_t replays, int64_t *varied_ns, struct ht_err *err);

enum { OWNER_SEARCH_REPLICATIONS = 4 };

#endif
