/* tune/evaluate/policy_settings.h - StarPU's own schedulers with other knobs, and with upward ranks as priorities. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_POLICY_SETTINGS_H
#define TUNE_EVALUATE_POLICY_SETTINGS_H

struct evaluator;
struct final_round;
struct ht_err;

/*
 * Replays the schedulers that weigh copies against executions with other weights (STARPU_SCHED_BETA) and thresholds,
 * and those that take priorities also with upward ranks, each once on the graph with mean durations. The best with
 * knobs alone, the best with ranks alone, and the best with both enter the final round. -1: a replay failed.
 */
int policy_settings_add(struct final_round *f, struct evaluator *e, int graph, struct ht_err *err);

#endif
