/* samples/stencil/kernels.h - a Jacobi step on a strip of a grid, its edges, and how much it has changed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A strip has s.i[0] rows and s.i[1] columns; an edge is a column of it. */
#include "samples/common/kernel.h"

#define KERNELS(X) X(update, 4) X(edges, 3) X(change, 3) X(zero, 1)

/* Every point becomes the mean of its four neighbours; rows outside of the grid are 0. */
KERNEL(update, const GLOBAL *in, const GLOBAL *west, const GLOBAL *east, GLOBAL *RESTRICT out)
{
	int rows = s.i[0], columns = s.i[1];

	FOR_COLUMNS(c, columns)
	{
		const GLOBAL *left = c > 0 ? in + (c - 1) * rows : west;
		const GLOBAL *right = c + 1 < columns ? in + (c + 1) * rows : east;
		const GLOBAL *here = in + c * rows;
		GLOBAL *to = out + c * rows;

		to[0] = (REAL)0.25 * (here[1] + left[0] + right[0]);
		FOR_ROWS(r, 1, rows - 1)
		to[r] = (REAL)0.25 * (here[r - 1] + here[r + 1] + left[r] + right[r]);
		to[rows - 1] = (REAL)0.25 * (here[rows - 2] + left[rows - 1] + right[rows - 1]);
	}
}

/* The first and the last column, for the neighbours. */
KERNEL(edges, GLOBAL *strip, GLOBAL *first, GLOBAL *last)
{
	int rows = s.i[0], columns = s.i[1];

	FOR_ALL(r, rows)
	{
		first[r] = strip[r];
		last[r] = strip[r + (columns - 1) * rows];
	}
}

/* Adds the squares of what has changed. One group. */
KERNEL(change, GLOBAL *before, GLOBAL *after, GLOBAL *sum)
{
	LOCAL_ARRAY(part);
	REAL mine = 0, all;

	FOR_ITEMS(e, 0, s.i[0] * s.i[1])
	mine += (after[e] - before[e]) * (after[e] - before[e]);
	all = group_sum(mine, part);
	if (ITEM == 0)
		sum[0] += all;
}

KERNEL(zero, GLOBAL *sum)
{
	if (ITEM == 0)
		sum[0] = 0;
}
