/* samples/qr/qr.c - a tiled QR factorisation with StarPU, on CPU, OpenCL and CUDA. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/app.h"
#include "samples/qr/kernels.h"

enum { APP_KERNELS(KERNELS) };

static int64_t tiles = 8, tile = 64, is_double = 0;
static REAL **a;                          /* tiles x tiles, by columns; what is above the diagonal becomes R */
static starpu_data_handle_t *tile_of, *t; /* t: tau, of the tile below or on the diagonal */

static starpu_data_handle_t at(starpu_data_handle_t *of, int64_t i, int64_t j)
{
	return of[i + j * tiles];
}

static void prepare(void)
{
	size_t n = (size_t)(tiles * tiles);

	free(a);
	a = calloc(n, sizeof(*a));
	tile_of = calloc(n, sizeof(*tile_of));
	t = calloc(n, sizeof(*t));
	if (!a || !tile_of || !t) {
		app_fail("out of memory");
		return;
	}
	for (int64_t j = 0; j < tiles; j++) {
		for (int64_t i = 0; i < tiles; i++) {
			REAL *x = a[i + j * tiles] = app_alloc(tile, tile);

			for (int64_t c = 0; x && c < tile; c++)
				for (int64_t r = 0; r < tile; r++)
					x[r + c * tile] = app_random(i * tile + r, j * tile + c);
			tile_of[i + j * tiles] = app_register(x, tile, tile);
			starpu_data_set_coordinates(at(tile_of, i, j), 2, (int)i, (int)j);
			if (i >= j)
				t[i + j * tiles] = app_register(app_alloc(tile, 1), tile, 1);
		}
	}
}

/* The distance to the end, in steps, where the scheduler takes any priority. */
static int priority(int64_t k, int64_t i, int64_t j)
{
	if (STARPU_MAX_PRIO != INT_MAX || STARPU_MIN_PRIO != INT_MIN)
		return i <= k + 1 && j <= k + 1 ? STARPU_MAX_PRIO : STARPU_DEFAULT_PRIO;
	return (int)(4 * tiles - k - i - j);
}

static void submit(void)
{
	struct scalars one = {.groups = 1, .i = {(int)tile}};
	struct scalars all = {.groups = (int)((tile + GROUP_ITEMS - 1) / GROUP_ITEMS),
	                      .columns = (int)tile,
	                      .i = {(int)tile}};
	double n3 = (double)tile * (double)tile * (double)tile;

	for (int64_t k = 0; k < tiles; k++) {
		starpu_iteration_push((unsigned long)k);
		app_submit(KERNEL_geqrt, priority(k, k, k), one, 4 * n3 / 3, at(tile_of, k, k), at(t, k, k));
		for (int64_t j = k + 1; j < tiles; j++)
			app_submit(KERNEL_unmqr, priority(k, k, j), all, 2 * n3, at(tile_of, k, k), at(t, k, k),
			           at(tile_of, k, j));
		for (int64_t i = k + 1; i < tiles; i++) {
			app_submit(KERNEL_tpqrt, priority(k, i, k), one, 2 * n3, at(tile_of, k, k), at(tile_of, i, k),
			           at(t, i, k));
			for (int64_t j = k + 1; j < tiles; j++)
				app_submit(KERNEL_tpmqrt, priority(k, i, j), all, 4 * n3, at(tile_of, i, k),
				           at(t, i, k), at(tile_of, k, j), at(tile_of, i, j));
		}
		starpu_iteration_pop();
	}
}

static void finish(void)
{
	for (int64_t i = 0; i < tiles * tiles; i++) {
		starpu_data_unregister(tile_of[i]);
		if (t[i])
			starpu_data_unregister(t[i]);
	}
	free(tile_of);
	free(t);
}

static double entry(int64_t i, int64_t j)
{
	return (double)a[i / tile + j / tile * tiles][i % tile + j % tile * tile];
}

/* ||A^T A - R^T R|| / ||A^T A||: Q is orthogonal when this is small, and R the factor. */
static double check(double *limit)
{
	int64_t n = tiles * tile;
	double off = 0, all = 0;

	for (int64_t i = 0; i < n; i++) {
		for (int64_t j = i; j < n; j++) {
			double gram = 0, product = 0;

			for (int64_t k = 0; k < n; k++)
				gram += (double)app_random(k, i) * (double)app_random(k, j);
			for (int64_t k = 0; k <= i; k++)
				product += entry(k, i) * entry(k, j);
			off += (gram - product) * (gram - product) * (i == j ? 1 : 2);
			all += gram * gram * (i == j ? 1 : 2);
		}
	}
	*limit = 4 * 0x1p-24 * sqrt((double)n);
	return sqrt(off / all);
}

static const struct app_option options[] = {
	{"tiles", &tiles, 1, 256, "tiles of the matrix, per side"},
	{"tile", &tile, 1, 4096, "rows of a tile"},
#ifdef STARPU_SIMGRID
	{"double", &is_double, 0, 1, "take the models of double precision (d*)"},
#endif
	{NULL, NULL, 0, 0, NULL},
};

static struct app_codelet codelets[] = {
	[KERNEL_geqrt] = {"geqrt", {STARPU_RW, STARPU_W}, 0xffff00},
	[KERNEL_unmqr] = {"unmqr", {STARPU_R, STARPU_R, STARPU_RW}, 0x8080ff},
	[KERNEL_tpqrt] = {"tpqrt", {STARPU_RW, STARPU_RW, STARPU_W}, 0x00ff00},
	[KERNEL_tpmqrt] = {"tpmqrt", {STARPU_R, STARPU_R, STARPU_RW, STARPU_RW}, 0x00c000},
};

#ifdef STARPU_SIMGRID
/*
 * Chameleon's codelets have a workspace besides, which counts in their footprints: those of its models for tiles of 960
 * in single precision (K40m) and of 1240 in double precision (P100), by its inner block of 48.
 */
static const struct chameleon {
	int64_t tile, is_double;
	uint32_t footprint[sizeof(codelets) / sizeof(*codelets)];
} chameleon[] = {
	{960, 0, {0xb4d5b0e3, 0x1c4988b0, 0xba8eda08, 0x4ef30b50}},
	{1240, 1, {0x3fddb7fe, 0xf72969fd, 0xf062afc9, 0x8c294832}},
};

static uint32_t footprint(struct starpu_task *task)
{
	for (size_t i = 0; i < APP_COUNT(chameleon); i++) {
		if (chameleon[i].tile == tile && chameleon[i].is_double == is_double)
			return chameleon[i]
			        .footprint[(struct app_codelet *)((char *)task->cl - offsetof(struct app_codelet, cl)) -
			                   codelets];
	}
	return starpu_task_data_footprint(task);
}
#endif

/* Models are called as Chameleon's are. */
static void configure(void)
{
	static const char *const symbols[][2] = {{"sgeqrt", "dgeqrt"},
	                                         {"sormqr", "dormqr"},
	                                         {"stpqrt", "dtpqrt"},
	                                         {"stpmqrt", "dtpmqrt"}};

	app_element_bytes = is_double ? sizeof(double) : sizeof(REAL);
	for (size_t k = 0; k < APP_COUNT(codelets); k++) {
		codelets[k].symbol = symbols[k][is_double];
#ifdef STARPU_SIMGRID
		codelets[k].footprint = footprint;
#endif
	}
#ifdef STARPU_SIMGRID
	/* As Chameleon has them. */
	codelets[KERNEL_geqrt].on_cpus = codelets[KERNEL_tpqrt].on_cpus = 1;
#endif
}

int main(int argc, char **argv)
{
	static const struct app qr = {
		.name = "qr",
		.summary = "Factorises a square matrix into Q R, by tiles, with StarPU.",
		.options = options,
		.codelets = codelets,
		.configure = configure,
		.prepare = prepare,
		.submit = submit,
		.check = check,
		.finish = finish,
	};

	return app_main(&qr, argc, argv);
}
