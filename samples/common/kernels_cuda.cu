/* samples/common/kernels_cuda.cu - a sample's kernels on a CUDA device. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiled for each sample, by nvcc. Kernels are asynchronous on the worker's stream (STARPU_CUDA_ASYNC). */
#include "samples/common/kernels.h"

#include SAMPLE_KERNELS

#define AT(i)    ((REAL *)STARPU_MATRIX_GET_PTR(buffers[i]))
#define ARGS1    AT(0)
#define ARGS2    ARGS1, AT(1)
#define ARGS3    ARGS2, AT(2)
#define ARGS4    ARGS3, AT(3)

#define ADAPTER(name, n) \
	static void cuda_##name(void *buffers[], void *arg) \
	{ \
		struct scalars s = scalars_of(arg); \
		name<<<s.columns ? s.columns : s.groups, GROUP_ITEMS, 0, starpu_cuda_get_local_stream()>>>(ARGS##n, s); \
		if (cudaGetLastError() != cudaSuccess) \
			STARPU_CUDA_REPORT_ERROR(cudaGetLastError()); \
	}
KERNELS(ADAPTER)

#define FUNCTION_OF(name, n) cuda_##name,
extern "C" const starpu_cuda_func_t kernels_cuda[] = {KERNELS(FUNCTION_OF)};

static void load(void *arg)
{
	struct cudaFuncAttributes attributes;

	(void)arg;
#define LOAD(name, n) \
	if (cudaFuncGetAttributes(&attributes, name) != cudaSuccess) \
		STARPU_CUDA_REPORT_ERROR(cudaGetLastError());
	KERNELS(LOAD)
}

extern "C" void kernels_cuda_begin(void)
{
	starpu_execute_on_each_worker(load, NULL, STARPU_CUDA);
}
