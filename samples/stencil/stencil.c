/* samples/stencil/stencil.c - Jacobi iterations on a grid in strips with halos, with StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/app.h"
#include "samples/stencil/kernels.h"

enum { APP_KERNELS(KERNELS) };

static int64_t strips = 8, rows = 256, columns = 64, iterations = 20, every = 5;

struct strip {
	REAL *values[2]; /* of even and odd iterations */
	starpu_data_handle_t data[2], first[2], last[2];
};

static struct strip *strip;
static starpu_data_handle_t west, east, sum; /* the borders of the grid; what has changed */
static REAL *changed_by;

static void prepare(void)
{
	REAL *hot = app_alloc(rows, 1);

	free(strip);
	strip = calloc((size_t)strips, sizeof(*strip));
	if (!strip) {
		app_fail("out of memory");
		return;
	}
	for (int64_t r = 0; hot && r < rows; r++)
		hot[r] = 1;
	west = app_register(hot, rows, 1);
	east = app_register(app_alloc(rows, 1), rows, 1);
	changed_by = app_alloc(1, 1);
	sum = app_register(changed_by, 1, 1);
	for (int64_t i = 0; i < strips; i++) {
		for (int side = 0; side < 2; side++) {
			strip[i].values[side] = app_alloc(rows, columns);
			strip[i].data[side] = app_register(strip[i].values[side], rows, columns);
			strip[i].first[side] = app_register(app_alloc(rows, 1), rows, 1);
			strip[i].last[side] = app_register(app_alloc(rows, 1), rows, 1);
			starpu_data_set_coordinates(strip[i].data[side], 2, (int)i, side);
		}
	}
}

/* Strips at the ends of an iteration's chain of halos are no more urgent than others: no priorities. */
static void submit(void)
{
	struct scalars one = {.groups = 1, .i = {(int)rows, (int)columns}}, all = one;
	double points = (double)(rows * columns);

	all.groups = (int)((columns + GROUP_ITEMS - 1) / GROUP_ITEMS);
	all.columns = (int)columns;
	for (int64_t k = 0; k < iterations; k++) {
		int from = (int)(k % 2), to = 1 - from, looks = k % every == every - 1;

		starpu_iteration_push((unsigned long)k);
		for (int64_t i = 0; i < strips; i++) {
			app_submit(KERNEL_update, STARPU_DEFAULT_PRIO, all, 4 * points, strip[i].data[from],
			           i > 0 ? strip[i - 1].last[from] : west,
			           i + 1 < strips ? strip[i + 1].first[from] : east, strip[i].data[to]);
			app_submit(KERNEL_edges, STARPU_DEFAULT_PRIO, one, 0, strip[i].data[to], strip[i].first[to],
			           strip[i].last[to]);
		}
		if (looks) {
			app_submit(KERNEL_zero, STARPU_DEFAULT_PRIO, one, 0, sum);
			for (int64_t i = 0; i < strips; i++)
				app_submit(KERNEL_change, STARPU_DEFAULT_PRIO, one, 3 * points, strip[i].data[from],
				           strip[i].data[to], sum);
			/* As an application that ends when nothing changes any more. */
			starpu_data_acquire(sum, STARPU_R);
			starpu_data_release(sum);
		}
		starpu_iteration_pop();
	}
}

static void finish(void)
{
	for (int64_t i = 0; i < strips; i++) {
		for (int side = 0; side < 2; side++) {
			starpu_data_unregister(strip[i].data[side]);
			starpu_data_unregister(strip[i].first[side]);
			starpu_data_unregister(strip[i].last[side]);
		}
	}
	starpu_data_unregister(west);
	starpu_data_unregister(east);
	starpu_data_unregister(sum);
}

/* One iteration of the whole grid, with a border of a point around it, in double precision. */
static double step(const double *in, double *out, int64_t all)
{
	int64_t ld = rows + 2;
	double changed = 0;

	for (int64_t c = 1; c <= all; c++) {
		for (int64_t r = 1; r <= rows; r++) {
			const double *x = in + r + c * ld;

			out[r + c * ld] = (x[-1] + x[1] + x[-ld] + x[ld]) / 4;
			changed += (out[r + c * ld] - *x) * (out[r + c * ld] - *x);
		}
	}
	return changed;
}

/* The largest difference to the same in double precision; that of the last change is one. */
static double check(double *limit)
{
	int64_t all = strips * columns, ld = rows + 2;
	double *grid[2], error = 0, changed = 0;

	for (int side = 0; side < 2; side++) {
		grid[side] = calloc((size_t)(ld * (all + 2)), sizeof(double));
		if (!grid[side]) {
			app_fail("out of memory");
			return NAN;
		}
		for (int64_t r = 1; r <= rows; r++)
			grid[side][r] = 1;
	}
	for (int64_t k = 0; k < iterations; k++) {
		double now = step(grid[k % 2], grid[1 - k % 2], all);

		if (k % every == every - 1)
			changed = now;
	}
	for (int64_t c = 0; c < all; c++) {
		for (int64_t r = 0; r < rows; r++) {
			const REAL *values = strip[c / columns].values[iterations % 2];
			double exact = grid[iterations % 2][r + 1 + (c + 1) * ld];

			error = fmax(error, fabs((double)values[r + c % columns * rows] - exact));
		}
	}
	if (changed > 0)
		error = fmax(error, fabs((double)*changed_by / changed - 1) / 64); /* a sum of many */
	free(grid[0]);
	free(grid[1]);
	*limit = 4 * 0x1p-24 * (double)iterations;
	return error;
}

static const struct app_option options[] = {
	{"strips", &strips, 1, 4096, "strips of the grid"},
	{"rows", &rows, 2, 65536, "rows of the grid"},
	{"columns", &columns, 1, 65536, "columns of a strip"},
	{"iterations", &iterations, 1, 100000, "iterations"},
	{"every", &every, 1, 100000, "iterations between two looks at how much has changed"},
	{NULL, NULL, 0, 0, NULL},
};

static struct app_codelet codelets[] = {
	[KERNEL_update] = {"update", {STARPU_R, STARPU_R, STARPU_R, STARPU_W}, 0x00c000},
	[KERNEL_edges] = {"edges", {STARPU_R, STARPU_W, STARPU_W}, 0x8080ff},
	[KERNEL_change] = {"change", {STARPU_R, STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0xffff00},
	[KERNEL_zero] = {"zero", {STARPU_W}, 0xc0c0c0},
};

int main(int argc, char **argv)
{
	static const struct app stencil = {
		.name = "stencil",
		.summary = "Jacobi iterations on a grid in strips that exchange halos, with StarPU.",
		.options = options,
		.codelets = codelets,
		.prepare = prepare,
		.submit = submit,
		.check = check,
		.finish = finish,
	};

	return app_main(&stencil, argc, argv);
}
