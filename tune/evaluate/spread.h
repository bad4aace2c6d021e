/* tune/evaluate/spread.h - the processes that share the trials of one tune: mpirun's, or this one alone. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_SPREAD_H
#define TUNE_EVALUATE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Every process makes the same search, replays its share of each batch, and hears of the others' results. Built from
 * spread_mpi.c where Open MPI is, else from spread_none.c. spread_begin() only touches MPI in a process that mpirun
 * has started; the calls between spread_begin() and spread_end() are made by all processes in the same order.
 */
void spread_begin(void);
void spread_end(void);

int spread_rank(void); /* 0 writes and talks */
int spread_size(void);

/* Every value becomes the largest that some process has there. */
void spread_max(int64_t *values, size_t n);

/* The bytes of process 0, to all. */
void spread_copy(void *data, size_t bytes);

#endif
