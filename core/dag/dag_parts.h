/* core/dag/dag_parts.h - the steps of dag_from_trace(), for its own files only. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_DAG_PARTS_H
#define CORE_DAG_DAG_PARTS_H

#include "core/dag/csr.h"
#include "core/dag/dag.h"

/*
 * Fills in d->succ*, pred*, nedges and order. `node` maps a task of the trace to its node, TRACE_NONE for one that is
 * contracted out; d->tasks may still be missing. `drop_deps` of struct dag_options.
 */
int dag_contract(struct dag *d, const struct trace *t, const uint32_t *node, struct trace *drop_deps,
                 struct ht_err *err);

/*
 * The edges between `n` nodes into `g`, whose arrays live in `to`: `node` as above, of any tasks that are to stay. -1
 * with the sentence on a cycle, or where there are too many.
 */
int dag_contract_edges(const struct trace *t, const uint32_t *node, uint32_t n, struct arena *to, struct csr *g,
                       struct trace *drop_deps, struct ht_err *err);

/* Fills in d->classes, d->types, and class_id and type of every task. */
void dag_classify(struct dag *d, const struct trace *t, const struct model_set *models, const struct dag_options *o);

/*
 * Takes from the types the architectures that only their models know and that they can hardly run on, with the costs
 * there, and says so in d->absences. For a run whose scheduler did not look at durations.
 */
void dag_infer_where(struct dag *d, const struct trace *t);

/*
 * Of a native run with events of StarPU, after d->classes and class_id. dag_find_warm_up() fills in warm_up_ns of
 * classes whose first execution by a worker is the longest, by half at least over the mean of its others, and more
 * often so than by chance. Returns, a byte a task, which these are: to be left out of costs; free() it.
 * dag_find_company() then fills in the company of classes on CPUs: by the line of least squares through the durations
 * over how many other CPUs executed when each task started, where its slope is three standard errors above 0.
 */
uint8_t *dag_find_warm_up(struct dag *d, const struct trace *t);
void dag_find_company(struct dag *d, const struct trace *t, const uint8_t *left_out);

/* Fills in waits; after tasks and accesses. `node` as above. */
void dag_find_waits(struct dag *d, const struct trace *t, const uint32_t *node);

/* Fills in invalidated; after tasks and accesses. */
void dag_find_invalidated(struct dag *d, const struct trace *t);

/* Fills in synchronous and asynchronous of every type, from when the functions of its tasks returned. */
void dag_find_synchronous_types(struct dag *d, const struct trace *t);

#endif
