/* samples/cg/cg.c - conjugate gradients on a matrix in blocks, with dot products as reductions, with StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/app.h"
#include "samples/cg/kernels.h"

enum { APP_KERNELS(KERNELS) };

static int64_t blocks = 4, block = 128, iterations = 12;

/* x: the solution; r: the residual; p: the direction; q: A p */
enum vector { X, R, P, Q, VECTORS };
enum number { RHO, SIGMA, ALPHA, RHO_NEXT, BETA, NUMBERS };

static REAL **solution;
static starpu_data_handle_t *a, *vectors[VECTORS], number[NUMBERS];

/* Over SimGrid StarPU 1.4.10 never ends a reduction: there the sums are written in any order. */
#ifdef STARPU_SIMGRID
#define SUM_MODE (STARPU_RW | STARPU_COMMUTE)
#else
#define SUM_MODE STARPU_REDUX
#endif

static struct app_codelet codelets[] = {
	[KERNEL_gemv] = {"gemv", {STARPU_R, STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0x00c000},
	[KERNEL_inner] = {"inner", {STARPU_R, STARPU_R, SUM_MODE}, 0xffff00},
	[KERNEL_axpy] = {"axpy", {STARPU_R, STARPU_R, STARPU_RW}, 0x8080ff},
	[KERNEL_xpay] = {"xpay", {STARPU_R, STARPU_R, STARPU_RW}, 0x80ffff},
	[KERNEL_ratio] = {"ratio", {STARPU_R, STARPU_R, STARPU_W}, 0xff8080},
	[KERNEL_clear] = {"clear", {STARPU_W}, 0xc0c0c0},
	[KERNEL_zero] = {"zero", {STARPU_W}, 0xa0a0a0},
	[KERNEL_add] = {"add", {STARPU_RW | STARPU_COMMUTE, STARPU_R}, 0xff00ff},
};

/* Off the diagonal uniform in [-1/2, 1/2), whose spectrum is within sqrt(n / 3) of 0: a condition of 3.7. */
static REAL entry(int64_t i, int64_t j)
{
	return i == j ? sqrtf((REAL)(blocks * block)) : i < j ? app_random(i, j) : app_random(j, i);
}

static REAL right_side(int64_t i)
{
	return app_random(i, blocks * block);
}

static void prepare(void)
{
	free(a);
	free(solution);
	a = calloc((size_t)(blocks * blocks), sizeof(*a));
	solution = calloc((size_t)blocks, sizeof(*solution));
	for (int v = 0; v < VECTORS; v++) {
		free(vectors[v]);
		vectors[v] = calloc((size_t)blocks, sizeof(*vectors[v]));
		if (!vectors[v] || !a || !solution) {
			app_fail("out of memory");
			return;
		}
	}
	for (int64_t j = 0; j < blocks; j++) {
		for (int64_t i = 0; i < blocks; i++) {
			REAL *x = app_alloc(block, block);

			for (int64_t r = 0; x && r < block; r++)
				for (int64_t c = 0; c < block; c++)
					x[c + r * block] = entry(i * block + r, j * block + c);
			a[i + j * blocks] = app_register(x, block, block);
		}
		for (int v = 0; v < VECTORS; v++) {
			REAL *x = app_alloc(block, 1);

			for (int64_t r = 0; x && (v == R || v == P) && r < block; r++)
				x[r] = right_side(j * block + r);
			vectors[v][j] = app_register(x, block, 1);
			if (v == X)
				solution[j] = x;
		}
	}
	for (int k = 0; k < NUMBERS; k++) {
		number[k] = app_register(app_alloc(1, 1), 1, 1);
		starpu_data_set_reduction_methods(number[k], &codelets[KERNEL_add].cl, &codelets[KERNEL_zero].cl);
	}
}

static void submit_dot(enum number sum, enum vector x, enum vector y)
{
	struct scalars s = {.groups = 1, .i = {(int)block}};

	app_submit(KERNEL_clear, 1, (struct scalars){.groups = 1, .i = {1}}, 0, number[sum]);
	for (int64_t i = 0; i < blocks; i++)
		app_submit(KERNEL_inner, 1, s, 2 * (double)block, vectors[x][i], vectors[y][i], number[sum]);
}

/* y += sign * factor * x, or, by xpay, y = x + factor * y */
static void submit_sum(int kernel, REAL sign, enum number factor, enum vector x, enum vector y)
{
	struct scalars s = {.groups = 1, .i = {(int)block}, .x = {sign}};

	for (int64_t i = 0; i < blocks; i++)
		app_submit(kernel, 0, s, 2 * (double)block, number[factor], vectors[x][i], vectors[y][i]);
}

static void submit_ratio(enum number above, enum number below, enum number out)
{
	app_submit(KERNEL_ratio, 2, (struct scalars){.groups = 1}, 1, number[above], number[below], number[out]);
}

static void submit_product(void)
{
	struct scalars s = {.groups = (int)((block + GROUP_ITEMS - 1) / GROUP_ITEMS), .i = {(int)block}}, all = s;

	all.columns = (int)block;
	for (int64_t i = 0; i < blocks; i++) {
		app_submit(KERNEL_clear, 0, s, 0, vectors[Q][i]);
		for (int64_t j = 0; j < blocks; j++)
			app_submit(KERNEL_gemv, 0, all, 2 * (double)(block * block), a[i + j * blocks], vectors[P][j],
			           vectors[Q][i]);
	}
}

static void submit(void)
{
	enum number rho = RHO, next = RHO_NEXT;

	submit_dot(rho, R, R);
	for (int64_t k = 0; k < iterations; k++) {
		enum number swap = rho;

		starpu_iteration_push((unsigned long)k);
		submit_product();
		submit_dot(SIGMA, P, Q);
		submit_ratio(rho, SIGMA, ALPHA);
		submit_sum(KERNEL_axpy, 1, ALPHA, P, X);
		submit_sum(KERNEL_axpy, -1, ALPHA, Q, R);
		submit_dot(next, R, R);
		submit_ratio(next, rho, BETA);
		submit_sum(KERNEL_xpay, 1, BETA, R, P);
		rho = next;
		next = swap;
		starpu_iteration_pop();
	}
}

static void finish(void)
{
	for (int64_t i = 0; i < blocks * blocks; i++)
		starpu_data_unregister(a[i]);
	for (int64_t i = 0; i < blocks * VECTORS; i++)
		starpu_data_unregister(vectors[i / blocks][i % blocks]);
	for (int k = 0; k < NUMBERS; k++)
		starpu_data_unregister(number[k]);
}

/*
 * ||b - A x|| / ||b||: what single precision leaves, or what iterations do, which at a condition of 3.7 make the error
 * smaller by (sqrt(3.7) - 1) / (sqrt(3.7) + 1) each.
 */
static double check(double *limit)
{
	int64_t n = blocks * block;
	double off = 0, all = 0;

	for (int64_t i = 0; i < n; i++) {
		double b = (double)right_side(i), rest = b;

		for (int64_t j = 0; j < n; j++)
			rest -= (double)entry(i, j) * (double)solution[j / block][j % block];
		off += rest * rest;
		all += b * b;
	}
	*limit = fmax(16 * 0x1p-24 * sqrt((double)n), 4 * pow(0.32, (double)iterations));
	return sqrt(off / all);
}

static const struct app_option options[] = {
	{"blocks", &blocks, 1, 1024, "blocks of the matrix, per side"},
	{"block", &block, 1, 16384, "rows of a block"},
	{"iterations", &iterations, 1, 100000, "iterations"},
	{NULL, NULL, 0, 0, NULL},
};

int main(int argc, char **argv)
{
	static const struct app cg = {
		.name = "cg",
		.summary = "Solves a dense symmetric system by conjugate gradients, in blocks, with StarPU.",
		.options = options,
		.codelets = codelets,
		.prepare = prepare,
		.submit = submit,
		.check = check,
		.finish = finish,
	};

	return app_main(&cg, argc, argv);
}
