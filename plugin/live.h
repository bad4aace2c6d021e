/* plugin/live.h - what the program has submitted and not yet executed: StarPU's tasks as a live graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_LIVE_H
#define PLUGIN_LIVE_H

#include <stdint.h>

#include "core/config/config.h"

struct live_dag;
struct starpu_task;

/*
 * One graph for all contexts of the program whose policies are the library's. A task's index is in its sched_data from
 * its submission to its end. Costs are those of StarPU's performance models: a class is a codelet, what it may run on,
 * and the footprint of its data. Of a class that has no model, or whose model knows nothing yet, they are those of the
 * config; if that has none, workers are as fast to each other as StarPU takes them to be.
 *
 * Functions with "locked" in their comment are called between lock_take() and lock_release() (lock.h).
 */

#define LIVE_NONE UINT32_MAX

/*
 * A context begins and ends to use it. The first one makes the graph, the last one drops it. -1: there is no memory.
 * The config, or NULL, has to stay until then.
 */
int live_open(const struct config *c);
void live_close(void);

/*
 * Locked. The index of a task that is submitted now, or is pushed without a submission that was seen; LIVE_NONE: there
 * is no memory, neither for this one nor for later ones, or the task has no codelet.
 */
uint32_t live_submit(struct starpu_task *task);

/*
 * Locked. A task that is submitted and that nobody executes: what StarPU-MPI sends is known by it. 1: live_can_copy()
 * is not true any more of data of which it may have been.
 */
int live_note(struct starpu_task *task);

/*
 * Locked. StarPU can be asked for a copy of the data, by its index, beside what tasks ask for. It ends the program
 * where that has given up the content, though tasks wait that read it; where the data has been partitioned for the
 * tasks that come next it takes the copy for one more access, and joins the parts.
 */
int live_can_copy(uint32_t handle);

/* Locked. LIVE_NONE: it has none. */
uint32_t live_index(const struct starpu_task *task);

/* Locked. The task is executed: its index is free. */
void live_done(struct starpu_task *task);

/* Locked. The graph; NULL: there is no memory for it any more. */
struct live_dag *live_graph(void);

/* Locked. The task of an index; NULL: it is free, or that of a join. */
struct starpu_task *live_task(uint32_t index);

/* Locked. A piece of data that a live task accesses, by its index in the graph. */
struct _starpu_data_state *live_handle(uint32_t handle);

/* Locked. Which data it is of all that the graph has had; an index is given to other data when its data is gone. */
uint64_t live_handle_number(uint32_t handle);

/* Locked. There is no memory for what stands upon the graph: it is not used any more. */
void live_lose(void);

/*
 * Locked. What a task takes on one of StarPU's workers, ns, and in *implementation (if not NULL) the fastest one of the
 * codelet there; -1: it cannot run there.
 */
int64_t live_cost_ns(uint32_t index, int worker, unsigned *implementation);

/*
 * Locked. Whether the workers that can run a task of the class have turned out to be others than for the tasks before:
 * its codelet has a can_execute() that looks at the task. And how many such classes there are so far.
 */
int live_is_mixed(uint32_t index);
unsigned live_mixed_classes(void);

/*
 * Locked. The number of the iteration that a task is part of, from 1: a plan's graph has begun (follow.h), or, outside
 * of one, a task has been submitted while no other one was live.
 */
uint32_t live_iteration(uint32_t index);

/* Locked. The upward rank, by the plan of the graph (follow.h) or of what is live. */
double live_rank_ns(uint32_t index);

/* Locked. Where the task goes by the plan of its graph; arch is ARCH_NONE: there is no such plan. */
struct config_place live_place(uint32_t index);

/* Locked. The rank as an integer. */
int live_priority(uint32_t index);

/* Tasks that StarPU makes for itself end without a call of post_exec_hook. */
int live_is_internal(const struct starpu_task *task);

/*
 * StarPU may yet make of the submitted task one that nobody executes, and then no hook is called at its end: one of
 * a transaction that is cancelled (1.4.10, sched_policy.c, _starpu_push_task), or whose prologue says that another does
 * its work (task.c, starpu_task_ft_prologue). It is to be live once it is pushed.
 */
int live_may_vanish(const struct starpu_task *task);

#endif
