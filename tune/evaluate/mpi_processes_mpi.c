/* tune/evaluate/mpi_processes_mpi.c - the processes that mpirun has started. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <mpi.h>
#include <stdlib.h>

#include "tune/evaluate/mpi_processes.h"

enum { PART = 1 << 24 }; /* MPI counts in int */

static struct {
	int begun, rank, size;
} spread = {0, 0, 1};

/* What Open MPI's mpirun, and others that speak PMI or PMIx, leave in the environment. */
static int is_launched(void)
{
	static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (getenv(marks[i]))
			return 1;
	return 0;
}

void mpi_processes_begin(void)
{
	int initialised = 0;

	if (!is_launched() || spread.begun)
		return;
	MPI_Initialized(&initialised);
	if (!initialised && MPI_Init(NULL, NULL) != MPI_SUCCESS)
		return;
	MPI_Comm_rank(MPI_COMM_WORLD, &spread.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &spread.size);
	spread.begun = 1;
}

void mpi_processes_end(void)
{
	if (spread.begun)
		MPI_Finalize();
	spread.begun = 0;
}

int mpi_processes_rank(void)
{
	return spread.rank;
}

int mpi_processes_size(void)
{
	return spread.size;
}

void mpi_processes_max(int64_t *values, size_t n)
{
	for (size_t i = 0; spread.begun && i < n; i += PART)
		MPI_Allreduce(MPI_IN_PLACE, values + i, (int)(n - i < PART ? n - i : PART), MPI_INT64_T, MPI_MAX,
		              MPI_COMM_WORLD);
}

void mpi_processes_copy(void *data, size_t bytes)
{
	char *at = data;

	for (size_t i = 0; spread.begun && i < bytes; i += PART)
		MPI_Bcast(at + i, (int)(bytes - i < PART ? bytes - i : PART), MPI_BYTE, 0, MPI_COMM_WORLD);
}
