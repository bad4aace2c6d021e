/* core/dag/dag_synchronous.c - which codelets keep the thread of their device until they have ended. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A codelet without STARPU_CUDA_ASYNC or STARPU_OPENCL_ASYNC is executed by the thread that drives the device: no task
 * is popped until it returns, and no copy begun (StarPU 1.4.10, driver_cuda.c, execute_job_on_cuda). A trace shows it
 * by when the function of the codelet has returned: at the end, or when it had queued a kernel.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag_parts.h"
#include "core/trace/trace.h"

/* Tasks whose function returned in the second half of their execution, and all that show it. */
struct returned {
	uint32_t late, all;
};

void dag_find_synchronous_types(struct dag *d, const struct trace *t)
{
	struct returned(*types)[ARCH_COUNT] = ht_alloc(d->ntypes, sizeof(*types));

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];
		struct returned *r = &types[dag_type_of(d, i)][t->workers[x->worker].arch];
		int64_t returned_ns = trace_extra(t, x)->returned_ns;

		if (returned_ns == TIME_NONE)
			continue;
		r->all++;
		r->late += returned_ns - x->start_ns > (x->end_ns - x->start_ns) / 2;
	}
	for (uint32_t type = 0; type < d->ntypes; type++) {
		for (int a = 0; a < ARCH_COUNT; a++) {
			const struct returned *r = &types[type][a];

			if (r->late * 2 > r->all)
				d->types[type].synchronous |= (arch_mask)(1u << a);
			else if (r->all)
				d->types[type].asynchronous |= (arch_mask)(1u << a);
		}
	}
	free(types);
}
