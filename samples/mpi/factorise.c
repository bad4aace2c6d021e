/* samples/mpi/factorise.c - what factorisations by tiles on several ranks have in common. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "samples/mpi/factorise.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_CODELETS = 8 };
enum { STATUS_WRONG = 1, STATUS_FAILED = 2 };

#ifdef STARPU_SIMGRID
enum { MEMORY = STARPU_MALLOC_PINNED | STARPU_MALLOC_SIMULATION_FOLDED };
#else
enum { MEMORY = 0 };
#endif

struct scalars scalars;
int tiles = 8;
static int tile = 64, check, rank, nranks, grid_rows;
static struct tile *matrix; /* by columns */
static const struct factorisation *made;

static int owner(int row, int column)
{
	return row % grid_rows * (nranks / grid_rows) + column % (nranks / grid_rows);
}

/* A symmetric matrix whose diagonal dominates: sums of its rows are below 2 ln n + 3. */
static REAL entry(int i, int j)
{
	return 1.0f / (1.0f + (REAL)abs(i - j)) + (i == j ? 2 * sqrtf((REAL)(tiles * tile)) : 0);
}

starpu_data_handle_t tile_at(int row, int column)
{
	return matrix[row + column * tiles].data;
}

void tile_forget(int row, int column)
{
	starpu_mpi_cache_flush(MPI_COMM_WORLD, tile_at(row, column));
	if (owner(row, column) == rank)
		starpu_data_wont_use(tile_at(row, column));
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
		for (int i = made->is_symmetric ? j : 0; i < tiles; i++)
			if (make_tile(&matrix[i + j * tiles], i, j) != 0)
				return -1;
	return matrix ? 0 : -1;
}

static void make_codelets(void)
{
	static struct starpu_perfmodel models[MOST_CODELETS];

	scalars = (struct scalars){.groups = 1, .i = {tile, tiles * tile}};
	for (int k = 0; k < made->ncodelets; k++) {
		struct starpu_codelet *c = &made->codelets[k];

		models[k] = (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED, .symbol = made->symbols[k]};
		c->model = &models[k];
#ifdef STARPU_SIMGRID
		/* StarPU only asks whether a function is there, never calls it. */
		c->cpu_funcs[0] = (starpu_cpu_func_t)(uintptr_t)1;
		c->cuda_funcs[0] = (starpu_cuda_func_t)(uintptr_t)1;
		c->cuda_flags[0] = STARPU_CUDA_ASYNC;
#else
		c->cpu_funcs[0] = kernels_cpu[k];
#endif
	}
}

/* y = F x, of the tiles of all ranks. */
static void multiply(int upper, const double *x, double *y)
{
	int n = tiles * tile;

	for (int i = 0; i < n; i++)
		y[i] = 0;
	for (int t = 0; t < tiles * tiles; t++)
		for (int e = 0; matrix[t].values && e < tile * tile; e++)
			made->multiply(upper, t % tiles * tile + e % tile, t / tiles * tile + e / tile,
			               (double)matrix[t].values[e], x, y);
	MPI_Allreduce(MPI_IN_PLACE, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The error ||A x - F G x|| / (||A|| ||x||) of every rank's factors F and G together. */
static int verify(void)
{
	int n = tiles * tile;
	double *x = calloc(3 * (size_t)n, sizeof(*x)), *gx = x + n, *fgx = gx + n, off = 0, all = 0, length = 0, error;
	double limit = 0x1p-24 * sqrt((double)n);

	if (!x)
		return STATUS_FAILED;
	for (int i = 0; i < n; i++)
		x[i] = 1 + i % 7;
	multiply(1, x, gx);
	multiply(0, gx, fgx);
	for (int i = 0; i < n; i++) {
		double ax = 0;

		for (int j = 0; j < n; j++) {
			ax += (double)entry(i, j) * x[j];
			all += (double)entry(i, j) * (double)entry(i, j);
		}
		off += (ax - fgx[i]) * (ax - fgx[i]);
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
	tasks = made->submit();
	starpu_mpi_wait_for_all(MPI_COMM_WORLD);
	starpu_mpi_barrier(MPI_COMM_WORLD);
	us = starpu_timing_now() - start;
	for (int i = 0; i < tiles * tiles; i++)
		if (matrix[i].data)
			starpu_data_unregister(matrix[i].data);
	if (tasks > 0) {
		if (!rank)
			printf("%s: ranks=%d tiles=%d tile=%d tasks=%ld time=%.3f ms, %.2f GFlop/s\n", made->name,
			       nranks, tiles, tile, tasks, us / 1e3, made->flop * n * n * n / us / 1e3);
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

int factorise(int argc, char **argv, const struct factorisation *program)
{
	int status;

	made = program;
	if (read_options(argc, argv) != 0) {
		fprintf(stderr, "usage: %s [--tiles 1...256 (8)] [--tile ROWS, 1...4096 (64)] [--check]\n", made->name);
		return STATUS_FAILED;
	}
	if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0) {
		fprintf(stderr, "%s: cannot start StarPU-MPI: is there a worker? See STARPU_NCPU\n", made->name);
		return STATUS_FAILED;
	}
	starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
	starpu_mpi_comm_size(MPI_COMM_WORLD, &nranks);
	for (grid_rows = (int)sqrt((double)nranks); nranks % grid_rows; grid_rows--)
		;
	status = run();
	if (status == STATUS_FAILED)
		fprintf(stderr, "%s: rank %d: out of memory, or no worker can run a task\n", made->name, rank);
	starpu_mpi_shutdown();
	return status;
}
