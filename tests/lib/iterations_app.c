/* tests/lib/iterations_app.c - a StarPU application that factorises again and again, in sizes of its own. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * usage: iterations_app [--no-barrier] TILES...
 *
 * For StarPU over SimGrid, where nothing is computed. Each argument is a Cholesky factorisation of so many tiles of 960
 * rows a side, of the same matrix: a smaller one is that of its leading part. After each it waits, or, without
 * barriers, for all at the end. A line for each: its tiles, and the ms from the end of the one before to its own.
 */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POTRF, TRSM, SYRK, GEMM, KERNELS, TILE = 960 };

static struct starpu_perfmodel models[KERNELS];
static struct starpu_codelet codelets[KERNELS];
static starpu_data_handle_t *tiles; /* of the lower triangle */

static starpu_data_handle_t tile(int i, int j)
{
	return tiles[i * (i + 1) / 2 + j];
}

/* The models are those of StarPU's own example. */
static void init_codelets(void)
{
	static const char *const names[] = {"potrf", "trsm", "syrk", "gemm"};
	static const char *const symbols[] = {"chol_model_potrf", "chol_model_trsm", "chol_model_syrk",
	                                      "chol_model_gemm"};
	static const int nbuffers[] = {1, 2, 2, 3};

	for (int k = 0; k < KERNELS; k++) {
		struct starpu_codelet *c = &codelets[k];

		models[k].type = STARPU_HISTORY_BASED;
		models[k].symbol = symbols[k];
		starpu_codelet_init(c);
		c->name = names[k];
		c->model = &models[k];
		c->cpu_funcs[0] = (starpu_cpu_func_t)(uintptr_t)1;
		c->cuda_funcs[0] = (starpu_cuda_func_t)(uintptr_t)1;
		c->cuda_flags[0] = STARPU_CUDA_ASYNC;
		c->nbuffers = nbuffers[k];
		for (int b = 0; b < c->nbuffers; b++)
			c->modes[b] = b == c->nbuffers - 1 ? STARPU_RW : STARPU_R;
	}
}

static void store_time(void *at)
{
	*(double *)at = starpu_timing_now();
}

/* The priority is the distance to the end in steps; `end` is set when the task has ended. */
static void submit(int kernel, int priority, starpu_data_handle_t a, starpu_data_handle_t b, starpu_data_handle_t c,
                   double *end)
{
	struct starpu_task *task = starpu_task_create();
	starpu_data_handle_t handles[] = {a, b, c};
	int n = 0;

	task->cl = &codelets[kernel];
	task->priority = priority;
	for (int h = 0; h < 3; h++)
		if (handles[h])
			task->handles[n++] = handles[h];
	if (end) {
		task->callback_func = store_time;
		task->callback_arg = end;
	}
	if (starpu_task_submit(task) != 0)
		exit(2);
}

/* `end`: when the last task has ended, whose ancestors all others are. */
static void factorise(int n, double *end)
{
	for (int k = 0; k < n; k++) {
		submit(POTRF, 2 * (n - k), NULL, NULL, tile(k, k), k == n - 1 ? end : NULL);
		for (int i = k + 1; i < n; i++)
			submit(TRSM, 2 * (n - k) - i, NULL, tile(k, k), tile(i, k), NULL);
		for (int j = k + 1; j < n; j++) {
			submit(SYRK, 2 * (n - k) - 2 * j, NULL, tile(j, k), tile(j, j), NULL);
			for (int i = j + 1; i < n; i++)
				submit(GEMM, 2 * (n - k) - i - j, tile(i, k), tile(j, k), tile(i, j), NULL);
		}
	}
}

int main(int argc, char **argv)
{
	int first = 1 + (argc > 1 && strcmp(argv[1], "--no-barrier") == 0), largest = 0, n;
	double *end = calloc((size_t)argc, sizeof(*end)), previous;

	for (int a = first; a < argc; a++)
		largest = atoi(argv[a]) > largest ? atoi(argv[a]) : largest;
	n = largest * (largest + 1) / 2;
	tiles = calloc((size_t)n, sizeof(starpu_data_handle_t));
	if (largest == 0 || !end || !tiles || starpu_init(NULL) != 0)
		return 2;
	init_codelets();
	for (int i = 0; i < n; i++)
		starpu_matrix_data_register(&tiles[i], STARPU_MAIN_RAM, 0, TILE, TILE, TILE, sizeof(float));
	previous = starpu_timing_now();
	for (int a = first; a < argc; a++) {
		factorise(atoi(argv[a]), &end[a]);
		if (first == 1)
			starpu_task_wait_for_all();
	}
	starpu_task_wait_for_all();
	for (int a = first; a < argc; a++) {
		printf("%s %.3f\n", argv[a], (end[a] - previous) / 1e3);
		previous = end[a];
	}
	for (int i = 0; i < n; i++)
		starpu_data_unregister(tiles[i]);
	starpu_shutdown();
	free(tiles);
	free(end);
	return 0;
}
