/* samples/common/kernels_cpu.c - a sample's kernels on a CPU core, and the list of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiled for each sample, with SAMPLE_KERNELS as its kernels.h and SAMPLE_SOURCE as that file in one C string. */
#include "samples/common/kernels.h"

#include SAMPLE_KERNELS

#define COUNT(name, n)   +1
#define BUFFERS(name, n) n,

const int kernels_count = 0 KERNELS(COUNT);
const int kernels_buffers[] = {KERNELS(BUFFERS)};

#ifndef STARPU_SIMGRID
#define AT(i)    ((REAL *)STARPU_MATRIX_GET_PTR(buffers[i]))
#define CALL1(f) f(AT(0), s)
#define CALL2(f) f(AT(0), AT(1), s)
#define CALL3(f) f(AT(0), AT(1), AT(2), s)
#define CALL4(f) f(AT(0), AT(1), AT(2), AT(3), s)

#define ADAPTER(name, n) \
	static void cpu_##name(void *buffers[], void *arg) \
	{ \
		struct scalars s = scalars_of(arg); \
		CALL##n(name); \
	}
KERNELS(ADAPTER)

#define FUNCTION_OF(name, n) cpu_##name,
const starpu_cpu_func_t kernels_cpu[] = {KERNELS(FUNCTION_OF)};
#endif
