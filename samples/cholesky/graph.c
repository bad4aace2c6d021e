/* samples/cholesky/graph.c - the tasks of one factorisation: registered, submitted, waited for and timed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cholesky.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct graph {
	const struct matrix *a;
	struct codelets *codelets;
	struct devices *devices;
	starpu_data_handle_t *handles; /* of the lower tiles */
	bool priorities;
	bool unbounded; /* the scheduler takes any priority */
};

int64_t graph_tasks(int64_t tiles)
{
	return tiles * (tiles + 1) * (tiles + 2) / 6;
}

/* Golub and Van Loan: n^3/3 + n^2/2 + n/6 operations, the square roots counted as one. */
double graph_flops(int64_t size)
{
	double n = (double)size;
	return n * n * n / 3 + n * n / 2 + n / 6;
}

static double kernel_flops(enum kernel kernel, double b)
{
	switch (kernel) {
	case KERNEL_POTRF: return b * b * b / 3 + b * b / 2 + b / 6;
	case KERNEL_TRSM: return b * b * b;
	case KERNEL_SYRK: return b * b * (b + 1);
	default: return 2 * b * b * b;
	}
}

static starpu_data_handle_t handle(const struct graph *g, int64_t i, int64_t j)
{
	return g->handles[i * (i + 1) / 2 + j];
}

static int64_t handle_count(const struct graph *g)
{
	return g->a->tiles * (g->a->tiles + 1) / 2;
}

/* The distance to the end of the critical path, in steps, as in StarPU's own example; a scheduler with few levels is
   given only what lies on the path. A task of step k writes tile (i, j), i >= j >= k. */
static int priority(const struct graph *g, enum kernel kernel, int64_t k, int64_t i, int64_t j)
{
	int64_t end = 2 * (g->a->tiles - k);

	if (!g->priorities)
		return STARPU_DEFAULT_PRIO;
	if (!g->unbounded)
		return i <= k + 1 ? STARPU_MAX_PRIO : STARPU_DEFAULT_PRIO;
	switch (kernel) {
	case KERNEL_POTRF: return (int)end;
	case KERNEL_GEMM: return (int)(end - i - j);
	default: return (int)(end - i);
	}
}

/* The tiles that are read come first, so that the footprints are those of StarPU's own Cholesky example. */
static int submit(const struct graph *g, enum kernel kernel, int64_t k, int64_t i, int64_t j)
{
	struct starpu_task *task = starpu_task_create();
	int ret;

	task->cl = &g->codelets->cl[kernel];
	task->name = task->cl->name;
	task->cl_arg = g->devices;
	task->cl_arg_size = sizeof(*g->devices);
	task->priority = priority(g, kernel, k, i, j);
	task->flops = kernel_flops(kernel, (double)g->a->tile);
	if (kernel == KERNEL_TRSM) {
		task->handles[0] = handle(g, k, k);
	} else if (kernel == KERNEL_SYRK) {
		task->handles[0] = handle(g, i, k);
	} else if (kernel == KERNEL_GEMM) {
		task->handles[0] = handle(g, i, k);
		task->handles[1] = handle(g, j, k);
	}
	task->handles[task->cl->nbuffers - 1] = handle(g, i, j);
	ret = starpu_task_submit(task);
	if (!ret)
		return 0;
	task->destroy = 0;
	starpu_task_destroy(task);
	fprintf(stderr, "cholesky: cannot submit a task: codelet=%s: %s\n", g->codelets->cl[kernel].name,
	        ret == -ENODEV ? "no worker can run it" : "StarPU refused it");
	return -1;
}

/* Right-looking, tile by tile. */
static int submit_step(const struct graph *g, int64_t k)
{
	int64_t tiles = g->a->tiles;

	if (submit(g, KERNEL_POTRF, k, k, k))
		return -1;
	for (int64_t i = k + 1; i < tiles; i++)
		if (submit(g, KERNEL_TRSM, k, i, k))
			return -1;
	starpu_data_wont_use(handle(g, k, k));
	for (int64_t j = k + 1; j < tiles; j++) {
		if (submit(g, KERNEL_SYRK, k, j, j))
			return -1;
		for (int64_t i = j + 1; i < tiles; i++)
			if (submit(g, KERNEL_GEMM, k, i, j))
				return -1;
		starpu_data_wont_use(handle(g, j, k));
	}
	return 0;
}

static void register_tiles(struct graph *g)
{
	uint32_t b = (uint32_t)g->a->tile;

	for (int64_t i = 0; i < g->a->tiles; i++) {
		for (int64_t j = 0; j <= i; j++) {
			starpu_data_handle_t *h = &g->handles[i * (i + 1) / 2 + j];
			starpu_matrix_data_register(h, STARPU_MAIN_RAM, (uintptr_t)matrix_tile(g->a, i, j), b, b, b,
			                            sizeof(float));
			starpu_data_set_coordinates(*h, 2, (int)i, (int)j);
		}
	}
}

double graph_run(const struct matrix *a, struct codelets *c, struct devices *d, const struct options *opt)
{
	struct graph g = {
		.a = a,
		.codelets = c,
		.devices = d,
		.priorities = !opt->no_priorities,
		.unbounded = STARPU_MAX_PRIO == INT_MAX && STARPU_MIN_PRIO == INT_MIN,
	};
	double start, end;
	int ret = 0;

	g.handles = calloc((size_t)handle_count(&g), sizeof(*g.handles));
	if (!g.handles) {
		fprintf(stderr, "cholesky: out of memory: handles=%lld\n", (long long)handle_count(&g));
		return -1;
	}
	register_tiles(&g);
	start = starpu_timing_now();
	for (int64_t k = 0; k < a->tiles && !ret; k++) {
		starpu_iteration_push((unsigned long)k);
		ret = submit_step(&g, k);
		starpu_iteration_pop();
	}
	starpu_task_wait_for_all();
	end = starpu_timing_now();
	for (int64_t i = 0; i < handle_count(&g); i++)
		starpu_data_unregister(g.handles[i]);
	free(g.handles);
	return ret ? -1 : end - start;
}
