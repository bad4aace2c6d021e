/* tests/lib/graphs.h - task graphs for tests: a tiled Cholesky factorisation, random layers, tasks with data. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_GRAPHS_H
#define TESTS_LIB_GRAPHS_H

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"
#include "tests/lib/dag_build.h"

enum { POTRF, TRSM, SYRK, GEMM };

/* The last writer and the readers since, per handle: StarPU's implicit dependencies. */
struct graph_maker {
	struct dag_builder *b;
	uint32_t *writer; /* task + 1; 0: none */
};

static inline void graph_access(struct graph_maker *k, uint32_t task, uint32_t handle, uint32_t mode)
{
	dag_builder_access(k->b, task, handle, mode);
	if (k->writer[handle])
		dag_builder_edge(k->b, k->writer[handle] - 1, task);
	if (mode & ACCESS_W)
		k->writer[handle] = task + 1;
}

/*
 * The lower Cholesky factorisation of n x n tiles: n(n+1)(n+2)/6 tasks. In it no tile is written again after it was
 * read, so reads after writes and writes after writes are all the dependencies. Costs in ns are about those of 960 x
 * 960 doubles.
 */
static inline struct dag *graph_cholesky(int n, int64_t scale)
{
	static const char *const names[] = {"potrf", "trsm", "syrk", "gemm"};
	static const int64_t cpu[] = {17000, 40000, 33000, 59000}, gpu[] = {-1, 7500, 5900, 10200};
	struct graph_maker k = {.b = dag_builder_create(), .writer = ht_alloc((size_t)n * (size_t)n, sizeof(uint32_t))};
	uint32_t t;

	for (int i = 0; i < 4; i++) {
		int64_t cost[ARCH_COUNT] = COSTS(cpu[i] * scale, gpu[i] < 0 ? -1 : gpu[i] * scale);

		dag_builder_type(k.b, names[i], cost);
	}
	for (int i = 0; i < n * n; i++)
		dag_builder_handle(k.b, 960 * 960 * 8);
	for (int j = 0; j < n; j++) {
		t = dag_builder_task(k.b, POTRF);
		graph_access(&k, t, (uint32_t)(j * n + j), ACCESS_R | ACCESS_W);
		for (int i = j + 1; i < n; i++) {
			t = dag_builder_task(k.b, TRSM);
			graph_access(&k, t, (uint32_t)(j * n + j), ACCESS_R);
			graph_access(&k, t, (uint32_t)(i * n + j), ACCESS_R | ACCESS_W);
		}
		for (int i = j + 1; i < n; i++) {
			t = dag_builder_task(k.b, SYRK);
			graph_access(&k, t, (uint32_t)(i * n + j), ACCESS_R);
			graph_access(&k, t, (uint32_t)(i * n + i), ACCESS_R | ACCESS_W);
			for (int l = j + 1; l < i; l++) {
				t = dag_builder_task(k.b, GEMM);
				graph_access(&k, t, (uint32_t)(i * n + j), ACCESS_R);
				graph_access(&k, t, (uint32_t)(l * n + j), ACCESS_R);
				graph_access(&k, t, (uint32_t)(i * n + l), ACCESS_R | ACCESS_W);
			}
		}
	}
	free(k.writer);
	return dag_builder_finish(k.b, NULL);
}

/* CUDA devices 0 and 1 with costs of their own, a pair for each class. */
static inline void graph_devices(struct dag *d, const int64_t (*costs)[2])
{
	d->ndevices = 2;
	d->devices = arena_alloc(d->arena, 2, sizeof(*d->devices));
	d->device_cost_ns = arena_alloc(d->arena, 2 * (size_t)d->nclasses, sizeof(*d->device_cost_ns));
	for (uint32_t i = 0; i < 2; i++) {
		d->devices[i] = (struct dag_device){ARCH_CUDA, (int)i};
		for (uint32_t c = 0; c < d->nclasses; c++)
			d->device_cost_ns[2 * c + i] = costs[c][i];
	}
}

static inline uint32_t graph_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

/* Layers of tasks of five types, each with up to three predecessors in the layer before; costs times `scale`. */
static inline struct dag *graph_layers(uint64_t seed, int nlayers, int width, int64_t scale)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t before = 0, nbefore = 0;

	for (int i = 0; i < 5; i++) {
		int64_t cost[ARCH_COUNT] = COSTS((10 + graph_random(&seed) % 90) * scale, -1);
		char name[8] = {'t', (char)('0' + i), 0};

		cost[ARCH_CUDA] = i == 4 ? -1 : (int64_t)(1 + graph_random(&seed) % 40) * scale;
		dag_builder_type(b, name, cost);
	}
	for (int l = 0; l < nlayers; l++) {
		uint32_t first = 0, n = 1 + graph_random(&seed) % (uint32_t)width;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t t = dag_builder_task(b, graph_random(&seed) % 5);

			first = i ? first : t;
			for (uint32_t e = nbefore ? graph_random(&seed) % 4 : 0; e > 0; e--)
				dag_builder_edge(b, before + graph_random(&seed) % nbefore, t);
		}
		before = first;
		nbefore = n;
	}
	return dag_builder_finish(b, NULL);
}

/*
 * Tasks that read up to three of 40 data of many sizes and write one, of which some were read before; StarPU's implicit
 * dependencies between writers and the tasks after them. The last type runs on CPUs only.
 */
static inline struct dag *graph_of_data(uint64_t seed, int64_t scale)
{
	enum { NHANDLES = 40, NTASKS = 300, NTYPES = 4 };
	struct graph_maker k = {.b = dag_builder_create(), .writer = ht_alloc(NHANDLES, sizeof(uint32_t))};

	for (int i = 0; i < NTYPES; i++) {
		int64_t cpu = (20 + graph_random(&seed) % 997) * scale, gpu = (1 + graph_random(&seed) % 97) * scale;
		int64_t cost[ARCH_COUNT] = {cpu, gpu, gpu + scale, -1, -1, -1, -1, -1};

		if (i == NTYPES - 1)
			cost[ARCH_CUDA] = cost[ARCH_OPENCL] = -1;
		dag_builder_type(k.b, (const char *[]){"t0", "t1", "t2", "t3"}[i], cost);
	}
	for (int i = 0; i < NHANDLES; i++)
		dag_builder_handle(k.b, (1 + graph_random(&seed) % 997) * (uint64_t)scale);
	for (int i = 0; i < NTASKS; i++) {
		uint32_t t = dag_builder_task(k.b, graph_random(&seed) % 16 * NTYPES / 16);
		uint32_t at = graph_random(&seed) % NHANDLES, n = graph_random(&seed) % 4;

		for (uint32_t r = 1; r <= n; r++)
			graph_access(&k, t, (at + r) % NHANDLES, ACCESS_R);
		graph_access(&k, t, at, i % 3 ? ACCESS_R | ACCESS_W : ACCESS_W);
	}
	free(k.writer);
	return dag_builder_finish(k.b, NULL);
}

/* All that a task accesses, at its largest. */
static inline int64_t graph_largest_task(const struct dag *d)
{
	uint64_t most = 0;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		uint64_t bytes = 0;

		for (uint32_t i = 0; i < d->tasks[t].naccesses; i++)
			bytes += d->handle_bytes[d->accesses[d->tasks[t].first_access + i].handle];
		most = bytes > most ? bytes : most;
	}
	return (int64_t)most;
}

#endif
