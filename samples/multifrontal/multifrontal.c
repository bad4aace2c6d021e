/* samples/multifrontal/multifrontal.c - a sparse Cholesky factorisation by fronts of many sizes, with StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/app.h"
#include "samples/multifrontal/kernels.h"
#include "samples/multifrontal/tree.h"

enum { APP_KERNELS(KERNELS) };

enum part { PIVOTS, BELOW, REST, PARTS };

static int64_t width = 40, height = 30, leaf = 12;

struct block {
	REAL *values[PARTS];
	starpu_data_handle_t data[PARTS],
		map; /* map: rows of the rest in the parent, pivots first; NULL where m is 0 */
};

static struct tree tree;
static struct block *blocks;

static int rows_of(const struct front *f, enum part part)
{
	return part == PIVOTS ? f->k : f->m;
}

static int columns_of(const struct front *f, enum part part)
{
	return part == REST ? f->m : f->k;
}

/* The place of a row of the matrix in a front. */
static int place(const struct front *f, int row)
{
	int low = 0, high = f->m;

	if (row < f->first + f->k)
		return row - f->first;
	while (low < high) {
		int middle = (low + high) / 2;

		if (f->below[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return f->k + low;
}

/* The matrix's own entries in the columns of the pivots. */
static void fill(const struct front *f, struct block *b)
{
	for (int c = 0; b->values[PIVOTS] && c < f->k; c++) {
		for (int r = c; r < f->k; r++)
			b->values[PIVOTS][r + c * f->k] = (REAL)tree_entry(&tree, f->first + r, f->first + c);
		for (int r = 0; r < f->m; r++)
			b->values[BELOW][r + c * f->m] = (REAL)tree_entry(&tree, f->below[r], f->first + c);
	}
}

static void prepare(void)
{
	free(blocks);
	tree_free(&tree);
	if (tree_make(&tree, (int)width, (int)height, (int)leaf) != 0 ||
	    !(blocks = calloc((size_t)tree.nfronts, sizeof(*blocks)))) {
		app_fail("out of memory");
		return;
	}
	for (int i = 0; i < tree.nfronts; i++) {
		const struct front *f = &tree.fronts[i];
		struct block *b = &blocks[i];
		REAL *map;

		for (enum part part = PIVOTS; part < PARTS; part++) {
			int rows = rows_of(f, part), columns = columns_of(f, part);

			if (!rows)
				continue;
			b->values[part] = app_alloc(rows, columns);
			b->data[part] = app_register(b->values[part], rows, columns);
			starpu_data_set_coordinates(b->data[part], 2, i, (int)part);
		}
		fill(f, b);
		if (!f->m)
			continue;
		map = app_alloc(f->m, 1);
		for (int r = 0; map && r < f->m; r++)
			map[r] = (REAL)place(&tree.fronts[f->parent], f->below[r]);
		b->map = app_register(map, f->m, 1);
	}
}

static int groups(int items)
{
	return (items + GROUP_ITEMS - 1) / GROUP_ITEMS;
}

/* How far the root is. */
static int depth_of(int i)
{
	int depth = 0;

	for (; tree.fronts[i].parent >= 0; i = tree.fronts[i].parent)
		depth++;
	return depth;
}

static void submit_front(int i)
{
	const struct front *f = &tree.fronts[i], *p = f->parent >= 0 ? &tree.fronts[f->parent] : NULL;
	struct scalars s = {.groups = 1, .i = {f->k, f->m}};
	double k = f->k, m = f->m;
	struct block *b = &blocks[i];
	int priority = depth_of(i);

	app_submit(KERNEL_factor, priority, s, k * k * k / 3, b->data[PIVOTS]);
	if (!f->m)
		return;
	s.groups = groups(f->m);
	app_submit(KERNEL_solve, priority, s, m * k * k, b->data[PIVOTS], b->data[BELOW]);
	s.columns = f->m;
	app_submit(KERNEL_update, priority, s, m * m * k, b->data[BELOW], b->data[REST]);
	s = (struct scalars){.groups = groups(f->m), .columns = f->m, .i = {p->k, p->m, f->m}};
	for (enum part part = PIVOTS; part < PARTS; part++) {
		s.i[3] = (int)part;
		if (blocks[f->parent].data[part])
			app_submit(KERNEL_assemble, priority, s, m * m / 2, b->data[REST], b->map,
			           blocks[f->parent].data[part]);
	}
}

static void submit(void)
{
	for (int i = 0; i < tree.nfronts; i++)
		submit_front(i);
}

static void finish(void)
{
	for (int i = 0; i < tree.nfronts; i++) {
		for (enum part part = PIVOTS; part < PARTS; part++)
			if (blocks[i].data[part])
				starpu_data_unregister(blocks[i].data[part]);
		if (blocks[i].map)
			starpu_data_unregister(blocks[i].map);
	}
}

/* x becomes the solution of L L^T y = x. */
static void solve_all(double *x)
{
	for (int i = 0; i < tree.nfronts; i++) {
		const struct front *f = &tree.fronts[i];
		const struct block *b = &blocks[i];

		for (int c = 0; c < f->k; c++) {
			double y = x[f->first + c] /= (double)b->values[PIVOTS][c + c * f->k];

			for (int r = c + 1; r < f->k; r++)
				x[f->first + r] -= (double)b->values[PIVOTS][r + c * f->k] * y;
			for (int r = 0; r < f->m; r++)
				x[f->below[r]] -= (double)b->values[BELOW][r + c * f->m] * y;
		}
	}
	for (int i = tree.nfronts - 1; i >= 0; i--) {
		const struct front *f = &tree.fronts[i];
		const struct block *b = &blocks[i];

		for (int c = f->k - 1; c >= 0; c--) {
			double y = x[f->first + c];

			for (int r = c + 1; r < f->k; r++)
				y -= (double)b->values[PIVOTS][r + c * f->k] * x[f->first + r];
			for (int r = 0; r < f->m; r++)
				y -= (double)b->values[BELOW][r + c * f->m] * x[f->below[r]];
			x[f->first + c] = y / (double)b->values[PIVOTS][c + c * f->k];
		}
	}
}

/* ||b - A x|| / ||b|| where x comes from the factor. */
static double check(double *limit)
{
	double *x = calloc((size_t)tree.n, sizeof(*x)), off = 0, all = 0;
	static const int dx[] = {0, -1, 1, 0, 0}, dy[] = {0, 0, 0, -1, 1};

	if (!x) {
		app_fail("out of memory");
		return NAN;
	}
	for (int i = 0; i < tree.n; i++)
		x[i] = (double)app_random(i, 0);
	solve_all(x);
	for (int i = 0; i < tree.n; i++) {
		double b = (double)app_random(i, 0), rest = b;

		for (int d = 0; d < 5; d++) {
			int u = tree.point_of[i] % tree.cols + dx[d], v = tree.point_of[i] / tree.cols + dy[d];

			if (u >= 0 && u < tree.cols && v >= 0 && v < tree.rows)
				rest -= tree_entry(&tree, i, tree.row_of[u + v * tree.cols]) *
				        x[tree.row_of[u + v * tree.cols]];
		}
		off += rest * rest;
		all += b * b;
	}
	free(x);
	*limit = 16 * 0x1p-24 * sqrt((double)tree.n);
	return sqrt(off / all);
}

static const struct app_option options[] = {
	{"width", &width, 1, 8192, "points of the grid, to the right"},
	{"height", &height, 1, 8192, "points of the grid, up"},
	{"leaf", &leaf, 1, 4096, "points of a part that is divided no more"},
	{NULL, NULL, 0, 0, NULL},
};

static struct app_codelet codelets[] = {
	[KERNEL_assemble] = {"assemble", {STARPU_R, STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0xc0c0c0},
	[KERNEL_factor] = {"factor", {STARPU_RW}, 0xffff00},
	[KERNEL_solve] = {"solve", {STARPU_R, STARPU_RW}, 0x8080ff},
	[KERNEL_update] = {"update", {STARPU_R, STARPU_RW}, 0x00c000},
};

int main(int argc, char **argv)
{
	static const struct app multifrontal = {
		.name = "multifrontal",
		.summary = "Factorises the equations of a grid, front by front of an elimination tree, with StarPU.",
		.options = options,
		.codelets = codelets,
		.prepare = prepare,
		.submit = submit,
		.check = check,
		.finish = finish,
	};

	return app_main(&multifrontal, argc, argv);
}
