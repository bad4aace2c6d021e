/* plugin/starpu/pipeline.c - whether a worker takes its next task while it executes one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/pipeline.h"

#include <stdlib.h>

#include "core/base/number.h"
#include "core/config/starpu_env.h"

enum { IS_ASYNC = 1 }; /* 1.4.10: drivers/cuda/driver_cuda.c; STARPU_CUDA_ASYNC, _HIP_, _OPENCL_ */

/* StarPU's default is 2, and what is no number is none for it. */
static int has_depth(enum arch a)
{
	const char *text = getenv(starpu_env_pipelines[a]);
	int64_t depth;

	return !text || (number_parse_int(text, 0, INT64_MAX, &depth) == 0 && depth > 1);
}

/* The environment is read once. */
static int is_deep(enum arch a)
{
	static signed char known[ARCH_COUNT]; /* 1, -1: not; 0: not read */

	if (!known[a])
		known[a] = has_depth(a) ? 1 : -1;
	return known[a] > 0;
}

int pipeline_takes_ahead(const struct starpu_task *task, enum arch a)
{
	const unsigned char *codelet = *task_codelet(task);
	const size_t flags[ARCH_COUNT] = {
		[ARCH_CUDA] = sp.layout->codelet.cuda_flags,
		[ARCH_OPENCL] = sp.layout->codelet.opencl_flags,
		[ARCH_HIP] = sp.layout->codelet.hip_flags,
	};

	return codelet && starpu_env_pipelines[a] && codelet[flags[a]] & IS_ASYNC && is_deep(a);
}
