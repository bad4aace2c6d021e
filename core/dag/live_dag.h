/* core/dag/live_dag.h - the tasks that are submitted and not yet executed, as a graph that grows and shrinks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_LIVE_DAG_H
#define CORE_DAG_LIVE_DAG_H

#include <stdint.h>

#include "core/dag/dag.h"

/*
 * A task gets an index when it is submitted and gives it back when it is done, so all arrays are as long as the most
 * tasks that were live at a time. Dependencies are those of StarPU's sequential consistency (1.4.10,
 * implicit_data_deps.c): tasks that read a piece of data, that write it with ACCESS_COMMUTE, or that are parts of a
 * reduction, go on together; each access of another kind waits for all of them. Where a group of tasks waits for
 * another group a join stands between the two, as StarPU puts an empty task there: edges are linear in accesses. A join
 * has an index too; it is done when its predecessors are.
 *
 * Upward ranks (core/metrics/rank.h) are found by sweeps over all live tasks from the newest to the oldest, of which
 * one happens when the tasks submitted since the last are more than 1 / LIVE_DAG_SHARE of the live ones. So a task
 * costs at most LIVE_DAG_SHARE + 1 visits however many there are, and ranks are exact but for what follows from the
 * newest tasks.
 */
struct live_dag;

enum { LIVE_DAG_SHARE = 4, LIVE_DAG_WHOLE_SHARE = 64 };

#define LIVE_DAG_NONE UINT32_MAX

/* `latency_ns` and `ns_per_byte`: of a copy along an edge, as ranks count them. */
struct live_dag *live_dag_create(double latency_ns, double ns_per_byte);
void live_dag_free(struct live_dag *l);

/*
 * What a policy sees of it: tasks, classes, types, accesses and data are there, by index; ntasks, naccesses and
 * nhandles are how many there is room for, and double where it is not enough. Members may move at any call that adds
 * something. There are no edges (succ_first is NULL) and no order.
 */
struct dag *live_dag_view(struct live_dag *l);

/*
 * Adds a type and a class, whose members the caller fills in; the class is `length_ns` long for ranks, which may be set
 * again. Indices are those of the view. `name` is borrowed.
 */
uint32_t live_dag_add_type(struct live_dag *l, const char *name);
uint32_t live_dag_add_class(struct live_dag *l, uint32_t type);
void live_dag_set_length(struct live_dag *l, uint32_t class_id, double length_ns);

/* Adds a piece of data; one that is dropped may give its index to the next. No live task may access it then. */
uint32_t live_dag_add_handle(struct live_dag *l, uint64_t bytes, int32_t home);
void live_dag_drop_handle(struct live_dag *l, uint32_t handle);

/* Live tasks that access the data, once for each access; and the bytes of all data that they access. */
uint32_t live_dag_uses(const struct live_dag *l, uint32_t handle);
uint64_t live_dag_bytes(const struct live_dag *l);

struct live_task {
	uint32_t class_id;
	int32_t priority;
	const struct data_access *accesses;
	uint32_t naccesses;
	const uint32_t *after; /* live tasks that it waits for beside what follows from accesses; may be NULL */
	uint32_t nafter;
};

/* The index of the new task. */
uint32_t live_dag_submit(struct live_dag *l, const struct live_task *t);

/*
 * What the live tasks that wrote the data last have written is sent to another MPI rank, which does something with it
 * that the graph does not show: one node more after them, a join without successors, by which ranks know it
 * (rank_upward()).
 */
void live_dag_send(struct live_dag *l, uint32_t handle);

/* The task is executed: its index is free, and nobody waits for it any more. */
void live_dag_done(struct live_dag *l, uint32_t task);

/* Sweeps where it is due. Of a task that no sweep has seen: its length, and what its direct successors add. */
double live_dag_rank_ns(struct live_dag *l, uint32_t task);

/*
 * No more tasks come for now: sweeps where more than 1 / LIVE_DAG_WHOLE_SHARE of the live tasks are new. So a program
 * that waits after each task pays that many visits for it.
 */
void live_dag_whole(struct live_dag *l);

/* Sweeps now, if anything is new. */
void live_dag_sweep(struct live_dag *l);

int live_dag_is_live(const struct live_dag *l, uint32_t task);

/*
 * Calls visit() once for each live successor of a live task, those after joins in place of the joins. `npreds`: how
 * many tasks the successor had to wait for when it was submitted, those of a join counted where the join stands.
 * `times`: 1; but of more than LIVE_DAG_AFTER_JOIN after one join the newest so many are visited, each for several,
 * since each task before the join has all of them as successors.
 */
enum { LIVE_DAG_AFTER_JOIN = 1024 };
typedef void live_dag_visit(void *arg, uint32_t successor, uint32_t npreds, uint32_t times);
void live_dag_successors(struct live_dag *l, uint32_t task, live_dag_visit *visit, void *arg);

/* The place of a live task among all that were submitted, joins included, from 1. */
uint64_t live_dag_number(const struct live_dag *l, uint32_t task);

/* The number of the newest one, live or not; 0: none was submitted. */
uint64_t live_dag_newest(const struct live_dag *l);

/*
 * A copy of what is live, with edges, an order and sends, and the same indices; those of free tasks and of joins are
 * tasks of one class more, which take no time and can run on every architecture. class.count is that of live tasks.
 * dag_free() frees it.
 */
struct dag *live_dag_snapshot(struct live_dag *l);

/*
 * The same without free tasks, and with the data alone that live tasks access, in time that does not depend on how much
 * there was before: task i of the copy is (*task)[i], datum h is (*handle)[h], ascending. The arrays are the copy's.
 */
struct dag *live_dag_part(struct live_dag *l, const uint32_t **task, const uint32_t **handle);

#endif
