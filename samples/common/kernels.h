/* samples/common/kernels.h - the kernels of a sample as StarPU calls them, in the order of its codelets. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SAMPLES_COMMON_KERNELS_H
#define SAMPLES_COMMON_KERNELS_H

#include <starpu.h>

#include "samples/common/kernel.h"

/* StarPU calls what begins and ends a reduction without an argument. */
static inline struct scalars scalars_of(const void *arg)
{
	struct scalars none = {1, 0, {0}, {0}};

	return arg ? *(const struct scalars *)arg : none;
}

#ifdef __cplusplus
extern "C" {
#endif

/* kernels_cpu.c, compiled for each sample, as are the other two. */
extern const int kernels_count, kernels_buffers[];
extern const starpu_cpu_func_t kernels_cpu[];

/* kernels_opencl.c */
extern const starpu_opencl_func_t kernels_opencl[];

/* kernels_cuda.cu; kernels_cuda_begin(): on every device, which loads a kernel when it is first asked for. */
extern const starpu_cuda_func_t kernels_cuda[];
void kernels_cuda_begin(void);

/* After starpu_init(): 0, or -1 where the OpenCL kernels do not compile. kernels_end() before starpu_shutdown(). */
int kernels_begin(void);
void kernels_end(void);

#ifdef __cplusplus
}
#endif

#endif
