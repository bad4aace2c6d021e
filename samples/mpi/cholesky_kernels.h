/* samples/mpi/cholesky_kernels.h - Cholesky, tile by tile. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tiles are b x b, b = s.i[0], and of one on the diagonal only the lower half counts. */
#include "samples/common/kernel.h"

#define KERNELS(X) X(potrf, 1) X(trsm, 2) X(syrk, 2) X(gemm, 3)

/* A = L L^T, in place; one group. */
KERNEL(potrf, GLOBAL *a)
{
	int b = s.i[0];

	for (int k = 0; k < b; k++) {
		REAL root = SQRT(a[k + k * b]);

		BARRIER;
		FOR_ITEMS(r, k, b)
		a[r + k * b] /= root;
		BARRIER;
		FOR_OWN_COLUMNS(c, k + 1, b)
		FOR_ROWS(r, c, b)
		a[r + c * b] -= a[r + k * b] * a[c + k * b];
	}
}

/* A = A L^-T, L of potrf. */
KERNEL(trsm, const GLOBAL *RESTRICT l, GLOBAL *a)
{
	int b = s.i[0], even = (b + SHARES - 1) / SHARES, share = even < LEAST_ROWS ? LEAST_ROWS : even;
	int first = SHARE * share, rows = first + share < b ? share : b - first;

	for (int c = 0; c < b; c++) {
		subtract_product(a + first + c * b, a + first, b, l + c, b, rows, c);
		FOR_ROWS(r, 0, rows)
		a[first + r + c * b] /= l[c + c * b];
	}
}

/* C -= A A^T, on the diagonal and below. */
KERNEL(syrk, const GLOBAL *x, GLOBAL *z)
{
	int b = s.i[0];

	FOR_COLUMNS(c, b)
	subtract_product(z + c + c * b, x + c, b, x + c, b, b - c, b);
}

/* C -= A B^T */
KERNEL(gemm, const GLOBAL *x, const GLOBAL *y, GLOBAL *z)
{
	int b = s.i[0];

	FOR_COLUMNS(c, b)
	subtract_product(z + c * b, x, b, y + c, b, b, b);
}
