/* plugin/starpu/task_list.c - tasks that wait for any worker that can execute them, in a list that needs no memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/task_list.h"

#include <stddef.h>

#include "plugin/starpu/starpu_api.h"

void task_list_add(struct task_list *l, struct starpu_task *task)
{
	*task_sched_data(task) = NULL;
	if (l->last)
		*task_sched_data(l->last) = task;
	else
		l->first = task;
	l->last = task;
}

struct starpu_task *task_list_take(struct task_list *l, int worker)
{
	struct starpu_task *before = NULL, *t = l->first;
	unsigned implementation = 0;

	for (; t; before = t, t = *task_sched_data(t)) {
		if (!sp.starpu_worker_can_execute_task_first_impl((unsigned)worker, t, &implementation))
			continue;
		if (before)
			*task_sched_data(before) = *task_sched_data(t);
		else
			l->first = *task_sched_data(t);
		if (l->last == t)
			l->last = before;
		*task_sched_data(t) = NULL;
		sp.starpu_task_set_implementation(t, implementation);
		return t;
	}
	return NULL;
}
