/* samples/multifrontal/tree.c - the elimination tree of a grid's equations under nested dissection. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "samples/multifrontal/tree.h"

#include <stdlib.h>

/* A rectangle of the grid. */
struct part {
	int x, y, width, height;
};

/* The points of `p` become the pivots of a new front. Returns its number. */
static int add_front(struct tree *t, int *next_row, struct part p)
{
	struct front *f = &t->fronts[t->nfronts];

	*f = (struct front){.parent = -1, .first = *next_row, .k = p.width * p.height};
	for (int y = p.y; y < p.y + p.height; y++) {
		for (int x = p.x; x < p.x + p.width; x++) {
			t->row_of[x + y * t->cols] = *next_row;
			t->point_of[(*next_row)++] = x + y * t->cols;
		}
	}
	return t->nfronts++;
}

static int dissect(struct tree *t, int *next_row, struct part p, int leaf)
{
	struct part first = p, second = p, line = p;
	int children[2], front;

	if (p.width * p.height <= leaf || (p.width < 3 && p.height < 3))
		return add_front(t, next_row, p);
	if (p.width >= p.height) {
		first.width = p.width / 2;
		line.x = p.x + first.width;
		line.width = 1;
		second.x = line.x + 1;
		second.width = p.width - first.width - 1;
	} else {
		first.height = p.height / 2;
		line.y = p.y + first.height;
		line.height = 1;
		second.y = line.y + 1;
		second.height = p.height - first.height - 1;
	}
	children[0] = dissect(t, next_row, first, leaf);
	children[1] = dissect(t, next_row, second, leaf);
	front = add_front(t, next_row, line);
	t->fronts[children[0]].parent = t->fronts[children[1]].parent = front;
	return front;
}

/* Marks `row` for the front that is looked at, if it is below its pivots and not yet. */
static void reach(const struct front *f, int row, int *mark, int id, int *found, int *n)
{
	if (row < f->first + f->k || mark[row] == id)
		return;
	mark[row] = id;
	found[(*n)++] = row;
}

static int ascending(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* What the pivots reach: their neighbours, and what their children reach. */
static int find_below(struct tree *t, int id, int *mark, int *found)
{
	struct front *f = &t->fronts[id];
	int n = 0;

	for (int r = f->first; r < f->first + f->k; r++) {
		int x = t->point_of[r] % t->cols, y = t->point_of[r] / t->cols;

		if (x > 0)
			reach(f, t->row_of[t->point_of[r] - 1], mark, id, found, &n);
		if (x + 1 < t->cols)
			reach(f, t->row_of[t->point_of[r] + 1], mark, id, found, &n);
		if (y > 0)
			reach(f, t->row_of[t->point_of[r] - t->cols], mark, id, found, &n);
		if (y + 1 < t->rows)
			reach(f, t->row_of[t->point_of[r] + t->cols], mark, id, found, &n);
	}
	for (int c = 0; c < id; c++)
		for (int i = 0; t->fronts[c].parent == id && i < t->fronts[c].m; i++)
			reach(f, t->fronts[c].below[i], mark, id, found, &n);
	f->m = n;
	f->below = calloc((size_t)n + 1, sizeof(*f->below));
	if (!f->below)
		return -1;
	qsort(found, (size_t)n, sizeof(*found), ascending);
	for (int i = 0; i < n; i++)
		f->below[i] = found[i];
	return 0;
}

int tree_make(struct tree *t, int cols, int rows, int leaf)
{
	int n = cols * rows, next_row = 0, *mark = malloc((size_t)n * sizeof(int)),
	    *found = malloc((size_t)n * sizeof(int));
	int rc = -1;

	*t = (struct tree){.rows = rows, .cols = cols, .n = n};
	t->fronts = calloc((size_t)n, sizeof(*t->fronts));
	t->row_of = calloc((size_t)n, sizeof(int));
	t->point_of = calloc((size_t)n, sizeof(int));
	if (mark && found && t->fronts && t->row_of && t->point_of) {
		dissect(t, &next_row, (struct part){0, 0, cols, rows}, leaf);
		for (int i = 0; i < n; i++)
			mark[i] = -1;
		rc = 0;
		for (int i = 0; i < t->nfronts && rc == 0; i++)
			rc = find_below(t, i, mark, found);
	}
	free(mark);
	free(found);
	return rc;
}

void tree_free(struct tree *t)
{
	for (int i = 0; i < t->nfronts; i++)
		free(t->fronts[i].below);
	free(t->fronts);
	free(t->row_of);
	free(t->point_of);
	*t = (struct tree){0};
}

double tree_entry(const struct tree *t, int row, int column)
{
	int p = t->point_of[row], q = t->point_of[column];
	int dx = abs(p % t->cols - q % t->cols), dy = abs(p / t->cols - q / t->cols);

	return dx + dy == 0 ? 4.125 : dx + dy == 1 ? -1 : 0;
}
