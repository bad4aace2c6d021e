/* generate/lu.c - the block LU factorisation that several kinds are cases of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/lu.h"

#include "core/trace/trace.h"
#include "generate/dense.h"
#include "generate/graph.h"

struct lu {
	struct graph *g;
	uint32_t a, width, bandwidth; /* tile (i, j) is a + i * width + (j + bandwidth - i): the band alone is stored */
	uint32_t types[4];
};

static uint32_t tile(const struct lu *l, uint32_t i, uint32_t j)
{
	return l->a + i * l->width + (j + l->bandwidth - i);
}

static void step(const struct lu *l, uint32_t k, uint32_t end)
{
	graph_task(l->g, l->types[0]);
	graph_use(l->g, tile(l, k, k), ACCESS_R | ACCESS_W);
	for (uint32_t j = k + 1; j < end; j++) {
		graph_task(l->g, l->types[1]);
		graph_use(l->g, tile(l, k, k), ACCESS_R);
		graph_use(l->g, tile(l, k, j), ACCESS_R | ACCESS_W);
	}
	for (uint32_t i = k + 1; i < end; i++) {
		graph_task(l->g, l->types[2]);
		graph_use(l->g, tile(l, k, k), ACCESS_R);
		graph_use(l->g, tile(l, i, k), ACCESS_R | ACCESS_W);
	}
	for (uint32_t i = k + 1; i < end; i++)
		for (uint32_t j = k + 1; j < end; j++) {
			graph_task(l->g, l->types[3]);
			graph_use(l->g, tile(l, i, k), ACCESS_R);
			graph_use(l->g, tile(l, k, j), ACCESS_R);
			graph_use(l->g, tile(l, i, j), ACCESS_R | ACCESS_W);
		}
}

int lu_make(struct graph *g, const char *const names[4], double n, double bandwidth, double tile_size,
            struct ht_err *err)
{
	struct lu l = {.g = g, .bandwidth = (uint32_t)(bandwidth < n ? bandwidth : n - 1)};
	uint32_t count = (uint32_t)n;
	double ntasks = 0;

	for (uint32_t k = 0; k < count; k++) {
		double m = count - 1 - k < l.bandwidth ? count - 1 - k : l.bandwidth;

		ntasks += (m + 1) * (m + 1);
	}
	if (graph_fits(ntasks, 3 * ntasks, err) != 0)
		return -1;
	l.types[0] = dense_type(g, names[0], tile_size, DENSE_GETRF);
	l.types[1] = dense_type(g, names[1], tile_size, DENSE_TRSM);
	l.types[2] = dense_type(g, names[2], tile_size, DENSE_TRSM);
	l.types[3] = dense_type(g, names[3], tile_size, DENSE_GEMM);
	l.width = 2 * l.bandwidth + 1;
	l.a = dense_tiles(g, n, l.width, tile_size);
	for (uint32_t k = 0; k < count; k++)
		step(&l, k, count - 1 - k < l.bandwidth ? count : k + l.bandwidth + 1);
	return 0;
}
