/* samples/fmm/fmm.c - a fast multipole method on a quadtree of unevenly spread points, with StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/app.h"
#include "samples/fmm/kernels.h"

enum { APP_KERNELS(KERNELS) };

enum { MOST_DEPTH = 8 };

static int64_t points = 3000, depth = 4, order = 4;

/* A cell of side 1 / 2^level that has points; others have no data. */
struct cell {
	starpu_data_handle_t multipole, local;
};

struct leaf {
	int n, filled;
	REAL *points, *field;
	starpu_data_handle_t points_data, field_data;
};

static struct cell *cells[MOST_DEPTH + 1]; /* by level, from 2: the cells of coarser ones are all neighbours */
static struct leaf *leaves;

/* Coordinate 0 or 1 of a point: dense in the middle of the unit square. */
static double position(int64_t point, int which)
{
	double u = (double)app_random(point, which);

	return 0.5 + 4 * u * u * u;
}

static int side_of(int level)
{
	return 1 << level;
}

static int place(int64_t point, int which)
{
	int at = (int)(position(point, which) * side_of((int)depth));

	return at < 0 ? 0 : at < side_of((int)depth) ? at : side_of((int)depth) - 1;
}

static struct leaf *leaf_at(int x, int y)
{
	return &leaves[x + y * side_of((int)depth)];
}

static struct cell *cell_at(int level, int x, int y)
{
	return &cells[level][x + y * side_of(level)];
}

static void make_leaves(void)
{
	int side = side_of((int)depth);

	for (int64_t k = 0; k < points; k++)
		leaf_at(place(k, 0), place(k, 1))->n++;
	for (int i = 0; i < side * side; i++) {
		struct leaf *l = &leaves[i];

		if (!l->n)
			continue;
		l->points = app_alloc(l->n, 3);
		l->field = app_alloc(l->n, 1);
		l->points_data = app_register(l->points, l->n, 3);
		l->field_data = app_register(l->field, l->n, 1);
	}
	for (int64_t k = 0; k < points; k++) {
		struct leaf *l = leaf_at(place(k, 0), place(k, 1));

		if (!l->points)
			continue;
		for (int which = 0; which < 2; which++)
			l->points[l->filled + which * l->n] = (REAL)position(k, which);
		l->points[l->filled++ + 2 * l->n] = app_random(k, 2);
	}
}

static int has_points(int level, int x, int y)
{
	int width = 1 << (depth - level);

	for (int i = 0; i < width * width; i++)
		if (leaf_at(x * width + i % width, y * width + i / width)->n)
			return 1;
	return 0;
}

static void prepare(void)
{
	int side = side_of((int)depth);

	free(leaves);
	leaves = calloc((size_t)side * (size_t)side, sizeof(*leaves));
	if (!leaves) {
		app_fail("out of memory");
		return;
	}
	make_leaves();
	for (int level = 2; level <= depth; level++) {
		side = side_of(level);
		free(cells[level]);
		cells[level] = calloc((size_t)side * (size_t)side, sizeof(*cells[level]));
		if (!cells[level]) {
			app_fail("out of memory");
			return;
		}
		for (int i = 0; i < side * side; i++) {
			if (!has_points(level, i % side, i / side))
				continue;
			cells[level][i].multipole = app_register(app_alloc(order * order, 1), order * order, 1);
			cells[level][i].local = app_register(app_alloc(order * order, 1), order * order, 1);
		}
	}
}

static struct scalars scalars(int level, int x, int y, int first, int second)
{
	REAL half = (REAL)0.5 / (REAL)side_of(level);

	return (struct scalars){.groups = (int)(order * order + GROUP_ITEMS - 1) / GROUP_ITEMS,
	                        .i = {(int)order, first, second},
	                        .x = {(REAL)(2 * x + 1) * half, (REAL)(2 * y + 1) * half, half}};
}

static double square(double x)
{
	return x * x;
}

/* From the leaves up: the later a level is needed by others the less urgent. */
static void submit_up(void)
{
	int side = side_of((int)depth);
	double nodes = square((double)order);

	for (int i = 0; i < side * side; i++)
		if (leaves[i].n)
			app_submit(KERNEL_p2m, 3, scalars((int)depth, i % side, i / side, leaves[i].n, 0),
			           10 * nodes * leaves[i].n, leaves[i].points_data, cells[depth][i].multipole);
	for (int level = (int)depth; level > 2; level--) {
		side = side_of(level);
		for (int i = 0; i < side * side; i++) {
			int x = i % side, y = i / side;

			if (cells[level][i].multipole)
				app_submit(KERNEL_m2m, 4, scalars(level, x, y, x % 2 * 2 - 1, y % 2 * 2 - 1),
				           10 * square(nodes), cells[level][i].multipole,
				           cell_at(level - 1, x / 2, y / 2)->multipole);
		}
	}
}

/* To cell (x, y) from the children of its parent's neighbours that are no neighbours of its own. */
static void submit_far(int level, int x, int y)
{
	int side = side_of(level);

	for (int v = (y / 2 - 1) * 2; v < (y / 2 + 2) * 2; v++) {
		for (int u = (x / 2 - 1) * 2; u < (x / 2 + 2) * 2; u++) {
			if (u < 0 || v < 0 || u >= side || v >= side || (abs(u - x) <= 1 && abs(v - y) <= 1) ||
			    !cell_at(level, u, v)->multipole)
				continue;
			app_submit(KERNEL_m2l, 1, scalars(level, x, y, u - x, v - y), 8 * square(square((double)order)),
			           cell_at(level, u, v)->multipole, cell_at(level, x, y)->local);
		}
	}
}

static void submit_down(void)
{
	for (int level = 2; level <= depth; level++) {
		int side = side_of(level);

		for (int i = 0; i < side * side; i++) {
			int x = i % side, y = i / side;

			if (!cells[level][i].local)
				continue;
			submit_far(level, x, y);
			if (level > 2)
				app_submit(KERNEL_l2l, 2, scalars(level, x, y, x % 2 * 2 - 1, y % 2 * 2 - 1),
				           10 * square(square((double)order)), cell_at(level - 1, x / 2, y / 2)->local,
				           cells[level][i].local);
		}
	}
}

static void submit_leaf(int x, int y)
{
	int side = side_of((int)depth);
	struct leaf *to = leaf_at(x, y);
	struct scalars s = scalars((int)depth, x, y, to->n, 0);

	s.groups = (to->n + GROUP_ITEMS - 1) / GROUP_ITEMS;
	for (int v = y > 0 ? y - 1 : 0; v <= y + 1 && v < side; v++) {
		for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < side; u++) {
			struct leaf *from = leaf_at(u, v);

			s.i[2] = from->n;
			if (from->n)
				app_submit(KERNEL_p2p, 0, s, 8 * (double)to->n * from->n, from->points_data,
				           to->points_data, to->field_data);
		}
	}
	app_submit(KERNEL_l2p, 1, s, 10 * square((double)order) * to->n, cell_at((int)depth, x, y)->local,
	           to->points_data, to->field_data);
}

static void submit(void)
{
	int side = side_of((int)depth);

	submit_up();
	submit_down();
	for (int i = 0; i < side * side; i++)
		if (leaves[i].n)
			submit_leaf(i % side, i / side);
}

static void finish(void)
{
	for (int i = 0; i < side_of((int)depth) * side_of((int)depth); i++) {
		if (!leaves[i].n)
			continue;
		starpu_data_unregister(leaves[i].points_data);
		starpu_data_unregister(leaves[i].field_data);
	}
	for (int level = 2; level <= depth; level++) {
		for (int i = 0; i < side_of(level) * side_of(level); i++) {
			if (!cells[level][i].multipole)
				continue;
			starpu_data_unregister(cells[level][i].multipole);
			starpu_data_unregister(cells[level][i].local);
		}
	}
}

/* The field at a point from all others. */
static double direct(double x, double y)
{
	double sum = 0;

	for (int64_t k = 0; k < points; k++) {
		double r = hypot((double)(REAL)position(k, 0) - x, (double)(REAL)position(k, 1) - y);

		sum += r > 0 ? (double)app_random(k, 2) / r : 0;
	}
	return sum;
}

/* At the first point of each leaf, against the sum over all points. Each more node a side gains about a factor of 3. */
static double check(double *limit)
{
	double off = 0, all = 0;

	for (int i = 0; i < side_of((int)depth) * side_of((int)depth); i++) {
		double exact;

		if (!leaves[i].n)
			continue;
		exact = direct((double)leaves[i].points[0], (double)leaves[i].points[leaves[i].n]);
		off += square((double)leaves[i].field[0] - exact);
		all += square(exact);
	}
	*limit = fmax(0.1 * pow(3, -(double)order), 1e-4);
	return sqrt(off / all);
}

static const struct app_option options[] = {
	{"points", &points, 1, 100000000, "points"},
	{"depth", &depth, 2, MOST_DEPTH, "levels of the tree below its root"},
	{"order", &order, 1, 32, "nodes of a cell, per side"},
	{NULL, NULL, 0, 0, NULL},
};

static struct app_codelet codelets[] = {
	[KERNEL_p2m] = {"p2m", {STARPU_R, STARPU_W}, 0xffff00},
	[KERNEL_m2m] = {"m2m", {STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0xff8080},
	[KERNEL_m2l] = {"m2l", {STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0x8080ff},
	[KERNEL_l2l] = {"l2l", {STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0x80ffff},
	[KERNEL_l2p] = {"l2p", {STARPU_R, STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0xff00ff},
	[KERNEL_p2p] = {"p2p", {STARPU_R, STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0x00c000},
};

int main(int argc, char **argv)
{
	static const struct app fmm = {
		.name = "fmm",
		.summary = "Sums charges over distances by a fast multipole method on a quadtree, with StarPU.",
		.options = options,
		.codelets = codelets,
		.prepare = prepare,
		.submit = submit,
		.check = check,
		.finish = finish,
	};

	return app_main(&fmm, argc, argv);
}
