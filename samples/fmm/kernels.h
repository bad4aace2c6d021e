/* samples/fmm/kernels.h - the six operators of a fast multipole method, by interpolation at Chebyshev nodes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sum of charges over distances in the plane. A cell's far field is known from charges on p x p nodes (its
 * multipole), its own field from afar from values there (its local field); p = s.i[0]. Points are columns x, y, charge.
 * Fong and Darve, The black-box fast multipole method, J. Comput. Phys. 228 (2009).
 */
#include "samples/common/kernel.h"

#define KERNELS(X) X(p2m, 2) X(m2m, 2) X(m2l, 2) X(l2l, 2) X(l2p, 3) X(p2p, 3)

FUNCTION REAL node(int a, int p)
{
	return COS((REAL)3.14159265358979 * (2 * a + 1) / (2 * p));
}

/* The polynomial that is 1 at node a and 0 at the others, at x in [-1, 1]. */
FUNCTION REAL basis(REAL x, int a, int p)
{
	REAL product = 1;

	for (int k = 0; k < p; k++)
		if (k != a)
			product *= (x - node(k, p)) / (node(a, p) - node(k, p));
	return product;
}

FUNCTION REAL inverse_distance(REAL dx, REAL dy)
{
	REAL square = dx * dx + dy * dy;

	return square > 0 ? 1 / SQRT(square) : 0;
}

/* Charges to nodes: n = s.i[1] points of a cell with centre (s.x[0], s.x[1]) and half its side s.x[2]. */
KERNEL(p2m, GLOBAL *points, GLOBAL *multipole)
{
	int p = s.i[0], n = s.i[1];

	FOR_ALL(e, p * p)
	{
		REAL sum = 0;

		for (int k = 0; k < n; k++)
			sum += points[k + 2 * n] * basis((points[k] - s.x[0]) / s.x[2], e % p, p) *
			       basis((points[k + n] - s.x[1]) / s.x[2], e / p, p);
		multipole[e] = sum;
	}
}

/* The share of a child in its parent's nodes; (s.i[1], s.i[2]): where the child is, -1 or 1. */
KERNEL(m2m, GLOBAL *child, GLOBAL *parent)
{
	int p = s.i[0];

	FOR_ALL(e, p * p)
	{
		REAL sum = 0;

		for (int f = 0; f < p * p; f++)
			sum += child[f] * basis((node(f % p, p) + s.i[1]) / 2, e % p, p) *
			       basis((node(f / p, p) + s.i[2]) / 2, e / p, p);
		parent[e] += sum;
	}
}

/* What a cell that is (s.i[1], s.i[2]) cells away does to the nodes of this one; s.x[2]: half the side of both. */
KERNEL(m2l, GLOBAL *multipole, GLOBAL *values)
{
	int p = s.i[0];

	FOR_ALL(e, p * p)
	{
		REAL sum = 0;

		for (int f = 0; f < p * p; f++)
			sum += multipole[f] * inverse_distance(node(f % p, p) - node(e % p, p) + 2 * s.i[1],
			                                       node(f / p, p) - node(e / p, p) + 2 * s.i[2]);
		values[e] += sum / s.x[2];
	}
}

/* The parent's field at the nodes of a child. */
KERNEL(l2l, GLOBAL *parent, GLOBAL *child)
{
	int p = s.i[0];

	FOR_ALL(e, p * p)
	{
		REAL sum = 0;

		for (int f = 0; f < p * p; f++)
			sum += parent[f] * basis((node(e % p, p) + s.i[1]) / 2, f % p, p) *
			       basis((node(e / p, p) + s.i[2]) / 2, f / p, p);
		child[e] += sum;
	}
}

/* The field at the points of the cell. */
KERNEL(l2p, GLOBAL *values, GLOBAL *points, GLOBAL *field)
{
	int p = s.i[0], n = s.i[1];

	FOR_ALL(k, n)
	{
		REAL sum = 0;

		for (int f = 0; f < p * p; f++)
			sum += values[f] * basis((points[k] - s.x[0]) / s.x[2], f % p, p) *
			       basis((points[k + n] - s.x[1]) / s.x[2], f / p, p);
		field[k] += sum;
	}
}

/* What the s.i[2] points of a neighbour, or of the cell itself, do to its s.i[1] points directly. */
KERNEL(p2p, GLOBAL *from, GLOBAL *to, GLOBAL *field)
{
	int n = s.i[1], m = s.i[2];

	FOR_ALL(k, n)
	{
		REAL sum = 0;

		for (int j = 0; j < m; j++)
			sum += from[j + 2 * m] * inverse_distance(from[j] - to[k], from[j + m] - to[k + n]);
		field[k] += sum;
	}
}
