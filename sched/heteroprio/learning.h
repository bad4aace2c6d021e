/* sched/heteroprio/learning.h - how AutoHeteroprio learns of types of tasks while they run, and what it concludes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_HETEROPRIO_LEARNING_H
#define SCHED_HETEROPRIO_LEARNING_H

#include "core/machine/arch.h"

struct heuristic;
struct autoheteroprio_data;

/* What StarPU takes a type to last on an architecture that cannot run it (..._TIME_ESTIMATION_POLICY). */
enum learning_estimate { ESTIMATE_LONG, ESTIMATE_BEST };

/*
 * All as in StarPU 1.4.10 (src/sched_policies/heteroprio.c), whose functions are named in parentheses. Estimated time,
 * us: the average where there is one, 1000 where it could run, else 10^8 or the best of those where it can.
 */
double learning_time_us(const struct autoheteroprio_data *l, int type, enum arch a, enum learning_estimate e);
double learning_best_us(const struct autoheteroprio_data *l, int type); /* on the architectures that can run it */

/*
 * The time that is 1 in normalised times: the mean over types, by their proportion, of the best time. 0: not known yet,
 * then every normalised time is 1 (get_autoheteroprio_normalized_time).
 */
double learning_unit_us(const struct autoheteroprio_data *l);

/* A task of the type has become ready: its proportion rises (add_submitted_task_to_data). */
void learning_ready(struct autoheteroprio_data *l, int type);

/* And this is what it releases. */
struct learning_released {
	double nod;             /* sum over successors of 1 / their predecessors */
	double nrt[ARCH_COUNT]; /* sum over successors of share * normalised time / predecessors */
	double best_us;         /* sum over successors of their best time */
};
void learning_releases(struct autoheteroprio_data *l, int type, const struct learning_released *r);

/* A task of the type was executed (register_task_arch_execution, register_execution_time). */
void learning_executed(struct autoheteroprio_data *l, int type, enum arch a, double us);

/* At the end: what the workers of an architecture were busy and free in the run (register_arch_times). */
void learning_worked(struct autoheteroprio_data *l, enum arch a, double busy_us, double free_us);

/*
 * The types that can run on `a`, the most urgent first (order_priorities). `exploring`: those with less than
 * AUTOHETEROPRIO_SAMPLES executions there go first. knobs NULL: StarPU's defaults. Returns their number; list has room
 * for AUTOHETEROPRIO_MAX_TYPES.
 */
int learning_order(const struct autoheteroprio_data *l, const struct heuristic *ordering, const double *knobs,
                   enum learning_estimate e, int exploring, enum arch a, int *list);

/* The score that gives that order, the bonus of exploring included; `unit_us` is learning_unit_us(). */
double learning_score(const struct autoheteroprio_data *l, const struct heuristic *ordering, const double *knobs,
                      enum learning_estimate e, int exploring, int type, enum arch a, double unit_us);

/*
 * The fastest architecture of a type, and how much slower the others that can run it are
 * (autoheteroprio_update_slowdown_data): slow[] is 0 on the fastest, and untouched where it cannot run.
 */
enum arch learning_slow_factors(const struct autoheteroprio_data *l, int type, double *slow);

#endif
