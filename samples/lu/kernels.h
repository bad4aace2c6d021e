/* samples/lu/kernels.h - LU: tile by tile without pivoting, and by block columns with the largest pivot of a column. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tiles are b x b, b = s.i[0]; block columns n x b, n = s.i[1], of which step k = s.i[2] is done. */
#include "samples/common/kernel.h"

#define KERNELS(X) X(getrf, 1) X(trsm_l, 2) X(trsm_u, 2) X(gemm, 3) X(panel, 2) X(update, 3)

/* A = L U, in place; one group. */
KERNEL(getrf, GLOBAL *a)
{
	int b = s.i[0];

	for (int k = 0; k < b; k++) {
		BARRIER;
		FOR_ITEMS(r, k + 1, b)
		a[r + k * b] /= a[k + k * b];
		BARRIER;
		FOR_OWN_COLUMNS(c, k + 1, b)
		FOR_ROWS(r, k + 1, b)
		a[r + c * b] -= a[r + k * b] * a[k + c * b];
	}
}

/* A = L^-1 A, L of getrf. */
KERNEL(trsm_l, const GLOBAL *RESTRICT l, GLOBAL *RESTRICT a)
{
	int b = s.i[0];

	FOR_COLUMNS(c, b)
	for (int k = 0; k < b; k++) {
		FOR_ROWS(r, k + 1, b)
		a[r + c * b] -= l[r + k * b] * a[k + c * b];
		COLUMN_BARRIER;
	}
}

/* A = A U^-1, U of getrf. */
KERNEL(trsm_u, const GLOBAL *RESTRICT u, GLOBAL *a)
{
	int b = s.i[0], even = (b + SHARES - 1) / SHARES, share = even < LEAST_ROWS ? LEAST_ROWS : even;
	int first = SHARE * share, rows = first + share < b ? share : b - first;

	for (int c = 0; c < b; c++) {
		subtract_product(a + first + c * b, a + first, b, u + c * b, 1, rows, c);
		FOR_ROWS(r, 0, rows)
		a[first + r + c * b] /= u[c + c * b];
	}
}

/* C -= A B */
KERNEL(gemm, const GLOBAL *x, const GLOBAL *y, GLOBAL *z)
{
	int b = s.i[0];

	FOR_COLUMNS(c, b)
	subtract_product(z + c * b, x, b, y + c * b, 1, b, b);
}

/*
 * The block column of step k: for each of its columns the row with the largest entry is swapped into place. `pivots`
 * are these rows. One group.
 */
KERNEL(panel, GLOBAL *a, GLOBAL *pivots)
{
	LOCAL_ARRAY(row_of);
	int b = s.i[0], n = s.i[1], k = s.i[2];

	for (int j = 0; j < b; j++) {
		int at = k * b + j, best = at;

		FOR_ITEMS(r, at, n)
		if (FABS(a[r + j * n]) > FABS(a[best + j * n]))
			best = r;
		row_of[ITEM] = (REAL)best;
		BARRIER;
		for (int i = 0; i < ITEMS; i++)
			if (FABS(a[(int)row_of[i] + j * n]) > FABS(a[best + j * n]) ||
			    (FABS(a[(int)row_of[i] + j * n]) == FABS(a[best + j * n]) && (int)row_of[i] < best))
				best = (int)row_of[i];
		BARRIER;
		FOR_ITEMS(c, 0, b)
		{
			REAL other = a[best + c * n];

			a[best + c * n] = a[at + c * n];
			a[at + c * n] = other;
		}
		if (ITEM == 0)
			pivots[j] = (REAL)best;
		BARRIER;
		FOR_ITEMS(r, at + 1, n)
		a[r + j * n] /= a[at + j * n];
		BARRIER;
		FOR_OWN_COLUMNS(c, j + 1, b)
		FOR_ROWS(r, at + 1, n)
		a[r + c * n] -= a[r + j * n] * a[at + c * n];
		BARRIER;
	}
}

/* What step k does to a block column to the right: its swaps, L^-1, and the product below. */
KERNEL(update, const GLOBAL *RESTRICT l, const GLOBAL *pivots, GLOBAL *RESTRICT a)
{
	int b = s.i[0], n = s.i[1], k = s.i[2];

	FOR_COLUMNS(c, b)
	{
		for (int j = 0; FIRST_OF_COLUMN && j < b; j++) {
			int at = k * b + j, other = (int)pivots[j];
			REAL value = a[other + c * n];

			a[other + c * n] = a[at + c * n];
			a[at + c * n] = value;
		}
		COLUMN_BARRIER;
		for (int j = 0; j < b; j++) {
			FOR_ROWS(r, k * b + j + 1, n)
			a[r + c * n] -= l[r + j * n] * a[k * b + j + c * n];
			COLUMN_BARRIER;
		}
	}
}
