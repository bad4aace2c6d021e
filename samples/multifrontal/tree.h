/* samples/multifrontal/tree.h - the elimination tree of a grid's equations under nested dissection. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SAMPLES_MULTIFRONTAL_TREE_H
#define SAMPLES_MULTIFRONTAL_TREE_H

/* Rows are those of the matrix: the points of the grid in the order in which they are eliminated. */
struct front {
	int parent; /* -1: the root */
	int first;  /* its first pivot; all are consecutive */
	int k, m;   /* pivots, and rows below that they reach */
	int *below; /* those rows, ascending */
};

struct tree {
	int rows, cols, n;    /* of the grid; n points */
	struct front *fronts; /* children before parents */
	int nfronts;
	int *row_of, *point_of; /* point x + y * cols of the grid to row, and back */
};

/*
 * Of a grid of cols x rows points, each coupled to its four neighbours: a line of points divides it into two parts, and
 * so on, down to parts of at most `leaf` points; a line is a front, and so is a part. -1: out of memory.
 */
int tree_make(struct tree *t, int cols, int rows, int leaf);
void tree_free(struct tree *t);

/* The entry of the matrix at two rows: 4 + 1/8 on the diagonal, and -1 for neighbours: positive definite. */
double tree_entry(const struct tree *t, int row, int column);

#endif
