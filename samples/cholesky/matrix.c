/* samples/cholesky/matrix.c - the matrix to factorise: where its tiles lie and what is in them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cholesky.h"

#include <math.h>

#ifndef STARPU_SIMGRID
static size_t matrix_bytes(const struct matrix *a)
{
	return (size_t)(a->tiles * (a->tiles + 1) / 2) * (size_t)(a->tile * a->tile) * sizeof(float);
}
#endif

int matrix_alloc(struct matrix *a, const struct options *opt)
{
	*a = (struct matrix){
		.size = opt->size,
		.tile = opt->tile,
		.tiles = opt->size / opt->tile,
		.seed = opt->seed,
	};
#ifndef STARPU_SIMGRID
	if (starpu_malloc((void **)&a->data, matrix_bytes(a)))
		return -1;
#endif
	return 0;
}

void matrix_free(struct matrix *a)
{
#ifndef STARPU_SIMGRID
	if (a->data)
		starpu_free_noflag(a->data, matrix_bytes(a));
#endif
	a->data = NULL;
}

float *matrix_tile(const struct matrix *a, int64_t i, int64_t j)
{
	return a->data ? a->data + (i * (i + 1) / 2 + j) * a->tile * a->tile : NULL;
}

/* The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): every bit of the input reaches every bit of the output. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

float matrix_entry(const struct matrix *a, int64_t row, int64_t column)
{
	if (row == column)
		return 2.0f * sqrtf((float)a->size);
	uint64_t low = (uint64_t)(row < column ? row : column), high = (uint64_t)(row < column ? column : row);
	uint64_t bits = mix(mix(a->seed + UINT64_C(0x9e3779b97f4a7c15)) ^ (high << 32 | low));
	return (float)(bits >> 40) * 0x1p-24f - 0.5f;
}

void matrix_fill(struct matrix *a)
{
	if (!a->data)
		return;
	for (int64_t i = 0; i < a->tiles; i++) {
		for (int64_t j = 0; j <= i; j++) {
			float *tile = matrix_tile(a, i, j);
			for (int64_t c = 0; c < a->tile; c++)
				for (int64_t r = 0; r < a->tile; r++)
					tile[c * a->tile + r] = matrix_entry(a, i * a->tile + r, j * a->tile + c);
		}
	}
}
