/* samples/mpi/factorise.h - what factorisations by tiles on several ranks have in common. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SAMPLES_MPI_FACTORISE_H
#define SAMPLES_MPI_FACTORISE_H

#include <starpu_mpi.h>

#include "samples/common/kernels.h"

struct tile {
	REAL *values; /* b x b by columns; NULL: another rank's */
	starpu_data_handle_t data;
};

/*
 * A program: tiles belong to ranks block-cyclically in both directions, on a grid of ranks that is as square as it can
 * be, and a task runs on the rank of the tile that it writes. Over SimGrid, where nothing is computed, the memory of
 * all tiles is the same.
 */
struct factorisation {
	const char *name;
	int is_symmetric; /* only the tiles on the diagonal and below it */
	int ncodelets;
	struct starpu_codelet *codelets; /* as kernels_cpu; what they run on, and their models, are added */
	const char *const *symbols;      /* of their models */
	double flop;                     /* of n rows, in n^3 */
	long (*submit)(void);            /* all tasks: how many on all ranks; -1: StarPU has refused one */
	/* y += F x for what the entry v at (i, j) is in the second factor (upper 1), or in the first one. */
	void (*multiply)(int upper, int i, int j, double v, const double *x, double *y);
};

extern struct scalars scalars; /* of all tasks */
extern int tiles;              /* in one direction */

/* The datum of a tile, and no longer needed here by what was submitted: what was received of it is freed then. */
starpu_data_handle_t tile_at(int row, int column);
void tile_forget(int row, int column);

/* Inserts a task of the codelet. */
#define INSERT(codelet, priority, ...) \
	starpu_mpi_task_insert(MPI_COMM_WORLD, codelet, STARPU_PRIORITY, priority, STARPU_CL_ARGS_NFREE, &scalars, \
	                       sizeof(scalars), __VA_ARGS__, 0)

/* main() of the program. */
int factorise(int argc, char **argv, const struct factorisation *program);

#endif
