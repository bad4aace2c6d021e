/* samples/multifrontal/kernels.h - a front of a sparse Cholesky factorisation: pivots, and the rest. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A front is symmetric: k pivots and m rows that they reach, as three matrices: pivots (k x k), below (m x k), rest
 * (m x m); k = s.i[0], m = s.i[1]. Only lower triangles are used.
 */
#include "samples/common/kernel.h"

#define KERNELS(X) X(assemble, 3) X(factor, 1) X(solve, 2) X(update, 2)

/*
 * Adds to a part of a front what a child's rest, n x n with n = s.i[2], has for it: row r of the child is row map[r] of
 * the front, pivots first. s.i[3]: the part, 0 for pivots, 1 for below, 2 for rest.
 */
KERNEL(assemble, GLOBAL *child, GLOBAL *map, GLOBAL *part)
{
	int k = s.i[0], m = s.i[1], n = s.i[2], which = s.i[3];

	FOR_COLUMNS(c, n)
	{
		FOR_ROWS(r, c, n)
		{
			int row = (int)map[r], column = (int)map[c];

			if ((row >= k) + (column >= k) != which)
				continue;
			part[which == 0 ? row + column * k : row - k + (which == 1 ? column : column - k) * m] +=
				child[r + c * n];
		}
	}
}

/* L of the pivots, in place; one group. */
KERNEL(factor, GLOBAL *a)
{
	int k = s.i[0];

	for (int j = 0; j < k; j++) {
		REAL pivot = SQRT(a[j + j * k]);

		BARRIER;
		FOR_ITEMS(r, j, k)
		a[r + j * k] = r == j ? pivot : a[r + j * k] / pivot;
		BARRIER;
		FOR_OWN_COLUMNS(c, j + 1, k)
		FOR_ROWS(r, c, k)
		a[r + c * k] -= a[r + j * k] * a[c + j * k];
		BARRIER;
	}
}

/* below = below L^-T */
KERNEL(solve, GLOBAL *l, GLOBAL *below)
{
	int k = s.i[0], m = s.i[1];

	FOR_ALL(r, m)
	{
		for (int j = 0; j < k; j++) {
			REAL x = below[r + j * m];

			for (int c = 0; c < j; c++)
				x -= below[r + c * m] * l[j + c * k];
			below[r + j * m] = x / l[j + j * k];
		}
	}
}

/* rest -= below below^T */
KERNEL(update, const GLOBAL *below, GLOBAL *rest)
{
	int k = s.i[0], m = s.i[1];

	FOR_COLUMNS(c, m)
	subtract_product(rest + c + c * m, below + c, m, below + c, m, m - c, k);
}
