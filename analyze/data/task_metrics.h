/* analyze/data/task_metrics.h - every metric of every task, and their means over the tasks of a type. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_TASK_METRICS_H
#define ANALYZE_DATA_TASK_METRICS_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "core/metrics/ability.h"
#include "core/metrics/efficiency.h"
#include "core/metrics/metrics.h"
#include "core/metrics/rank.h"
#include "core/metrics/released.h"

struct csv;
struct dag;
struct ht_err;
struct machine;
struct run;

/* Of one type on one architecture. NAN where none of its tasks can run there, but for released_ns. */
struct type_arch_means {
	double released_ns; /* of Q(t,a); there for every architecture of the machine */
	double speedup;     /* of sp(t,a) */
	double nod_bonus;   /* of B5 */
};

/* Of one type. */
struct type_means {
	double successors, ability, efficiency; /* the direct ability, the transitive one */
	double released_ns;                     /* of Q(t), which is S(t) */
	double upward_ns, downward_ns, slack_ns;
	uint32_t critical; /* tasks without slack: a count */
	struct type_arch_means arch[ARCH_COUNT];
};

/*
 * What the parts mean is in their headers and in heterotune-metrics(7). MulTreePrio's B5 = NOD(t) / NOD_highest(a) is
 * computed with the highest NOD of all tasks that can run on a, as its scheduler knows it at the end of the run; 0
 * where all are 0.
 */
struct task_metrics {
	const struct dag *dag; /* borrowed, as all the following */
	const struct metrics *metrics;
	struct metrics_class *classes; /* per class */
	struct released released;
	struct ranks ranks;
	struct start_times start_times;
	struct ability ability;
	struct efficiency efficiency;
	double nod_highest[ARCH_COUNT];
	struct type_means *types; /* per type */
};

/* 0, or -1 when a task can run on no worker of the machine. task_metrics_fini() also after a failure, or of zeroes. */
int task_metrics_init(struct task_metrics *k, const struct dag *d, const struct machine *m, const struct metrics *x,
                      struct ht_err *err);
void task_metrics_fini(struct task_metrics *k);

/* B5 of a task; NAN: it cannot run there. */
double task_metrics_nod_bonus(const struct task_metrics *k, uint32_t t, enum arch a);

/* NRT of a task on every architecture of the machine (core/metrics/metrics.h, eq 7), 0 on others. */
void task_metrics_nrt(const struct task_metrics *k, uint32_t t, double nrt[ARCH_COUNT]);

/* A header line, and a line per task in the order of submission; what exists for no such task is an empty field. */
void task_metrics_csv(const struct task_metrics *k, const struct run *run, struct csv *c);

#endif
