/* tune/search/search.h - from initial settings to the best that a budget of trials finds. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_SEARCH_H
#define TUNE_SEARCH_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "tune/search/move.h"
#include "tune/settings/setting.h"
#include "tune/settings/trial_id.h"

struct ht_err;
struct evaluator;

enum { SEARCH_FOUND = 8 };

struct initial_setting {
	struct trial_id id;
	struct setting setting;
	int64_t makespan_ns; /* on graph 0 with mean durations; -1: not replayed */
	int same_as;         /* place of an earlier one with the same lists and factors; -1: none is known */
};

struct search_problem {
	struct evaluator *evaluator;
	struct initial_setting *initial; /* their makespans are filled in */
	size_t ninitial;
	uint64_t seed;
	struct move_options moves;
	double planned;     /* whole replays of graph 0 that the budget is about */
	int samples;        /* on graph 0 a setting is compared by its mean over so many (tune/evaluate/evaluator.h) */
	int part;           /* graph to search on, a part of graph 0 or graph 0 itself */
	const int *smaller; /* graphs to drop initial settings on, smallest first */
	int nsmaller;
	int64_t bound_ns;   /* nothing is below: the search ends when it is there */
	int64_t reached_ns; /* on graph 0, without buckets; 0: not known. Chains that are far behind it end early */
};

enum search_end {
	SEARCH_SPENT,  /* with its budget, or with nothing left to try */
	SEARCH_IDLE,   /* nothing better was found for a third of the chains' budget, and the rest was left */
	SEARCH_BEHIND, /* what was reached without buckets is too far away */
};

/*
 * The best settings found, best first, at most two from one initial setting; among equals what was found first, and
 * initial settings before others.
 */
struct search_result {
	struct found {
		struct setting setting;
		int64_t mean_ns; /* over the samples, on graph 0 */
		size_t initial;  /* the initial setting that it came from */
		int searched;    /* it is not that initial setting itself */
	} found[SEARCH_FOUND + 1];
	size_t nfound;
	size_t best_initial; /* of the initial settings */
	enum search_end end;
};

/*
 * Initial settings are replayed, where there are many for the budget on growing parts of the graph, a third of them
 * being left at a time (successive halving). Of the best ones for each granularity, lists are permuted as the reference
 * of AutoHeteroprio does: every order of one list, the others fixed, in turns until nothing gets better, where lists
 * are short enough. Then eight chains of random changes (move.h) start from the best settings of each granularity: in
 * each round a chain goes to the best of its neighbours, also if that is a little worse, less and less so; a chain
 * without a success is shaken up and starts again from its best. Eight chains become four and two as the budget is
 * spent. Where nothing gets better for a third of what the chains may spend, they end; so they do where the best
 * takes longer than what was reached without buckets by more than a tenth of the share that they have left.
 *
 * The same problem gives the same result whatever the number of threads and processes, and also when part of it comes
 * from a journal. Where it is over before (tune/evaluate/evaluator.h), the result is what has been found so far.
 * -1: a replay failed, or nothing has been found.
 */
int search_run(const struct search_problem *p, struct search_result *r, struct ht_err *err);

#endif
