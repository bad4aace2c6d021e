/* samples/cholesky/kernels_cpu.c - the four kernels on a core, by OpenBLAS and LAPACKE. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cholesky.h"

#include <cblas.h>
#include <lapacke.h>

#define TILE(buffer) ((float *)STARPU_MATRIX_GET_PTR(buffer))
#define ROWS(buffer) ((int)STARPU_MATRIX_GET_NX(buffer))
#define COLS(buffer) ((int)STARPU_MATRIX_GET_NY(buffer))
#define LD(buffer)   ((int)STARPU_MATRIX_GET_LD(buffer))

void kernels_cpu_init(void)
{
	openblas_set_num_threads(1);
}

/* A tile that is not positive definite keeps its bad pivot on the diagonal, where factor_residual() finds it. */
static void potrf(void *buffers[], void *arg)
{
	(void)arg;
	LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', ROWS(buffers[0]), TILE(buffers[0]), LD(buffers[0]));
}

static void trsm(void *buffers[], void *arg)
{
	(void)arg;
	cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, ROWS(buffers[1]), COLS(buffers[1]),
	            1.0f, TILE(buffers[0]), LD(buffers[0]), TILE(buffers[1]), LD(buffers[1]));
}

static void syrk(void *buffers[], void *arg)
{
	(void)arg;
	cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, ROWS(buffers[1]), COLS(buffers[0]), -1.0f,
	            TILE(buffers[0]), LD(buffers[0]), 1.0f, TILE(buffers[1]), LD(buffers[1]));
}

static void gemm(void *buffers[], void *arg)
{
	(void)arg;
	cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, ROWS(buffers[2]), COLS(buffers[2]), COLS(buffers[0]),
	            -1.0f, TILE(buffers[0]), LD(buffers[0]), TILE(buffers[1]), LD(buffers[1]), 1.0f, TILE(buffers[2]),
	            LD(buffers[2]));
}

const starpu_cpu_func_t kernels_cpu[KERNEL_COUNT] = {
	[KERNEL_POTRF] = potrf,
	[KERNEL_TRSM] = trsm,
	[KERNEL_SYRK] = syrk,
	[KERNEL_GEMM] = gemm,
};
