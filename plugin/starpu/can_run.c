/* plugin/starpu/can_run.c - what a worker can execute, asked for any worker and at any time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/can_run.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "plugin/starpu/starpu_api.h"

typedef int can_execute_fn(unsigned worker, struct starpu_task *task, unsigned implementation);

static can_execute_fn *condition_of(const struct starpu_task *task)
{
	const unsigned char *codelet = *task_codelet(task);
	can_execute_fn *const *condition = (const void *)(codelet + sp.layout->codelet.can_execute);

	return *condition;
}

static int is_named(const struct starpu_task *task, int worker)
{
	const unsigned char *bytes = (const void *)task;
	const uint32_t *ids = *(uint32_t *const *)(const void *)(bytes + sp.layout->task.workerids);
	unsigned n = *task_nworkerids(task), at = (unsigned)worker / 32;

	return !n || (at < n && ids[at] >> worker % 32 & 1);
}

/* On another architecture it has one function, as its codelet says that it can run there. */
static int has_function(const struct starpu_task *task, enum starpu_worker_archtype arch, int implementation)
{
	const unsigned char *codelet = *task_codelet(task);
	size_t array;

	switch (arch) {
	case STARPU_CPU_WORKER: array = sp.layout->codelet.cpu_funcs; break;
	case STARPU_CUDA_WORKER: array = sp.layout->codelet.cuda_funcs; break;
	case STARPU_OPENCL_WORKER: array = sp.layout->codelet.opencl_funcs; break;
	case STARPU_HIP_WORKER: array = sp.layout->codelet.hip_funcs; break;
	case STARPU_MPI_MS_WORKER:
	case STARPU_TCPIP_MS_WORKER: array = sp.layout->codelet.cpu_funcs_name; break;
	default: return implementation == 0;
	}
	return ((void *const *)(const void *)(codelet + array))[implementation] != NULL;
}

unsigned can_run(struct starpu_task *task, int worker)
{
	enum starpu_worker_archtype arch = sp.starpu_worker_get_type(worker);
	can_execute_fn *condition = condition_of(task);
	unsigned can = 0;

	if (!((uint64_t)(uint32_t)*task_where(task) & STARPU_WORKER_TO_MASK(arch)) || !is_named(task, worker))
		return 0;
	for (int i = 0; i < IMPLEMENTATIONS; i++)
		if (has_function(task, arch, i) && (!condition || condition((unsigned)worker, task, (unsigned)i)))
			can |= 1u << i;
	return can;
}

int task_is_let(struct starpu_task *task, int worker, unsigned implementation)
{
	if (!*task_nworkerids(task) && !condition_of(task))
		return 1;
	return can_run(task, worker) >> implementation & 1;
}

int task_is_let_all(struct starpu_task *task, arch_mask archs, unsigned implementation)
{
	int n = *task_nworkerids(task) || condition_of(task) ? (int)sp.starpu_worker_get_count() : 0;

	for (int i = 0; i < n; i++)
		if (archs >> sp.starpu_worker_get_type(i) & 1 && !task_is_let(task, i, implementation))
			return 0;
	return 1;
}

static int32_t codelet_where(const struct starpu_task *task)
{
	const unsigned char *codelet = *task_codelet(task);

	return *(const int32_t *)(const void *)(codelet + sp.layout->codelet.where);
}

static arch_mask arch_of(int worker)
{
	return (arch_mask)(1u << sp.starpu_worker_get_type(worker));
}

/* Those of the workers of its context that can run the task. */
static arch_mask archs_in_context(struct starpu_task *task)
{
	int *workers = NULL, n = (int)sp.starpu_sched_ctx_get_workers_list(*task_context(task), &workers);
	arch_mask archs = 0;

	for (int i = 0; i < n; i++)
		if (!(archs & arch_of(workers[i])) && can_run(task, workers[i]))
			archs |= arch_of(workers[i]);
	free(workers);
	return archs;
}

arch_mask task_narrowed(struct starpu_task *task)
{
	int n = (int)sp.starpu_worker_get_count(), its_own = (int)*task_workerid(task);
	int32_t where = codelet_where(task);
	arch_mask all = 0, left;

	if (!task_has_worker(task) && !*task_nworkerids(task) && !condition_of(task) && !*task_context(task) &&
	    *task_where(task) == where)
		return 0;
	for (int w = 0; w < n; w++)
		if ((uint64_t)(uint32_t)where & STARPU_WORKER_TO_MASK(sp.starpu_worker_get_type(w)))
			all |= arch_of(w);
	if (!task_has_worker(task))
		left = archs_in_context(task);
	else
		left = its_own < n ? arch_of(its_own) : 0;
	return all & ~left ? left : 0;
}
