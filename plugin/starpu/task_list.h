/* plugin/starpu/task_list.h - tasks that wait for any worker that can execute them, in a list that needs no memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_TASK_LIST_H
#define PLUGIN_TASK_LIST_H

struct starpu_task;

/* Linked by their sched_data. All members 0: it is empty. */
struct task_list {
	struct starpu_task *first, *last;
};

/* At the end. */
void task_list_add(struct task_list *l, struct starpu_task *task);

/*
 * Takes the first task that StarPU's worker can execute, whose sched_data is NULL then, and sets its implementation:
 * the first that the worker can use. NULL: there is no such task.
 */
struct starpu_task *task_list_take(struct task_list *l, int worker);

#endif
