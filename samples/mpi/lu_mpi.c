/* samples/mpi/lu_mpi.c - LU factorisation without pivoting by tiles, on several ranks, with StarPU-MPI. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels are those of samples/lu. Over SimGrid tiles of 960 take what StarPU's own models of its LU say. */
#include "samples/mpi/factorise.h"

#include "samples/lu/kernels.h"

#define KERNEL_NUMBER(name, n) KERNEL_##name,
enum { KERNELS(KERNEL_NUMBER) NKERNELS };

static struct starpu_codelet codelets[] = {
	[KERNEL_getrf] = {.name = "getrf", .nbuffers = 1, .modes = {STARPU_RW}, .color = 0xffff00},
	[KERNEL_trsm_l] = {.name = "trsm_l", .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .color = 0x8080ff},
	[KERNEL_trsm_u] = {.name = "trsm_u", .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .color = 0x80ffff},
	[KERNEL_gemm] = {.name = "gemm", .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}, .color = 0x00c000},
};

#ifdef STARPU_SIMGRID
static const char *const symbols[] = {"starpu_slu_lu_model_getrf", "starpu_slu_lu_model_trsm_ll",
                                      "starpu_slu_lu_model_trsm_ru", "starpu_slu_lu_model_gemm"};
#else
static const char *const symbols[] = {"lu_mpi_getrf", "lu_mpi_trsm_l", "lu_mpi_trsm_u", "lu_mpi_gemm"};
#endif

/* The distance to the end, in steps. */
static int priority(int k, int i, int j)
{
	return 3 * tiles - k - i - j;
}

static long submit(void)
{
	int refused = 0;
	long tasks = 0;

	for (int k = 0; k < tiles; k++) {
		starpu_iteration_push((unsigned long)k);
		refused |= INSERT(&codelets[KERNEL_getrf], priority(k, k, k), STARPU_RW, tile_at(k, k));
		for (int i = k + 1; i < tiles; i++) {
			refused |= INSERT(&codelets[KERNEL_trsm_l], priority(k, k, i), STARPU_R, tile_at(k, k),
			                  STARPU_RW, tile_at(k, i));
			refused |= INSERT(&codelets[KERNEL_trsm_u], priority(k, i, k), STARPU_R, tile_at(k, k),
			                  STARPU_RW, tile_at(i, k));
		}
		for (int j = k + 1; j < tiles; j++)
			for (int i = k + 1; i < tiles; i++)
				refused |= INSERT(&codelets[KERNEL_gemm], priority(k, i, j), STARPU_R, tile_at(i, k),
				                  STARPU_R, tile_at(k, j), STARPU_RW, tile_at(i, j));
		starpu_iteration_pop();
		tasks += 1 + 2 * (tiles - 1 - k) + (long)(tiles - 1 - k) * (tiles - 1 - k);
	}
	return refused ? -1 : tasks;
}

/* U is the diagonal and what is above it; L what is below, with ones on its diagonal. */
static void multiply(int upper, int i, int j, double v, const double *x, double *y)
{
	if (upper ? i <= j : i > j)
		y[i] += v * x[j];
	else if (i == j)
		y[i] += x[j];
}

int main(int argc, char **argv)
{
	return factorise(argc, argv,
	                 &(struct factorisation){.name = "lu_mpi",
	                                         .ncodelets = sizeof(codelets) / sizeof(*codelets),
	                                         .codelets = codelets,
	                                         .symbols = symbols,
	                                         .flop = 2.0 / 3,
	                                         .submit = submit,
	                                         .multiply = multiply});
}
