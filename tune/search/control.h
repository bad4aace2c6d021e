/* tune/search/control.h - the lists that AutoHeteroprio's heuristics are measured against, and what those settle on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_CONTROL_H
#define TUNE_SEARCH_CONTROL_H

#include <stdint.h>

#include "core/config/config.h"
#include "replay/sim/simulate.h"

struct conditions;
struct dag;
struct heuristic;
struct ht_err;
struct machine;

struct control_problem {
	const struct dag *dag;
	const struct machine *machine;
	const struct config *base;  /* of config_from_dag(): its lists are permuted, its slow factors hold */
	const char *policy_options; /* of heteroprio: "variant=paper" */
	const struct conditions *conditions;
	enum simulate_transfers transfers;
	uint64_t seed;
};

/* Lists, and the makespan of a replay of Heteroprio with them. */
struct control_lists {
	struct config_list lists[ARCH_COUNT];
	int64_t makespan_ns;
	uint32_t replays; /* that it took to find them */
};

/*
 * Flint, Paillat, Bramas 2022, "Protocol": begins with random lists and alternates over the architectures; each time
 * all orders of one list are replayed and the fastest stays, one of them by chance where several are; until no list
 * gets better. -1: a list is longer than PERMUTATION_MAX (permute.h), or a replay fails.
 */
int control_search(const struct control_problem *p, struct control_lists *found, struct ht_err *err);

/*
 * The lists of a heuristic fed with what happens under them, since where tasks run and which workers are idle are in
 * its formulas: the first ones are made as if nothing had been executed, a replay of these says how it went, and so on,
 * until lists come again; the last ones hold. As AutoHeteroprio, which orders its lists anew while the application
 * runs, but at the end of a run.
 */
int control_settle(const struct control_problem *p, const struct heuristic *h, struct control_lists *found,
                   struct ht_err *err);

#endif
