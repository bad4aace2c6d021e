/* sched/heteroprio/learner.h - updates AutoHeteroprio's statistics of types from execution events. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_HETEROPRIO_LEARNER_H
#define SCHED_HETEROPRIO_LEARNER_H

#include <stdint.h>

#include "core/config/autoheteroprio_data.h"
#include "core/machine/arch.h"
#include "sched/heteroprio/learning.h"

struct dag;
struct ht_err;

/* STARPU_HETEROPRIO_CODELET_GROUPING_STRATEGY: what a type is called, where both names are there. */
enum learner_grouping { BY_MODEL_OR_NAME, BY_NAME };

/* The graph that is executed, and how much of it has been submitted so far. */
struct learner_view {
	const struct dag *dag;
	const arch_mask *where; /* per type: what it can run on */
	arch_mask present;      /* architectures of the machine */
	int nworkers;
	int (*is_submitted)(void *ctx, uint32_t task); /* NULL: all are */
	void *ctx;
};

struct learner {
	struct autoheteroprio_data autoheteroprio_data; /* known before learner_init(): of a file, or zero */
	struct learner_view view;
	enum learner_grouping grouping;
	enum learning_estimate estimate;
	int *type_of; /* per type of the graph: index in autoheteroprio_data.types; -1: no task of it was seen yet */
	int64_t *done_ns; /* per task; -1: not yet */
	uint32_t *npred;  /* per task, as StarPU's graph has them; 0: not looked at yet */
	int64_t *hook_ns; /* per worker: when its last task started or ended */
	double busy_us[ARCH_COUNT], free_us[ARCH_COUNT];
};

/*
 * autoheteroprio_data, grouping and estimate are set before. Fails when there would be more than
 * AUTOHETEROPRIO_MAX_TYPES types. Times are ns from the graph's first submission. All that `view` names has to stay;
 * learner_fini() frees the rest, also after a failure and of a zeroed struct.
 */
int learner_init(struct learner *l, const struct learner_view *view, struct ht_err *err);
void learner_fini(struct learner *l);

/*
 * The type of a task, which is added as the last one when it is the first of its kind. A file knows the architectures
 * of a codelet, of which a graph knows only those that the machine has: a type of that name is the task's when both
 * agree on those.
 */
int learner_type(struct learner *l, uint32_t task);

/* A task has become ready: its type, and what it releases, as far as successors have been submitted. */
void learner_ready(struct learner *l, uint32_t task);

/* A worker starts and ends tasks; learner_done() gives the task's type. */
void learner_started(struct learner *l, int worker, enum arch a, int64_t now_ns);
int learner_done(struct learner *l, uint32_t task, int worker, enum arch a, int64_t now_ns);

/* At the end of the run: adds the busy and free times of the workers to autoheteroprio_data. */
void learner_finish(struct learner *l);

#endif
