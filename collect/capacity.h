/* collect/capacity.h - how much of each memory StarPU uses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_CAPACITY_H
#define COLLECT_CAPACITY_H

struct machine;

enum capacity_limits { CAPACITY_DEFAULT, CAPACITY_OF_ENVIRONMENT };

/*
 * The capacities of a machine's devices, as they are, become what StarPU 1.4.10 uses of them
 * (src/drivers/cuda/driver_cuda.c, _starpu_cuda_limit_gpu_mem_if_needed(), and the same for OpenCL and HIP): nine
 * tenths, in whole MiB; or, with CAPACITY_OF_ENVIRONMENT, the MiB that STARPU_LIMIT_CUDA_MEM or
 * STARPU_LIMIT_CUDA_0_MEM names, also for a device whose memory is not known. What StarPU allocates in main memory
 * (STARPU_LIMIT_CPU_MEM) is not the application's data, and stays without limit.
 */
void capacity_limit(struct machine *m, enum capacity_limits limits);

#endif
