/* samples/cg/kernels.h - the vector and matrix operations of a conjugate gradient, by blocks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of a vector have n = s.i[0] entries, those of the matrix n x n. Numbers are data of one entry. */
#include "samples/common/kernel.h"

#define KERNELS(X) X(gemv, 3) X(inner, 3) X(axpy, 3) X(xpay, 3) X(ratio, 3) X(clear, 1) X(zero, 1) X(add, 2)

/* y += A x, where what is stored is A transposed: its rows are contiguous. */
KERNEL(gemv, GLOBAL *a, GLOBAL *x, GLOBAL *y)
{
	int n = s.i[0];

	FOR_COLUMNS(r, n)
	{
		REAL sum = 0;

		FOR_ROWS(c, 0, n)
		sum += a[c + r * n] * x[c];
		sum = column_sum(sum);
		if (FIRST_OF_COLUMN)
			y[r] += sum;
	}
}

/* sum += x . y; one group */
KERNEL(inner, GLOBAL *x, GLOBAL *y, GLOBAL *sum)
{
	LOCAL_ARRAY(part);
	REAL mine = 0, all;

	FOR_ITEMS(i, 0, s.i[0])
	mine += x[i] * y[i];
	all = group_sum(mine, part);
	if (ITEM == 0)
		sum[0] += all;
}

/* y += s.x[0] * factor * x */
KERNEL(axpy, GLOBAL *factor, GLOBAL *x, GLOBAL *y)
{
	FOR_ALL(i, s.i[0])
	y[i] += s.x[0] * factor[0] * x[i];
}

/* y = x + factor * y */
KERNEL(xpay, GLOBAL *factor, GLOBAL *x, GLOBAL *y)
{
	FOR_ALL(i, s.i[0])
	y[i] = x[i] + factor[0] * y[i];
}

KERNEL(ratio, GLOBAL *above, GLOBAL *below, GLOBAL *out)
{
	if (ITEM == 0)
		out[0] = below[0] > 0 ? above[0] / below[0] : 0;
}

KERNEL(clear, GLOBAL *x)
{
	FOR_ALL(i, s.i[0])
	x[i] = 0;
}

/* What StarPU does with the parts of a reduction of one number; without scalars. */
KERNEL(zero, GLOBAL *sum)
{
	if (ITEM == 0)
		sum[0] = 0;
}

KERNEL(add, GLOBAL *sum, GLOBAL *part)
{
	if (ITEM == 0)
		sum[0] += part[0];
}
