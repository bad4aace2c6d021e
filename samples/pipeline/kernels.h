/* samples/pipeline/kernels.h - the stages that a batch of samples goes through: filter, two layers, counts by class. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A batch has n = s.i[0] samples, a column each. */
#include "samples/common/kernel.h"

#define KERNELS(X) X(smooth, 2) X(dense, 3) X(pool, 2)

/* Each of rows = s.i[1] features becomes the mean of itself and s.i[2] on either side, of those there are. */
KERNEL(smooth, GLOBAL *raw, GLOBAL *x)
{
	int n = s.i[0], rows = s.i[1], reach = s.i[2];

	FOR_ALL(e, n * rows)
	{
		int r = e % rows, first = r > reach ? r - reach : 0, last = r + reach < rows ? r + reach : rows - 1;
		REAL sum = 0;

		for (int k = first; k <= last; k++)
			sum += raw[e - r + k];
		x[e] = sum / (last - first + 1);
	}
}

/* y = max(0, W x): s.i[1] inputs, s.i[2] outputs; the rows of W, which belong to an output, are contiguous. */
KERNEL(dense, GLOBAL *w, GLOBAL *x, GLOBAL *y)
{
	int n = s.i[0], in = s.i[1], out = s.i[2];

	FOR_COLUMNS(e, n * out)
	{
		REAL sum = 0;

		FOR_ROWS(k, 0, in)
		sum += w[k + e % out * in] * x[k + e / out * in];
		sum = column_sum(sum);
		if (FIRST_OF_COLUMN)
			y[e] = sum > 0 ? sum : 0;
	}
}

/* Adds the outputs of all samples, s.i[1] each, to the totals. */
KERNEL(pool, GLOBAL *y, GLOBAL *total)
{
	int n = s.i[0], out = s.i[1];

	FOR_ALL(r, out)
	{
		REAL sum = 0;

		for (int c = 0; c < n; c++)
			sum += y[r + c * out];
		total[r] += sum;
	}
}
