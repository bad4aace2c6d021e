/* samples/cholesky/cholesky.h - what the files of the tiled Cholesky factorisation share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SAMPLES_CHOLESKY_CHOLESKY_H
#define SAMPLES_CHOLESKY_CHOLESKY_H

#include <stdbool.h>
#include <stdint.h>

#include <starpu.h>

/* The four codelets, in the order of their ranks on the critical path. */
enum kernel { KERNEL_POTRF, KERNEL_TRSM, KERNEL_SYRK, KERNEL_GEMM, KERNEL_COUNT };

/* How the OpenCL kernels block: by registers (CPU devices), through local memory (GPUs), or as fits each device. */
enum blocking { BLOCKING_AUTO, BLOCKING_REGISTERS, BLOCKING_LOCAL };

struct options {
	int64_t size;   /* rows of the matrix; a multiple of tile */
	int64_t tile;   /* rows of a tile */
	int64_t repeat; /* factorisations, at least 1 */
	uint64_t seed;
	enum blocking blocking;
	bool check;
	bool stats;
	bool no_priorities;
};

/* options.c: 0, or the status to exit with plus one: 1 after --help, 3 after a sentence on stderr. */
int options_read(int argc, char **argv, struct options *opt);

/*
 * matrix.c: a symmetric matrix of which the lower tiles are stored, each contiguous and column-major. An entry is a
 * function of (seed, row, column) alone, so the original is never kept: off the diagonal it is uniform in [-1/2, 1/2),
 * whose spectrum lies within sqrt(n/3) of 0, and the diagonal is 2 sqrt(n): positive definite, condition about 2,
 * and not so dominated by its diagonal that a forgotten update would be lost in rounding.
 */
struct matrix {
	int64_t size;
	int64_t tile;
	int64_t tiles; /* per side */
	uint64_t seed;
	float *data; /* NULL under SimGrid */
};

int matrix_alloc(struct matrix *a, const struct options *opt); /* -1: out of memory; after starpu_init() */
void matrix_free(struct matrix *a);                            /* before starpu_shutdown() */
void matrix_fill(struct matrix *a);
float *matrix_tile(const struct matrix *a, int64_t i, int64_t j);        /* i >= j; NULL under SimGrid */
float matrix_entry(const struct matrix *a, int64_t row, int64_t column); /* of the original, both triangles */

/*
 * check.c: the factor L against the original A, in double precision. Returns ||A - L L^T|| / ||A|| in the Frobenius
 * norm, NaN where a pivot was not positive, -1 when out of memory. What single precision may leave is `*limit`:
 * 4 eps sqrt(n), since rounding errors add up like a random walk.
 */
double factor_residual(const struct matrix *l, double *limit);

/* What a device's kernels need besides their buffers; passed to every task as its cl_arg. */
struct devices {
	void *opencl;
	void *cuda;
};

struct codelets {
	struct starpu_codelet cl[KERNEL_COUNT];
	struct starpu_perfmodel model[KERNEL_COUNT];
};

/* codelets.c: the structures must outlive starpu_shutdown(). */
int devices_init(struct devices *d, const struct options *opt); /* -1: a sentence was written on stderr */
void codelets_init(struct codelets *c, const struct devices *d);
void devices_fini(struct devices *d);
void codelets_print_counts(const struct codelets *c);

/* graph.c: one factorisation of the matrix as filled. Returns the time from first submission to last completion in
   microseconds; negative when a kernel has no worker that can run it: a sentence was written on stderr. */
double graph_run(const struct matrix *a, struct codelets *c, struct devices *d, const struct options *opt);
int64_t graph_tasks(int64_t tiles);
double graph_flops(int64_t size);

/* kernels_cpu.c, kernels_opencl.c, kernels_cuda.c: the kernels, indexed by enum kernel. */
extern const starpu_cpu_func_t kernels_cpu[KERNEL_COUNT];
void kernels_cpu_init(void); /* one thread per kernel: the parallelism is between tasks */

extern const starpu_opencl_func_t kernels_opencl[KERNEL_COUNT];
void *kernels_opencl_init(const struct options *opt); /* NULL: a sentence was written on stderr */
bool kernels_opencl_async(const void *state);         /* whether a kernel may return before its work is done */
void kernels_opencl_fini(void *state);

extern const starpu_cuda_func_t kernels_cuda[KERNEL_COUNT];
void *kernels_cuda_init(const struct options *opt); /* of the CUDA versions */
void kernels_cuda_fini(void *state);

#endif
