/* tune/evaluate/starpu_settings.h - CPU workers, pipeline and prefetch: what each brings to the finalists. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_STARPU_SETTINGS_H
#define TUNE_EVALUATE_STARPU_SETTINGS_H

struct finalist;
struct ht_err;
struct evaluator;
struct evaluator_graph;

struct starpu_settings_problem {
	struct evaluator *evaluator;
	int graph, first_replication,
		replications; /* of jitter, at least 3: what a gain has to be more than the noise of */
};

/*
 * A line search for each knob, one after the other: fewer CPU workers in powers of two and then between the best ones,
 * depths of the pipeline, unless the finalist is of plans, which have their own, and prefetch off. A value is kept
 * where the mean ratio to the same replications without it is below 1 by more than twice its standard error, and by at
 * least a thousandth. Fills in the environment and its gains. -1: a replay failed.
 */
int starpu_settings_search(const struct starpu_settings_problem *p, struct finalist *c, struct ht_err *err);

/*
 * How many tasks the worker of a device takes at a time in the run, or by StarPU's default; 0: it waits for each, or
 * copies take no time and it makes no difference.
 */
int starpu_settings_pipeline(const struct evaluator_graph *g);

#endif
