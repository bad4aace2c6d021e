/* samples/lu_mpi/lu_mpi.c - LU factorisation without pivoting by tiles, on several ranks, with StarPU-MPI. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tiles belong to ranks block-cyclically in both directions, on a grid of ranks that is as square as it can be; a task
 * runs on the rank of the tile that it writes. The kernels are those of samples/lu. Over SimGrid, where nothing is
 * computed, tiles of 960 take what StarPU's own models of its LU say, and the memory of all tiles is the same.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <starpu_mpi.h>

#include "samples/common/kernels.h"
#include "samples/lu/kernels.h"

#define KERNEL_NUMBER(name, n) KERNEL_##name,
enum { KERNELS(KERNEL_NUMBER) NKERNELS };
enum { STATUS_WRONG = 1, STATUS_FAILED = 2 };

struct tile {
	REAL *values; /* NULL: another rank's */
	starpu_data_handle_t data;
};

static int tiles = 8, tile = 64, check, rank, nranks, grid_rows;
static struct tile *matrix; /* by columns */
static struct scalars scalars;

static struct starpu_perfmodel models[NKERNELS];
static struct starpu_codelet codelets[NKERNELS] = {
	[KERNEL_getrf] = {.name = "getrf", .nbuffers = 1, .modes = {STARPU_RW}, .color = 0xffff00},
	[KERNEL_trsm_l] = {.name = "trsm_l", .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .color = 0x8080ff},
	[KERNEL_trsm_u] = {.name = "trsm_u", .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .color = 0x80ffff},
	[KERNEL_gemm] = {.name = "gemm", .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}, .color = 0x00c000},
};

#ifdef STARPU_SIMGRID
enum { MEMORY = STARPU_MALLOC_PINNED | STARPU_MALLOC_SIMULATION_FOLDED };

static const char *const symbols[NKERNELS] = {"starpu_slu_lu_model_getrf", "starpu_slu_lu_model_trsm_ll",
                                              "starpu_slu_lu_model_trsm_ru", "starpu_slu_lu_model_gemm"};
#else
enum { MEMORY = 0 };

static const char *const symbols[NKERNELS] = {"lu_mpi_getrf", "lu_mpi_trsm_l", "lu_mpi_trsm_u", "lu_mpi_gemm"};
#endif

static int owner(int row, int column)
{
	return row % grid_rows * (nranks / grid_rows) + column % (nranks / grid_rows);
}

static struct tile *at(int row, int column)
{
	return &matrix[row + column * tiles];
}

/* A symmetric matrix whose diagonal dominates: sums of its rows are below 2 ln n + 3. */
static REAL entry(int i, int j)
{
	return 1.0f / (1.0f + (REAL)abs(i - j)) + (i == j ? 2 * sqrtf((REAL)(tiles * tile)) : 0);
}

static int make_tile(struct tile *t, int row, int column)
{
	size_t bytes = (size_t)tile * (size_t)tile * sizeof(REAL);
	uint32_t b = (uint32_t)tile;

	if (owner(row, column) == rank) {
		if (starpu_malloc_flags((void **)&t->values, bytes, MEMORY) != 0)
			return -1;
#ifndef STARPU_SIMGRID
		for (int c = 0; c < tile; c++)
			for (int r = 0; r < tile; r++)
				t->values[r + c * tile] = entry(row * tile + r, column * tile + c);
#endif
	}
	starpu_matrix_data_register(&t->data, t->values ? STARPU_MAIN_RAM : -1, (uintptr_t)t->values, b, b, b,
	                            sizeof(REAL));
	starpu_data_set_coordinates(t->data, 2, row, column);
	starpu_mpi_data_register(t->data, row + column * tiles, owner(row, column));
	return 0;
}

static int make_matrix(void)
{
	matrix = calloc((size_t)tiles * (size_t)tiles, sizeof(*matrix));
	for (int j = 0; matrix && j < tiles; j++)
		for (int i = 0; i < tiles; i++)
			if (make_tile(at(i, j), i, j) != 0)
				return -1;
	return matrix ? 0 : -1;
}

static void make_codelets(void)
{
	scalars = (struct scalars){.groups = 1, .i = {tile, tiles * tile}};
	for (int k = 0; k <= KERNEL_gemm; k++) {
		models[k] = (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED, .symbol = symbols[k]};
		codelets[k].model = &models[k];
#ifdef STARPU_SIMGRID
		/* StarPU only asks whether a function is there, never calls it. */
		codelets[k].cpu_funcs[0] = (starpu_cpu_func_t)(uintptr_t)1;
		codelets[k].cuda_funcs[0] = (starpu_cuda_func_t)(uintptr_t)1;
		codelets[k].cuda_flags[0] = STARPU_CUDA_ASYNC;
#else
		codelets[k].cpu_funcs[0] = kernels_cpu[k];
#endif
	}
}

/* The distance to the end, in steps. */
static int priority(int k, int i, int j)
{
	return 3 * tiles - k - i - j;
}

#define SUBMIT(k, prio, ...) \
	starpu_mpi_task_insert(MPI_COMM_WORLD, &codelets[KERNEL_##k], STARPU_PRIORITY, prio, STARPU_CL_ARGS_NFREE, \
	                       &scalars, sizeof(scalars), __VA_ARGS__, 0)

/* Returns how many tasks there are on all ranks; -1: StarPU has refused one. */
static long submit(void)
{
	int refused = 0;
	long tasks = 0;

	for (int k = 0; k < tiles; k++) {
		starpu_iteration_push((unsigned long)k);
		refused |= SUBMIT(getrf, priority(k, k, k), STARPU_RW, at(k, k)->data);
		for (int i = k + 1; i < tiles; i++) {
			refused |= SUBMIT(trsm_l, priority(k, k, i), STARPU_R, at(k, k)->data, STARPU_RW,
			                  at(k, i)->data);
			refused |= SUBMIT(trsm_u, priority(k, i, k), STARPU_R, at(k, k)->data, STARPU_RW,
			                  at(i, k)->data);
		}
		for (int j = k + 1; j < tiles; j++)
			for (int i = k + 1; i < tiles; i++)
				refused |= SUBMIT(gemm, priority(k, i, j), STARPU_R, at(i, k)->data, STARPU_R,
				                  at(k, j)->data, STARPU_RW, at(i, j)->data);
		starpu_iteration_pop();
		tasks += 1 + 2 * (tiles - 1 - k) + (long)(tiles - 1 - k) * (tiles - 1 - k);
	}
	return refused ? -1 : tasks;
}

/* y += T x with a tile T of U (upper 1), or of L, which has ones on its diagonal. */
static void multiply(const struct tile *t, int row, int column, int upper, const double *x, double *y)
{
	for (int c = 0; c < tile; c++)
		for (int r = 0; r < tile; r++) {
			int i = row * tile + r, j = column * tile + c;

			if (upper ? i <= j : i > j)
				y[i] += (double)t->values[r + c * tile] * x[j];
		}
}

/* y = L x or U x, of the tiles of all ranks. */
static void multiply_all(int upper, const double *x, double *y)
{
	int n = tiles * tile;

	for (int i = 0; i < n; i++)
		y[i] = upper || rank ? 0 : x[i];
	for (int j = 0; j < tiles; j++)
		for (int i = 0; i < tiles; i++)
			if (at(i, j)->values)
				multiply(at(i, j), i, j, upper, x, y);
	MPI_Allreduce(MPI_IN_PLACE, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The error ||A x - L U x|| / (||A|| ||x||) of every rank's factor together. */
static int verify(void)
{
	int n = tiles * tile;
	double *x = calloc(3 * (size_t)n, sizeof(*x)), *ux = x + n, *lux = ux + n, off = 0, all = 0, length = 0, error;
	double limit = 0x1p-24 * sqrt((double)n);

	if (!x)
		return STATUS_FAILED;
	for (int i = 0; i < n; i++)
		x[i] = 1 + i % 7;
	multiply_all(1, x, ux);
	multiply_all(0, ux, lux);
	for (int i = 0; i < n; i++) {
		double ax = 0;

		for (int j = 0; j < n; j++) {
			ax += (double)entry(i, j) * x[j];
			all += (double)entry(i, j) * (double)entry(i, j);
		}
		off += (ax - lux[i]) * (ax - lux[i]);
		length += x[i] * x[i];
	}
	error = sqrt(off / all / length);
	free(x);
	if (!rank)
		printf("check: error=%.3g limit=%.3g %s\n", error, limit, error <= limit ? "ok" : "wrong");
	return error <= limit ? 0 : STATUS_WRONG;
}

static int run(void)
{
	double start, us, n = (double)tiles * tile;
	int status = STATUS_FAILED;
	long tasks;

	if (make_matrix() != 0)
		return STATUS_FAILED;
	make_codelets();
	starpu_mpi_barrier(MPI_COMM_WORLD);
	start = starpu_timing_now();
	tasks = submit();
	starpu_mpi_wait_for_all(MPI_COMM_WORLD);
	starpu_mpi_barrier(MPI_COMM_WORLD);
	us = starpu_timing_now() - start;
	for (int i = 0; i < tiles * tiles; i++)
		starpu_data_unregister(matrix[i].data);
	if (tasks > 0) {
		if (!rank)
			printf("lu_mpi: ranks=%d tiles=%d tile=%d tasks=%ld time=%.3f ms, %.2f GFlop/s\n", nranks,
			       tiles, tile, tasks, us / 1e3, 2 * n * n * n / 3 / us / 1e3);
		status = check ? verify() : 0;
	}
	for (int i = 0; i < tiles * tiles; i++)
		if (matrix[i].values)
			starpu_free_flags(matrix[i].values, (size_t)tile * (size_t)tile * sizeof(REAL), MEMORY);
	free(matrix);
	return status;
}

/* 0; -1: an option is wrong, or --help was asked for. */
static int read_options(int argc, char **argv)
{
	static const struct option table[] = {{"tiles", required_argument, NULL, 't'},
	                                      {"tile", required_argument, NULL, 'b'},
	                                      {"check", no_argument, NULL, 'c'},
	                                      {NULL, 0, NULL, 0}};
	int letter;

	while ((letter = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (letter == 't')
			tiles = atoi(optarg);
		else if (letter == 'b')
			tile = atoi(optarg);
		else if (letter == 'c')
			check = 1;
		else
			return -1;
	}
#ifdef STARPU_SIMGRID
	if (check) /* there is nothing to verify */
		return -1;
#endif
	return optind == argc && tiles >= 1 && tiles <= 256 && tile >= 1 && tile <= 4096 ? 0 : -1;
}

int main(int argc, char **argv)
{
	int status;

	if (read_options(argc, argv) != 0) {
		fprintf(stderr, "usage: lu_mpi [--tiles 1...256 (8)] [--tile ROWS, 1...4096 (64)] [--check]\n");
		return STATUS_FAILED;
	}
	if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0) {
		fprintf(stderr, "lu_mpi: cannot start StarPU-MPI: is there a worker? See STARPU_NCPU\n");
		return STATUS_FAILED;
	}
	starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
	starpu_mpi_comm_size(MPI_COMM_WORLD, &nranks);
	for (grid_rows = (int)sqrt((double)nranks); nranks % grid_rows; grid_rows--)
		;
	status = run();
	if (status == STATUS_FAILED)
		fprintf(stderr, "lu_mpi: rank %d: out of memory, or no worker can run a task\n", rank);
	starpu_mpi_shutdown();
	return status;
}
