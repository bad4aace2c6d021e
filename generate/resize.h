/* generate/resize.h - a recorded task graph at another size. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_RESIZE_H
#define GENERATE_RESIZE_H

#include <stddef.h>
#include <stdint.h>

struct graph;
struct ht_err;
struct run;

enum { RESIZE_MOST_RUNS = 8 };

/*
 * The graph that an application would submit at `size`, from runs of it at one size or more, runs[i] at sizes[i],
 * ascending, as are the numbers of their tasks. Its submission has to be nested loops (generate/nest.h): each task an
 * item, whose key is its codelet, footprint and accesses, and whose values are its priority and the coordinates of its
 * data, those that the application gave them (starpu_data_set_coordinates()); else the number of the datum among those
 * of its size and home, or its row and column where these are a square or a triangle (generate/data_places.h): the
 * first of these that makes loops. Where the application waits for data, or for all tasks, that is an item too. The
 * first and the last run give the values as affine functions of the size, the others have to agree. Of one run the size
 * is how often its outer loop iterates, and the run without its first iteration, each array without the rows and
 * columns that only this one uses, stands for a run that is smaller by one. What a task takes is what it took in the
 * last run where that has it. NULL with the sentence: a run is not regular, or the values at `size` are not whole.
 * After graph_finish(); free with graph_free().
 */
struct graph *resize(const struct run *const *runs, const int64_t *sizes, size_t nruns, int64_t size,
                     struct ht_err *err);

#endif
