/* tests/lib/no_priorities_preload.c - an application that gives its tasks no priorities. For LD_PRELOAD. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dlfcn.h>
#include <starpu.h>

#undef starpu_task_submit /* a macro where StarPU records files and lines */

int starpu_task_submit(struct starpu_task *task)
{
	int (*submit)(struct starpu_task *) = (int (*)(struct starpu_task *))dlsym(RTLD_NEXT, "starpu_task_submit");

	task->priority = STARPU_DEFAULT_PRIO;
	return submit(task);
}
