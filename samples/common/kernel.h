/* samples/common/kernel.h - kernels written once, for CPU, OpenCL and CUDA. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A kernel is a function of buffers of REAL and of struct scalars. It is executed by groups of items: GROUP of GROUPS,
 * ITEM of ITEMS. On a CPU one item does everything. A sample's kernels.h defines its kernels with KERNEL and lists them
 * in KERNELS(X) as X(name, number of buffers), in the order of their codelets. Matrices are column-major and
 * contiguous.
 *
 * Where a kernel works on columns, a CUDA device has a group, which is a warp, for each of them, and the items of the
 * group share its rows out: their loads and stores are then of consecutive addresses. An item of OpenCL, which stands
 * for a lane of a CPU, has a column of its own.
 */
#ifndef SAMPLES_COMMON_KERNEL_H
#define SAMPLES_COMMON_KERNEL_H

typedef float REAL;

/* By value to every kernel: what its task does, and on how many groups a device runs it. */
struct scalars {
	int groups;
	int columns; /* of a kernel that has FOR_COLUMNS, for which CUDA has as many groups; else 0 */
	int i[7];
	REAL x[3];
};

#define GROUP_ITEMS 32

#if defined(__OPENCL_VERSION__)
#define KERNEL(name, ...) \
	__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void name(__VA_ARGS__, struct scalars s)
#define GLOBAL            __global REAL
#define LOCAL             __local REAL
#define LOCAL_ARRAY(name) __local REAL name[GROUP_ITEMS]
#define FUNCTION          static inline __attribute__((unused))
#define BARRIER           barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define ITEM              (int)get_local_id(0)
#define ITEMS             GROUP_ITEMS
#define GROUP             (int)get_group_id(0)
#define GROUPS            (int)get_num_groups(0)
#define SQRT(x)           sqrt(x)
#define FABS(x)           fabs(x)
#define COS(x)            cos(x)
#define RESTRICT          restrict
#elif defined(__CUDACC__)
#define KERNEL(name, ...) static __global__ void name(__VA_ARGS__, struct scalars s)
#define GLOBAL            REAL
#define LOCAL             REAL
#define LOCAL_ARRAY(name) __shared__ REAL name[GROUP_ITEMS]
#define FUNCTION          static __device__ inline
#define BARRIER           __syncthreads()
#define ITEM              (int)threadIdx.x
#define ITEMS             GROUP_ITEMS
#define GROUP             (int)blockIdx.x
#define GROUPS            (int)gridDim.x
#define SQRT(x)           sqrtf(x)
#define FABS(x)           fabsf(x)
#define COS(x)            cosf(x)
#define RESTRICT          __restrict__
#else
#include <math.h>
#define KERNEL(name, ...) \
	static __attribute__((unused)) void name(__VA_ARGS__, __attribute__((unused)) struct scalars s)
#define GLOBAL            REAL
#define LOCAL             REAL
#define LOCAL_ARRAY(name) REAL name[1]
#define FUNCTION          static inline __attribute__((unused))
#define BARRIER           (void)0
#define ITEM              0
#define ITEMS             1
#define GROUP             0
#define GROUPS            1
#define SQRT(x)           sqrtf(x)
#define FABS(x)           fabsf(x)
#define COS(x)            cosf(x)
#define RESTRICT          restrict
#endif

/* What the items of a group, or of all groups, share out between them. */
#define FOR_ITEMS(i, from, to) for (int i = (from) + ITEM; i < (to); i += ITEMS)
#define FOR_ALL(i, to)         for (int i = GROUP * ITEMS + ITEM; i < (to); i += GROUPS * ITEMS)

/*
 * FOR_COLUMNS shares columns out between all groups, FOR_OWN_COLUMNS between the items of the one group; FOR_ROWS is
 * what an item has of a column. COLUMN_BARRIER separates a column's steps; of its items one is FIRST_OF_COLUMN. Of
 * columns that wait for each other there are SHARES of rows instead, of which none has less than LEAST_ROWS.
 */
#if defined(__CUDACC__)
#define FOR_COLUMNS(c, to)           for (int c = GROUP; c < (to); c += GROUPS)
#define FOR_OWN_COLUMNS(c, from, to) for (int c = (from); c < (to); c++)
#define FOR_ROWS(r, from, to)        FOR_ITEMS(r, from, to)
#define COLUMN_BARRIER               __syncwarp()
#define FIRST_OF_COLUMN              (ITEM == 0)
#define SHARE                        GROUP
#define SHARES                       GROUPS
#define LEAST_ROWS                   1
#else
#define FOR_COLUMNS(c, to)           FOR_ALL(c, to)
#define FOR_OWN_COLUMNS(c, from, to) FOR_ITEMS(c, from, to)
#define FOR_ROWS(r, from, to)        for (int r = (from); r < (to); r++)
#define COLUMN_BARRIER               (void)0
#define FIRST_OF_COLUMN              1
#define SHARE                        (GROUP * ITEMS + ITEM)
#define SHARES                       (GROUPS * ITEMS)
#define LEAST_ROWS                   32
#endif

/* The sum of `x` of all items of a column, for every item of it. */
FUNCTION REAL column_sum(REAL x)
{
#if defined(__CUDACC__)
	for (int d = GROUP_ITEMS / 2; d > 0; d /= 2)
		x += __shfl_xor_sync(0xffffffff, x, d);
#endif
	return x;
}

/* The sum of a group's `x`, for every item of it. */
FUNCTION REAL group_sum(REAL x, LOCAL *part)
{
	REAL sum = 0;

	part[ITEM] = x;
	BARRIER;
	for (int i = 0; i < ITEMS; i++)
		sum += part[i];
	BARRIER;
	return sum;
}

/*
 * z -= X y: z and the columns of X, which are `ld` apart, have `rows` entries, y has `depth`, `step` apart. CUDA has
 * sums in registers, and several loads at once; a CPU takes X as it lies in memory.
 */
FUNCTION void subtract_product(GLOBAL *RESTRICT z, const GLOBAL *RESTRICT x, int ld, const GLOBAL *RESTRICT y, int step,
                               int rows, int depth)
{
#if defined(__CUDACC__)
	enum { ROWS = 8 };

	for (int first = ITEM; first < rows; first += ROWS * ITEMS) {
		REAL sum[ROWS] = {0};

		for (int k = 0; k < depth; k++)
			for (int i = 0; i < ROWS; i++)
				if (first + i * ITEMS < rows)
					sum[i] += x[first + i * ITEMS + k * ld] * y[k * step];
		for (int i = 0; i < ROWS; i++)
			if (first + i * ITEMS < rows)
				z[first + i * ITEMS] -= sum[i];
	}
#else
	for (int k = 0; k < depth; k++)
		for (int r = 0; r < rows; r++)
			z[r] -= x[r + k * ld] * y[k * step];
#endif
}

#endif
