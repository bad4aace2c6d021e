/* tune/evaluate/mpi_processes_none.c - one process alone: without MPI. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/mpi_processes.h"

void mpi_processes_begin(void)
{
}

void mpi_processes_end(void)
{
}

int mpi_processes_rank(void)
{
	return 0;
}

int mpi_processes_size(void)
{
	return 1;
}

void mpi_processes_max(int64_t *values, size_t n)
{
	(void)values, (void)n;
}

void mpi_processes_copy(void *data, size_t bytes)
{
	(void)data, (void)bytes;
}
