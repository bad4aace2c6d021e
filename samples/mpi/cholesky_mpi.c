/* samples/mpi/cholesky_mpi.c - Cholesky factorisation by tiles, on several ranks, with StarPU-MPI. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a rank has received is freed as soon as all is submitted that reads it, as StarPU's own mpi_cholesky does it;
 * updates of a tile commute. Over SimGrid tiles of 960 take what StarPU's own models of its Cholesky say.
 */
#include "samples/mpi/factorise.h"

#include "samples/mpi/cholesky_kernels.h"

#define KERNEL_NUMBER(name, n) KERNEL_##name,
enum { KERNELS(KERNEL_NUMBER) NKERNELS };

static struct starpu_codelet codelets[NKERNELS] = {
	[KERNEL_potrf] = {.name = "potrf", .nbuffers = 1, .modes = {STARPU_RW}, .color = 0xffff00},
	[KERNEL_trsm] = {.name = "trsm", .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .color = 0x8080ff},
	[KERNEL_syrk] = {.name = "syrk",
                         .nbuffers = 2,
                         .modes = {STARPU_R, STARPU_RW | STARPU_COMMUTE},
                         .color = 0x00ff00},
	[KERNEL_gemm] = {.name = "gemm",
                         .nbuffers = 3,
                         .modes = {STARPU_R, STARPU_R, STARPU_RW | STARPU_COMMUTE},
                         .color = 0x00c000},
};

#ifdef STARPU_SIMGRID
static const char *const symbols[NKERNELS] = {"chol_model_potrf", "chol_model_trsm", "chol_model_syrk",
                                              "chol_model_gemm"};
#else
static const char *const symbols[NKERNELS] = {"cholesky_mpi_potrf", "cholesky_mpi_trsm", "cholesky_mpi_syrk",
                                              "cholesky_mpi_gemm"};
#endif

/* The distance to the end, in steps. */
static int priority(int k, int i, int j)
{
	return 3 * tiles - k - i - j;
}

/* The updates with column k. */
static int update(int k)
{
	int refused = 0;

	for (int j = k + 1; j < tiles; j++) {
		refused |= INSERT(&codelets[KERNEL_syrk], priority(k, j, j), STARPU_R, tile_at(j, k),
		                  STARPU_RW | STARPU_COMMUTE, tile_at(j, j));
		for (int i = j + 1; i < tiles; i++)
			refused |= INSERT(&codelets[KERNEL_gemm], priority(k, i, j), STARPU_R, tile_at(i, k), STARPU_R,
			                  tile_at(j, k), STARPU_RW | STARPU_COMMUTE, tile_at(i, j));
		tile_forget(j, k);
	}
	return refused;
}

static long submit(void)
{
	int refused = 0;
	long tasks = 0;

	for (int k = 0; k < tiles; k++) {
		starpu_iteration_push((unsigned long)k);
		refused |= INSERT(&codelets[KERNEL_potrf], priority(k, k, k), STARPU_RW, tile_at(k, k));
		for (int i = k + 1; i < tiles; i++)
			refused |= INSERT(&codelets[KERNEL_trsm], priority(k, i, k), STARPU_R, tile_at(k, k), STARPU_RW,
			                  tile_at(i, k));
		tile_forget(k, k);
		refused |= update(k);
		starpu_iteration_pop();
		tasks += 1 + 2 * (tiles - 1 - k) + (long)(tiles - 1 - k) * (tiles - 2 - k) / 2;
	}
	return refused ? -1 : tasks;
}

/* L is the diagonal and what is below it, and the second factor is L^T. */
static void multiply(int upper, int i, int j, double v, const double *x, double *y)
{
	if (i >= j)
		y[upper ? j : i] += v * x[upper ? i : j];
}

int main(int argc, char **argv)
{
	return factorise(argc, argv,
	                 &(struct factorisation){.name = "cholesky_mpi",
	                                         .is_symmetric = 1,
	                                         .ncodelets = NKERNELS,
	                                         .codelets = codelets,
	                                         .symbols = symbols,
	                                         .flop = 1.0 / 3,
	                                         .submit = submit,
	                                         .multiply = multiply});
}
