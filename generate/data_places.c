/* generate/data_places.c - where the data of a run is: in arrays, by rows and columns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/data_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/dag/dag.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { LEAST_SIDE = 3, MOST_SQUARES = 8 };

static uint64_t kind_hash(uint64_t bytes, int32_t home, uint32_t ncoordinates)
{
	uint64_t h = hash64(HASH64_START, &bytes, sizeof(bytes));

	h = hash64(h, &home, sizeof(home));
	return hash64(h, &ncoordinates, sizeof(ncoordinates));
}

uint64_t data_place_hash(const struct data_place *p, uint64_t bytes, int32_t home)
{
	uint64_t h = kind_hash(bytes, home, p->ncoordinates);

	h = hash64(h, p->at, data_place_values(p->ncoordinates) * sizeof(*p->at));
	return hash64(h, &p->array, sizeof(p->array));
}

uint64_t data_numbered_hash(uint64_t bytes, int32_t home)
{
	return kind_hash(bytes, home, 0);
}

static uint32_t count_up(struct idmap *counts, uint64_t key)
{
	uint32_t n = idmap_get(counts, key);

	n = n == IDMAP_NONE ? 0 : n;
	idmap_put(counts, key, n + 1);
	return n;
}

/* The side of a square of so many data, or 0. */
static uint32_t side_of_square(uint32_t count)
{
	uint32_t side = (uint32_t)lround(sqrt((double)count));

	return side >= LEAST_SIDE && (uint64_t)side * side == count ? side : 0;
}

/* How many are in the first so many rows of a triangle that begins with its tip. */
static uint64_t in_rows(uint64_t rows)
{
	return rows * (rows + 1) / 2;
}

/* How many rows of such a triangle are whole with so many data. */
static uint32_t rows_of(uint32_t count)
{
	uint32_t rows = (uint32_t)floor((sqrt(8 * (double)count + 1) - 1) / 2);

	while (in_rows(rows) > count)
		rows--;
	while (in_rows(rows + 1) <= count)
		rows++;
	return rows;
}

static uint32_t side_of_triangle(uint32_t count)
{
	uint32_t side = rows_of(count);

	return side >= LEAST_SIDE && in_rows(side) == count ? side : 0;
}

static uint32_t coordinates_of(const struct trace_handle *h)
{
	return h->ncoordinates > 0 && h->ncoordinates <= DATA_MOST_COORDINATES ? (uint32_t)h->ncoordinates : 0;
}

/* Data without coordinates, by data_numbered_hash(). */
static void count_numbered(const struct run *run, struct idmap *counts)
{
	const struct dag *d = run->dag;

	for (uint32_t i = 0; i < d->nhandles; i++)
		if (!coordinates_of(&run->trace->handles[i]))
			count_up(counts, data_numbered_hash(d->handle_bytes[i], d->handle_home[i]));
}

static uint32_t largest_side(const struct idmap *counts)
{
	uint32_t most = 0;

	for (size_t i = 0; i < counts->size; i++) {
		uint32_t side = counts->slots[i].value ? side_of_square(counts->slots[i].value - 1) : 0;

		most = side > most ? side : most;
	}
	return most;
}

/* Whether the data of a kind are, in each run, those of `n` squares. */
static int are_squares(const struct idmap *counts, size_t nruns, uint64_t kind, uint32_t n)
{
	for (size_t r = 0; r < nruns; r++) {
		uint32_t count = idmap_get(&counts[r], kind);

		if (count == IDMAP_NONE || count % n || !side_of_square(count / n))
			return 0;
	}
	return 1;
}

/* As many more in the last run as its size is larger: a line, also if it could be several squares. */
static int grow_with_size(const struct idmap *counts, const int64_t *sizes, size_t nruns, uint64_t kind)
{
	double first = idmap_get(&counts[0], kind), last = idmap_get(&counts[nruns - 1], kind);

	return first == last || first * (double)sizes[nruns - 1] == last * (double)sizes[0];
}

/* With one run alone several squares are not known from a line. */
static void find_several(struct data_arrays *a, const struct idmap *counts, const int64_t *sizes, size_t nruns)
{
	for (size_t i = 0; nruns > 1 && i < counts[0].size; i++) {
		const struct idmap_slot *x = &counts[0].slots[i];

		if (!x->value || grow_with_size(counts, sizes, nruns, x->key))
			continue;
		for (uint32_t n = 1; n <= MOST_SQUARES; n++) {
			if (!are_squares(counts, nruns, x->key, n))
				continue;
			if (n > 1)
				idmap_put(&a->several, x->key, n);
			break;
		}
	}
}

void data_arrays_init(struct data_arrays *a, const struct run *const *runs, const int64_t *sizes, size_t nruns)
{
	struct idmap *all = ht_alloc(nruns, sizeof(*all));

	*a = (struct data_arrays){.nruns = (uint32_t)nruns};
	for (size_t r = 0; r < nruns; r++) {
		struct idmap *counts = &all[r];
		uint32_t side;

		count_numbered(runs[r], counts);
		side = largest_side(counts);
		for (size_t i = 0; i < counts->size; i++) {
			const struct idmap_slot *x = &counts->slots[i];

			if (x->value && side_of_square(x->value - 1))
				count_up(&a->squares, x->key);
			if (x->value && side && side_of_square(x->value - 1) == side)
				count_up(&a->largest, x->key);
			if (x->value && side_of_triangle(x->value - 1))
				count_up(&a->triangles, x->key);
		}
		a->are_numbered |= counts->count > 0;
	}
	find_several(a, all, sizes, nruns);
	for (size_t r = 0; r < nruns; r++)
		idmap_fini(&all[r]);
	free(all);
}

void data_arrays_fini(struct data_arrays *a)
{
	idmap_fini(&a->squares);
	idmap_fini(&a->largest);
	idmap_fini(&a->triangles);
	idmap_fini(&a->several);
}

static int is_in_each(const struct data_arrays *a, const struct idmap *runs, uint64_t kind)
{
	return idmap_get(runs, kind) == a->nruns;
}

static void set_place(struct data_place *p, uint32_t row, uint32_t column)
{
	p->ncoordinates = 2;
	p->array = UINT32_MAX; /* none whose coordinates were given */
	p->at[0] = (int32_t)row;
	p->at[1] = (int32_t)column;
}

/* Of `count` data in a triangle the one with a number, by row and column of the matrix that it is a half of. */
static void place_in_triangle(struct data_place *p, uint32_t number, uint32_t count, int rises)
{
	uint32_t side = side_of_triangle(count), row;

	if (!rises)
		number = count - 1 - number;
	row = rows_of(number);
	number -= (uint32_t)in_rows(row);
	if (rises)
		set_place(p, row, number);
	else
		set_place(p, side - 1 - row, side - 1 - number);
}

/* The datum has its number in its array. */
static void find_place(const struct data_arrays *a, enum data_shape shape, uint64_t kind, uint32_t count,
                       struct data_place *p)
{
	int rises = shape == DATA_RISING || shape == DATA_LARGEST_RISING;
	int falls = shape == DATA_FALLING || shape == DATA_LARGEST_FALLING;
	const struct idmap *squares = shape == DATA_SQUARES || shape == DATA_RISING || shape == DATA_FALLING ?
	                                      &a->squares :
	                                      &a->largest;
	uint32_t number = (uint32_t)p->at[0], side, n;

	if (shape == DATA_LINES)
		return;
	if ((rises || falls) && is_in_each(a, &a->triangles, kind)) {
		place_in_triangle(p, number, count, rises);
	} else if (is_in_each(a, squares, kind)) {
		side = side_of_square(count);
		set_place(p, number / side, number % side);
	} else if (squares == &a->squares && (n = idmap_get(&a->several, kind)) != IDMAP_NONE) {
		side = side_of_square(count / n);
		set_place(p, number / side % side, number % side);
		p->array -= number / side / side;
	}
}

struct data_place *data_places(const struct data_arrays *a, const struct run *run, enum data_shape shape)
{
	const struct dag *d = run->dag;
	struct data_place *data = ht_alloc(d->nhandles, sizeof(*data));
	struct idmap before = {0}, counts = {0};

	count_numbered(run, &counts);
	for (uint32_t i = 0; i < d->nhandles; i++) {
		struct data_place *p = &data[i];
		uint64_t kind = data_numbered_hash(d->handle_bytes[i], d->handle_home[i]);

		p->ncoordinates = coordinates_of(&run->trace->handles[i]);
		memcpy(p->at, run->trace->handles[i].coordinates, p->ncoordinates * sizeof(*p->at));
		if (p->ncoordinates) {
			p->array = count_up(&before, data_place_hash(p, d->handle_bytes[i], d->handle_home[i]));
			continue;
		}
		p->at[0] = (int32_t)count_up(&before, kind);
		find_place(a, shape, kind, idmap_get(&counts, kind), p);
	}
	idmap_fini(&before);
	idmap_fini(&counts);
	return data;
}

static uint32_t array_of(const struct dag *d, const struct data_place *p, uint32_t handle, struct idmap *arrays)
{
	uint64_t hash = kind_hash(d->handle_bytes[handle], d->handle_home[handle], p->ncoordinates);
	uint32_t array;

	hash = hash64(hash, &p->array, sizeof(p->array));
	array = idmap_get(arrays, hash);
	if (array == IDMAP_NONE)
		idmap_put(arrays, hash, array = (uint32_t)arrays->count);
	return array;
}

/* Of coordinates that are further apart than 2^31, which are no tiles, and of data that is not used, anything. */
static int32_t from_first(int32_t at, int32_t first)
{
	return (int32_t)((uint32_t)at - (uint32_t)first);
}

void data_places_from(struct data_place *data, const struct dag *d, uint32_t first)
{
	uint32_t *array = ht_alloc(d->nhandles, sizeof(*array));
	int32_t(*least)[DATA_MOST_COORDINATES] = ht_alloc(d->nhandles, sizeof(*least)); /* of each array */
	struct idmap arrays = {0};

	memset(least, 0x7f, d->nhandles * sizeof(*least)); /* further than any */
	for (uint32_t i = 0; i < d->nhandles; i++)
		array[i] = array_of(d, &data[i], i, &arrays);
	for (uint32_t t = first; t < d->ntasks; t++)
		for (uint32_t i = 0; i < d->tasks[t].naccesses; i++) {
			uint32_t handle = d->accesses[d->tasks[t].first_access + i].handle;
			int32_t *from = least[array[handle]];

			for (uint32_t k = 0; k < data_place_values(data[handle].ncoordinates); k++)
				from[k] = data[handle].at[k] < from[k] ? data[handle].at[k] : from[k];
		}
	for (uint32_t i = 0; i < d->nhandles; i++)
		for (uint32_t k = 0; k < data_place_values(data[i].ncoordinates); k++)
			data[i].at[k] = from_first(data[i].at[k], least[array[i]][k]);
	idmap_fini(&arrays);
	free(least);
	free(array);
}
