/* samples/cholesky/kernels_cuda.c - the four kernels on a CUDA device, by cuBLAS and cuSOLVER. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * All are asynchronous on the worker's stream (STARPU_CUDA_ASYNC). potrf needs a workspace: one for each worker
 * suffices although StarPU queues several tasks on it, because the stream runs them one after the other. A device loads
 * a kernel when it is first called for, which takes milliseconds, so that each is called once before the clock starts.
 */
#include "cholesky.h"

#include <stdio.h>
#include <stdlib.h>

#include <starpu_cublas_v2.h>
#include <starpu_cusolver.h>

#define TILE(buffer) ((float *)STARPU_MATRIX_GET_PTR(buffer))
#define ROWS(buffer) ((int)STARPU_MATRIX_GET_NX(buffer))
#define COLS(buffer) ((int)STARPU_MATRIX_GET_NY(buffer))
#define LD(buffer)   ((int)STARPU_MATRIX_GET_LD(buffer))

struct cuda_state {
	struct workspace {
		int devid;
		int words;   /* floats at `work` */
		float *work; /* on the device, as is info; NULL where the worker has no CUDA device */
		int *info;
	} of[STARPU_NMAXWORKERS];
};

static const float one = 1, minus_one = -1;

/* Where a tile is not positive definite, info says so on the device; the bad pivot stays on the diagonal, where
   factor_residual() finds it. */
static void potrf(void *buffers[], void *arg)
{
	struct cuda_state *state = ((struct devices *)arg)->cuda;
	struct workspace *w = &state->of[starpu_worker_get_id_check()];
	cusolverStatus_t status = cusolverDnSpotrf(starpu_cusolverDn_get_local_handle(), CUBLAS_FILL_MODE_LOWER,
	                                           ROWS(buffers[0]), TILE(buffers[0]), LD(buffers[0]), w->work,
	                                           w->words, w->info);
	if (status != CUSOLVER_STATUS_SUCCESS)
		STARPU_CUSOLVER_REPORT_ERROR(status);
}

static void trsm(void *buffers[], void *arg)
{
	cublasStatus_t status;

	(void)arg;
	status = cublasStrsm(starpu_cublas_get_local_handle(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
	                     CUBLAS_DIAG_NON_UNIT, ROWS(buffers[1]), COLS(buffers[1]), &one, TILE(buffers[0]),
	                     LD(buffers[0]), TILE(buffers[1]), LD(buffers[1]));
	if (status != CUBLAS_STATUS_SUCCESS)
		STARPU_CUBLAS_REPORT_ERROR(status);
}

static void syrk(void *buffers[], void *arg)
{
	cublasStatus_t status;

	(void)arg;
	status = cublasSsyrk(starpu_cublas_get_local_handle(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, ROWS(buffers[1]),
	                     COLS(buffers[0]), &minus_one, TILE(buffers[0]), LD(buffers[0]), &one, TILE(buffers[1]),
	                     LD(buffers[1]));
	if (status != CUBLAS_STATUS_SUCCESS)
		STARPU_CUBLAS_REPORT_ERROR(status);
}

static void gemm(void *buffers[], void *arg)
{
	cublasStatus_t status;

	(void)arg;
	status = cublasSgemm(starpu_cublas_get_local_handle(), CUBLAS_OP_N, CUBLAS_OP_T, ROWS(buffers[2]),
	                     COLS(buffers[2]), COLS(buffers[0]), &minus_one, TILE(buffers[0]), LD(buffers[0]),
	                     TILE(buffers[1]), LD(buffers[1]), &one, TILE(buffers[2]), LD(buffers[2]));
	if (status != CUBLAS_STATUS_SUCCESS)
		STARPU_CUBLAS_REPORT_ERROR(status);
}

const starpu_cuda_func_t kernels_cuda[KERNEL_COUNT] = {
	[KERNEL_POTRF] = potrf,
	[KERNEL_TRSM] = trsm,
	[KERNEL_SYRK] = syrk,
	[KERNEL_GEMM] = gemm,
};

/* -1: a sentence was written on stderr. */
static int workspace_alloc(struct workspace *w, int devid, int b)
{
	cusolverDnHandle_t handle;
	cusolverStatus_t status;
	cudaError_t err;

	w->devid = devid;
	err = cudaSetDevice(devid);
	if (err != cudaSuccess)
		goto no_memory;
	status = cusolverDnCreate(&handle);
	if (status == CUSOLVER_STATUS_SUCCESS) {
		status = cusolverDnSpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, b, NULL, b, &w->words);
		cusolverDnDestroy(handle);
	}
	if (status != CUSOLVER_STATUS_SUCCESS) {
		fprintf(stderr, "cholesky: cuSOLVER cannot size its workspace: device=%d status=%d\n", devid,
		        (int)status);
		return -1;
	}
	err = cudaMalloc((void **)&w->work, (size_t)w->words * sizeof(float));
	if (err == cudaSuccess)
		err = cudaMalloc((void **)&w->info, sizeof(int));
	if (err == cudaSuccess)
		return 0;
no_memory:
	fprintf(stderr, "cholesky: no workspace for potrf: device=%d: %s\n", devid, cudaGetErrorString(err));
	return -1;
}

struct warm_up {
	struct cuda_state *state;
	uint32_t b;
};

/* On a worker: every kernel, on tiles of zeros, of which nothing is read. */
static void warm_up(void *arg)
{
	const struct warm_up *w = arg;
	struct devices devices = {.cuda = w->state};
	size_t bytes = (size_t)w->b * w->b * sizeof(float);
	struct starpu_matrix_interface tiles[3];
	void *buffers[] = {&tiles[0], &tiles[1], &tiles[2]};
	char *memory = NULL;
	cudaError_t err = cudaMalloc((void **)&memory, 3 * bytes);

	if (err == cudaSuccess)
		err = cudaMemset(memory, 0, 3 * bytes);
	for (int i = 0; i < 3; i++)
		tiles[i] = (struct starpu_matrix_interface){
			.id = STARPU_MATRIX_INTERFACE_ID,
			.ptr = (uintptr_t)memory + (uintptr_t)i * bytes,
			.nx = w->b,
			.ny = w->b,
			.ld = w->b,
			.elemsize = sizeof(float),
		};
	for (int k = 0; err == cudaSuccess && k < KERNEL_COUNT; k++)
		kernels_cuda[k](buffers, &devices);
	if (err == cudaSuccess)
		err = cudaStreamSynchronize(starpu_cuda_get_local_stream());
	if (err != cudaSuccess)
		STARPU_CUDA_REPORT_ERROR(err);
	cudaFree(memory);
}

void *kernels_cuda_init(const struct options *opt)
{
	struct cuda_state *state = calloc(1, sizeof(*state));
	unsigned count = starpu_worker_get_count();

	if (!state) {
		fprintf(stderr, "cholesky: out of memory\n");
		return NULL;
	}
	starpu_cublas_init();
	starpu_cusolver_init();
	for (unsigned w = 0; w < count; w++) {
		if (starpu_worker_get_type((int)w) != STARPU_CUDA_WORKER)
			continue;
		if (workspace_alloc(&state->of[w], starpu_worker_get_devid((int)w), (int)opt->tile)) {
			kernels_cuda_fini(state);
			return NULL;
		}
	}
	starpu_execute_on_each_worker(warm_up, &(struct warm_up){state, (uint32_t)opt->tile}, STARPU_CUDA);
	return state;
}

void kernels_cuda_fini(void *cuda)
{
	struct cuda_state *state = cuda;

	if (!state)
		return;
	for (int w = 0; w < STARPU_NMAXWORKERS; w++) {
		if (!state->of[w].work)
			continue;
		cudaSetDevice(state->of[w].devid);
		cudaFree(state->of[w].work);
		cudaFree(state->of[w].info);
	}
	starpu_cusolver_shutdown();
	starpu_cublas_shutdown();
	free(state);
}
