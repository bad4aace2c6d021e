/* tune/evaluate/mpi_processes.h - the processes that share the trials of one tune: mpirun's, or this one alone. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_MPI_PROCESSES_H
#define TUNE_EVALUATE_MPI_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Every process makes the same search, replays its share of each batch, and hears of the others' results. Built from
 * mpi_processes_mpi.c where Open MPI is, else from mpi_processes_none.c. mpi_processes_begin() only touches MPI in a
 * process that mpirun has started; the calls between mpi_processes_begin() and mpi_processes_end() are made by all
 * processes in the same order.
 */
void mpi_processes_begin(void);
void mpi_processes_end(void);

int mpi_processes_rank(void); /* 0 writes and talks */
int mpi_processes_size(void);

/* Every value becomes the largest that some process has there. */
void mpi_processes_max(int64_t *values, size_t n);

/* The bytes of process 0, to all. */
void mpi_processes_copy(void *data, size_t bytes);

#endif
