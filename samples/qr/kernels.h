/* samples/qr/kernels.h - tiled QR: Householder reflections of a tile, of a triangle on a tile, applied. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tiles are n x n, n = s.i[0]. A reflection is I - tau v v^T; its v, without the leading 1, stays below the diagonal of
 * the tile that it made zero, its tau in `t`.
 */
#include "samples/common/kernel.h"

#define KERNELS(X) X(geqrt, 2) X(unmqr, 3) X(tpqrt, 3) X(tpmqrt, 4)

/* x (1 + m entries: *top and below) becomes (beta, 0, ...): the v that does it replaces what is below. Returns tau. */
FUNCTION REAL reflect(GLOBAL *top, GLOBAL *below, int m, LOCAL *part)
{
	REAL squares = 0, alpha = *top, norm, beta, scale;

	FOR_ITEMS(i, 0, m)
	squares += below[i] * below[i];
	squares = group_sum(squares, part);
	norm = SQRT(alpha * alpha + squares);
	beta = alpha > 0 ? -norm : norm;
	scale = squares > 0 ? 1 / (alpha - beta) : 0;
	BARRIER;
	FOR_ITEMS(i, 0, m)
	below[i] *= scale;
	if (ITEM == 0 && squares > 0)
		*top = beta;
	BARRIER;
	return squares > 0 ? (beta - alpha) / beta : 0;
}

/* The column (*top and m entries below) reflected by v and tau. */
FUNCTION void apply(GLOBAL *top, GLOBAL *RESTRICT below, const GLOBAL *RESTRICT v, REAL tau, int m)
{
	REAL w = 0;

	FOR_ROWS(i, 0, m)
	w += v[i] * below[i];
	w = tau * (*top + column_sum(w));
	COLUMN_BARRIER;
	if (FIRST_OF_COLUMN)
		*top -= w;
	FOR_ROWS(i, 0, m)
	below[i] -= w * v[i];
	COLUMN_BARRIER;
}

/* A = Q R, in place. */
KERNEL(geqrt, GLOBAL *a, GLOBAL *t)
{
	LOCAL_ARRAY(part);
	int n = s.i[0];

	for (int k = 0; k < n; k++) {
		GLOBAL *v = a + k + 1 + k * n;
		REAL tau = reflect(a + k + k * n, v, n - k - 1, part);

		if (ITEM == 0)
			t[k] = tau;
		FOR_OWN_COLUMNS(j, k + 1, n)
		apply(a + k + j * n, a + k + 1 + j * n, v, tau, n - k - 1);
		BARRIER;
	}
}

/* C = Q^T C, Q of geqrt in (a, t). */
KERNEL(unmqr, GLOBAL *a, GLOBAL *t, GLOBAL *c)
{
	int n = s.i[0];

	FOR_COLUMNS(j, n)
	for (int k = 0; k < n; k++)
		apply(c + k + j * n, c + k + 1 + j * n, a + k + 1 + k * n, t[k], n - k - 1);
}

/* (A; B) = Q (R; 0), A upper triangular, in place. */
KERNEL(tpqrt, GLOBAL *a, GLOBAL *b, GLOBAL *t)
{
	LOCAL_ARRAY(part);
	int n = s.i[0];

	for (int k = 0; k < n; k++) {
		GLOBAL *v = b + k * n;
		REAL tau = reflect(a + k + k * n, v, n, part);

		if (ITEM == 0)
			t[k] = tau;
		FOR_OWN_COLUMNS(j, k + 1, n)
		apply(a + k + j * n, b + j * n, v, tau, n);
		BARRIER;
	}
}

/* (A; B) = Q^T (A; B), Q of tpqrt in (v, t). */
KERNEL(tpmqrt, GLOBAL *v, GLOBAL *t, GLOBAL *a, GLOBAL *b)
{
	int n = s.i[0];

	FOR_COLUMNS(j, n)
	for (int k = 0; k < n; k++)
		apply(a + k + j * n, b + j * n, v + k * n, t[k], n);
}
