/* samples/cholesky/check.c - how far the product of the computed factor is from the matrix it came from. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cholesky.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <cblas.h>

/* A tile of L in double precision. The kernels leave what they found above the diagonal: it is not part of L. */
static void widen(const struct matrix *l, int64_t i, int64_t j, double *out)
{
	const float *tile = matrix_tile(l, i, j);
	for (int64_t c = 0; c < l->tile; c++)
		for (int64_t r = 0; r < l->tile; r++)
			out[c * l->tile + r] = i == j && r < c ? 0.0 : (double)tile[c * l->tile + r];
}

static bool pivots_positive(const struct matrix *l)
{
	for (int64_t i = 0; i < l->tiles; i++)
		for (int64_t r = 0; r < l->tile; r++)
			if (!(matrix_tile(l, i, i)[r * l->tile + r] > 0.0f))
				return false;
	return true;
}

/* Adds the squares of tile (i, j) of A, and of `rest` = A - L L^T there. An off-diagonal tile stands for two. */
static void add_squares(const struct matrix *l, int64_t i, int64_t j, const double *rest, double *error2, double *norm2)
{
	double weight = i == j ? 1 : 2;
	for (int64_t c = 0; c < l->tile; c++) {
		for (int64_t r = 0; r < l->tile; r++) {
			double entry = (double)matrix_entry(l, i * l->tile + r, j * l->tile + c);
			*norm2 += weight * entry * entry;
			*error2 += weight * rest[c * l->tile + r] * rest[c * l->tile + r];
		}
	}
}

double factor_residual(const struct matrix *l, double *limit)
{
	int b = (int)l->tile;
	size_t cells = (size_t)b * (size_t)b;
	double error2 = 0, norm2 = 0, *left, *right, *rest;

	*limit = 4 * (double)FLT_EPSILON * sqrt((double)l->size);
	if (!pivots_positive(l))
		return NAN;
	left = malloc(3 * cells * sizeof(*left));
	if (!left)
		return -1;
	right = left + cells;
	rest = right + cells;
	for (int64_t i = 0; i < l->tiles; i++) {
		for (int64_t j = 0; j <= i; j++) {
			for (int64_t c = 0; c < b; c++)
				for (int64_t r = 0; r < b; r++)
					rest[c * b + r] = (double)matrix_entry(l, i * b + r, j * b + c);
			for (int64_t k = 0; k <= j; k++) {
				widen(l, i, k, left);
				widen(l, j, k, right);
				cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, b, b, b, -1.0, left, b, right, b,
				            1.0, rest, b);
			}
			add_squares(l, i, j, rest, &error2, &norm2);
		}
	}
	free(left);
	return sqrt(error2 / norm2);
}
