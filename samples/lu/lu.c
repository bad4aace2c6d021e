/* samples/lu/lu.c - LU factorisations with StarPU: without pivoting by tiles, with pivoting by block columns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/app.h"
#include "samples/lu/kernels.h"

enum { APP_KERNELS(KERNELS) };

static int64_t tiles = 8, tile = 64, pivot = 0;
#ifdef STARPU_SIMGRID
static int64_t is_double = 0;
#endif
static REAL **block;                        /* tiles, by columns; with pivoting block columns */
static starpu_data_handle_t *data, *pivots; /* pivots: of each block column */
static REAL **pivot_rows;

static int64_t blocks(void)
{
	return pivot ? tiles : tiles * tiles;
}

/* Uniform in [-1/2, 1/2); without pivoting the diagonal dominates. */
static REAL entry(int64_t i, int64_t j)
{
	return app_random(i, j) + (i == j && !pivot ? 2 * sqrtf((REAL)(tiles * tile)) : 0);
}

static REAL *make_block(int64_t row, int64_t column, int64_t rows)
{
	REAL *x = app_alloc(rows, tile);

	for (int64_t c = 0; x && c < tile; c++)
		for (int64_t r = 0; r < rows; r++)
			x[r + c * rows] = entry(row + r, column + c);
	return x;
}

static void prepare(void)
{
	int64_t rows = pivot ? tiles * tile : tile;

	free(block);
	free(pivot_rows);
	block = calloc((size_t)blocks(), sizeof(*block));
	data = calloc((size_t)blocks(), sizeof(*data));
	pivots = calloc((size_t)tiles, sizeof(*pivots));
	pivot_rows = calloc((size_t)tiles, sizeof(*pivot_rows));
	if (!block || !data || !pivots || !pivot_rows) {
		app_fail("out of memory");
		return;
	}
	for (int64_t i = 0; i < blocks(); i++) {
		int64_t row = pivot ? 0 : i % tiles, column = pivot ? i : i / tiles;

		block[i] = make_block(row * tile, column * tile, rows);
		data[i] = app_register(block[i], rows, tile);
		starpu_data_set_coordinates(data[i], 2, (int)row, (int)column);
	}
	for (int64_t k = 0; pivot && k < tiles; k++) {
		pivot_rows[k] = app_alloc(tile, 1);
		pivots[k] = app_register(pivot_rows[k], tile, 1);
	}
}

/* The distance to the end, in steps, where the scheduler takes any priority. */
static int priority(int64_t k, int64_t i, int64_t j)
{
	if (STARPU_MAX_PRIO != INT_MAX || STARPU_MIN_PRIO != INT_MIN)
		return i <= k + 1 && j <= k + 1 ? STARPU_MAX_PRIO : STARPU_DEFAULT_PRIO;
	return (int)(3 * tiles - k - i - j);
}

static struct scalars in_one_group(int64_t k)
{
	return (struct scalars){.groups = 1, .i = {(int)tile, (int)(tiles * tile), (int)k}};
}

static struct scalars by_rows(int64_t k)
{
	struct scalars s = in_one_group(k);

	s.groups = (int)((tile + GROUP_ITEMS - 1) / GROUP_ITEMS);
	return s;
}

static struct scalars by_columns(int64_t k)
{
	struct scalars s = by_rows(k);

	s.columns = (int)tile;
	return s;
}

static starpu_data_handle_t at(int64_t i, int64_t j)
{
	return data[i + j * tiles];
}

static void submit_tiles(int64_t k)
{
	double n3 = (double)tile * (double)tile * (double)tile;

	app_submit(KERNEL_getrf, priority(k, k, k), in_one_group(k), 2 * n3 / 3, at(k, k));
	for (int64_t i = k + 1; i < tiles; i++) {
		app_submit(KERNEL_trsm_l, priority(k, k, i), by_columns(k), n3, at(k, k), at(k, i));
		app_submit(KERNEL_trsm_u, priority(k, i, k), by_rows(k), n3, at(k, k), at(i, k));
	}
	for (int64_t j = k + 1; j < tiles; j++)
		for (int64_t i = k + 1; i < tiles; i++)
			app_submit(KERNEL_gemm, priority(k, i, j), by_columns(k), 2 * n3, at(i, k), at(k, j), at(i, j));
}

static void submit_columns(int64_t k)
{
	double below = (double)((tiles - k) * tile), b2 = (double)tile * (double)tile;

	app_submit(KERNEL_panel, priority(k, k, k), in_one_group(k), below * b2, data[k], pivots[k]);
	for (int64_t j = k + 1; j < tiles; j++)
		app_submit(KERNEL_update, priority(k, j, j), by_columns(k), 2 * below * b2, data[k], pivots[k],
		           data[j]);
}

static void submit(void)
{
	for (int64_t k = 0; k < tiles; k++) {
		starpu_iteration_push((unsigned long)k);
		if (pivot)
			submit_columns(k);
		else
			submit_tiles(k);
		starpu_iteration_pop();
	}
}

static void finish(void)
{
	for (int64_t i = 0; i < blocks(); i++)
		starpu_data_unregister(data[i]);
	for (int64_t k = 0; pivot && k < tiles; k++)
		starpu_data_unregister(pivots[k]);
	free(data);
	free(pivots);
}

static double factor(int64_t i, int64_t j)
{
	if (pivot)
		return (double)block[j / tile][i + j % tile * tiles * tile];
	return (double)block[i / tile + j / tile * tiles][i % tile + j % tile * tile];
}

/* x = U^-1 L^-1 P x */
static void solve(double *x)
{
	int64_t n = tiles * tile;

	for (int64_t k = 0; k < tiles; k++) {
		for (int64_t j = 0; pivot && j < tile; j++) {
			int64_t other = (int64_t)pivot_rows[k][j];
			double value = x[other];

			x[other] = x[k * tile + j];
			x[k * tile + j] = value;
		}
		for (int64_t j = k * tile; j < (k + 1) * tile; j++)
			for (int64_t i = j + 1; i < n; i++)
				x[i] -= factor(i, j) * x[j];
	}
	for (int64_t j = n - 1; j >= 0; j--) {
		x[j] /= factor(j, j);
		for (int64_t i = 0; i < j; i++)
			x[i] -= factor(i, j) * x[j];
	}
}

/* The backward error ||b - A x|| / (||A|| ||x||). */
static double check(double *limit)
{
	int64_t n = tiles * tile;
	double *x = calloc((size_t)n, sizeof(*x)), off = 0, all = 0, length = 0;

	if (!x) {
		app_fail("out of memory");
		return NAN;
	}
	for (int64_t i = 0; i < n; i++)
		x[i] = (double)app_random(i, n);
	solve(x);
	for (int64_t i = 0; i < n; i++) {
		double rest = (double)app_random(i, n);

		for (int64_t j = 0; j < n; j++) {
			rest -= (double)entry(i, j) * x[j];
			all += (double)entry(i, j) * (double)entry(i, j);
		}
		off += rest * rest;
		length += x[i] * x[i];
	}
	free(x);
	*limit = 0x1p-24 * sqrt((double)n);
	return sqrt(off / all / length);
}

static const struct app_option options[] = {
	{"tiles", &tiles, 1, 256, "tiles of the matrix, per side"},
	{"tile", &tile, 1, 4096, "rows of a tile"},
	{"pivot", &pivot, 0, 1, "1: by block columns, with pivoting"},
#ifdef STARPU_SIMGRID
	{"double", &is_double, 0, 1, "take the models of double precision (d*)"},
#endif
	{NULL, NULL, 0, 0, NULL},
};

static struct app_codelet codelets[] = {
	[KERNEL_getrf] = {"getrf", {STARPU_RW}, 0xffff00},
	[KERNEL_trsm_l] = {"trsm_l", {STARPU_R, STARPU_RW}, 0x8080ff},
	[KERNEL_trsm_u] = {"trsm_u", {STARPU_R, STARPU_RW}, 0x80ffff},
	[KERNEL_gemm] = {"gemm", {STARPU_R, STARPU_R, STARPU_RW}, 0x00c000},
	[KERNEL_panel] = {"panel", {STARPU_RW, STARPU_W}, 0xff8080},
	[KERNEL_update] = {"update", {STARPU_R, STARPU_R, STARPU_RW}, 0xff00ff},
};

#ifdef STARPU_SIMGRID
/* Tiles are modelled as Chameleon's, whose getrf runs on CPUs only and which has one trsm for both sides. */
static void configure(void)
{
	static const char *const symbols[][2] = {[KERNEL_getrf] = {"sgetrf_nopiv", "dgetrf_nopiv"},
	                                         [KERNEL_trsm_l] = {"strsm", "dtrsm"},
	                                         [KERNEL_trsm_u] = {"strsm", "dtrsm"},
	                                         [KERNEL_gemm] = {"sgemm", "dgemm"}};

	app_element_bytes = is_double ? sizeof(double) : sizeof(REAL);
	for (size_t k = 0; k < APP_COUNT(symbols); k++)
		codelets[k].symbol = symbols[k][is_double];
	codelets[KERNEL_getrf].on_cpus = 1;
}
#endif

int main(int argc, char **argv)
{
	static const struct app lu = {
		.name = "lu",
		.summary = "Factorises a square matrix into L U, with or without pivoting, with StarPU.",
		.options = options,
		.codelets = codelets,
#ifdef STARPU_SIMGRID
		.configure = configure,
#endif
		.prepare = prepare,
		.submit = submit,
		.check = check,
		.finish = finish,
	};

	return app_main(&lu, argc, argv);
}
