/* generate/data_places.h - where the data of a run is: in arrays, by rows and columns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_DATA_PLACES_H
#define GENERATE_DATA_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/intern.h"

struct dag;
struct run;

enum { DATA_MOST_COORDINATES = 5 };

/* A datum by its place in an array: its coordinates, or without any its number there, at[0]. */
struct data_place {
	int32_t at[DATA_MOST_COORDINATES];
	uint32_t ncoordinates;
	uint32_t array; /* of those whose data are of this size, home and number of coordinates */
};

/* How many values say where it is. */
static inline uint32_t data_place_values(uint32_t ncoordinates)
{
	return ncoordinates ? ncoordinates : 1;
}

/*
 * What data without coordinates is taken for, where as many of its size and home as there are in each run make one. A
 * triangle has rows that are each longer, or each shorter, by one than the row before, as the halves of a matrix have
 * by rows or by columns. Triangles leave squares where there is no triangle; what is neither is a line. The largest
 * squares are those alone whose sides are the longest, as 16 x 16 tiles beside 16 vectors. As many as several squares
 * of one side, the same number of them in each of several runs, are these, as the tiles of the matrices of a product;
 * except where there are as many more as the size is larger.
 */
enum data_shape {
	DATA_SQUARES,
	DATA_LARGEST_SQUARES,
	DATA_LINES, /* later: of one run, tiles that are lines would stay as wide as they are */
	DATA_RISING,
	DATA_FALLING,
	DATA_LARGEST_RISING,
	DATA_LARGEST_FALLING,
	DATA_SHAPES
};

/* Of several runs: the arrays without coordinates whose data make a square, or a triangle, in each. */
struct data_arrays {
	struct idmap squares, largest, triangles; /* hash of size and home -> in how many runs */
	struct idmap several;                     /* the same -> of how many squares; IDMAP_NONE: of one, or of none */
	uint32_t nruns;
	int are_numbered; /* some data has no coordinates */
};

/* `sizes` are those of the runs. data_arrays_fini() it. */
void data_arrays_init(struct data_arrays *a, const struct run *const *runs, const int64_t *sizes, size_t nruns);
void data_arrays_fini(struct data_arrays *a);

/* The place of each datum of one of the runs; free() it. */
struct data_place *data_places(const struct data_arrays *a, const struct run *run, enum data_shape shape);

/* Rows, columns and so on of each array count from the first one that a task from `first` on uses. */
void data_places_from(struct data_place *data, const struct dag *d, uint32_t first);

/* Of the datum at a place: data of one place have one hash. */
uint64_t data_place_hash(const struct data_place *p, uint64_t bytes, int32_t home);

/* The same of all data of a size and home whose place is a number. */
uint64_t data_numbered_hash(uint64_t bytes, int32_t home);

#endif
