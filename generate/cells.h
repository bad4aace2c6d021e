/* generate/cells.h - the cells of a uniform quadtree or octree, and which are near each other. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_CELLS_H
#define GENERATE_CELLS_H

#include <stdint.h>
#include <stdlib.h>

/* Cell (x, y, z) of a level is number (z * side + y) * side + x there, side = 2^level; on a plane z is 0. */
static inline uint32_t cells_of(int dimensions, int level)
{
	return 1u << dimensions * level;
}

static inline void cell_place(int dimensions, int level, uint32_t i, int at[3])
{
	for (int d = 0; d < 3; d++)
		at[d] = d < dimensions ? (int)(i >> d * level & ((1u << level) - 1)) : 0;
}

static inline uint32_t cell_number(int level, int x, int y, int z)
{
	return (((uint32_t)z << level | (uint32_t)y) << level) | (uint32_t)x;
}

/* Child c, from 0, of the cell at[] of a level: its number on the next one. */
static inline uint32_t cell_child(int level, const int at[3], int c)
{
	return cell_number(level + 1, 2 * at[0] + (c & 1), 2 * at[1] + (c >> 1 & 1), 2 * at[2] + (c >> 2 & 1));
}

struct cell_box {
	int low[3], high[3]; /* inclusive */
};

/* Cells low..high, cut at the sides of the level. */
static inline struct cell_box cell_box_cut(int dimensions, int level, const int low[3], const int high[3])
{
	struct cell_box b = {{0, 0, 0}, {0, 0, 0}};

	for (int d = 0; d < dimensions; d++) {
		b.low[d] = low[d] < 0 ? 0 : low[d];
		b.high[d] = high[d] >= 1 << level ? (1 << level) - 1 : high[d];
	}
	return b;
}

/* The cell itself and its neighbours. */
static inline struct cell_box cell_box_near(int dimensions, int level, const int at[3])
{
	int low[3] = {at[0] - 1, at[1] - 1, at[2] - 1}, high[3] = {at[0] + 1, at[1] + 1, at[2] + 1};

	return cell_box_cut(dimensions, level, low, high);
}

/*
 * The children of the parent's neighbours, of which those that are not near make up the interaction list: at most 27 on
 * a plane, 189 in space.
 */
static inline struct cell_box cell_box_far(int dimensions, int level, const int at[3])
{
	int low[3], high[3];

	for (int d = 0; d < 3; d++) {
		low[d] = (at[d] & ~1) - 2;
		high[d] = (at[d] & ~1) + 3;
	}
	return cell_box_cut(dimensions, level, low, high);
}

static inline int cell_is_near(const int at[3], int x, int y, int z)
{
	return abs(x - at[0]) <= 1 && abs(y - at[1]) <= 1 && abs(z - at[2]) <= 1;
}

#endif
