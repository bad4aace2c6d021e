/* tune/evaluate/baselines.h - the other policies of StarPU that a setting of Heteroprio has to be better than. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_BASELINES_H
#define TUNE_EVALUATE_BASELINES_H

struct final_round;
struct ht_err;
struct evaluator;

#define BASELINE_AUTO      "AutoHeteroprio"      /* StarPU's heteroprio by default, in a first run */
#define BASELINE_AUTO_BEST "best AutoHeteroprio" /* of its 28 orderings, with locality and without */

/* Their makespans with mean durations, so that they are known whenever the tune ends. -1: a replay failed. */
int baselines_replay(struct evaluator *e, struct ht_err *err);

/*
 * Adds to the final round what a user could set STARPU_SCHED to, and the two above: these are to compare with, since a
 * config has no words for a list that changes. The best of the orderings is that on the graph. -1: a replay failed.
 */
int baselines_add(struct final_round *f, struct evaluator *e, int graph, struct ht_err *err);

#endif
