/* tune/outcome.h - what a tune ends with: the config of what was chosen, and those of the finalists. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_OUTCOME_H
#define TUNE_OUTCOME_H

#include "tune/evaluate/fallback.h"

struct evaluator;
struct ht_err;
struct initial_setting;
struct trial_id;
struct tune_problem;
struct tune_result;

/*
 * After the final round: fills in what was chosen, its config and the finalists'. A finalist is worth a measurement:
 * what was chosen, and then by their medians settings of different initial lists and locality and policies of StarPU's,
 * at most two of each kind. All configs have the same evidence. -1: a replay failed.
 */
struct outcome_problem {
	const struct tune_problem *tune;
	struct evaluator *evaluator;
	int fewer[FEWER_MACHINES]; /* the evaluator's graphs of tune->fewer */
	int replications;          /* of each */
};
int outcome_make(struct tune_result *r, const struct outcome_problem *p, struct ht_err *err);
void outcome_fini(struct tune_result *r);

/* The initial setting of `r` that has this id; NULL: it is that of no initial setting. */
const struct initial_setting *outcome_initial_of(const struct tune_result *r, const struct trial_id *id);

#endif
