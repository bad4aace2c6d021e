/* sched/speed.h - how fast StarPU takes an architecture to be where it knows nothing of a task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_SPEED_H
#define SCHED_SPEED_H

#include "core/machine/arch.h"

/* starpu_worker_get_relative_speedup(): `alpha` of StarPU 1.4.10's src/drivers; of MIC 1.3's, of SYCL 1.5's. */
static inline double speed_of_arch(enum arch a)
{
	static const double speeds[ARCH_COUNT] = {
		[ARCH_CPU] = 0.5f,      [ARCH_CUDA] = 13.33f, [ARCH_OPENCL] = 12.22f,
		[ARCH_MIC] = 0.5f,      [ARCH_FPGA] = 0.5f,   [ARCH_MPI_MS] = 1.0f,
		[ARCH_TCPIP_MS] = 1.0f, [ARCH_HIP] = 13.33f,  [ARCH_SYCL] = 13.33f,
	};

	return speeds[a];
}

#endif
