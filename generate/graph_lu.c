/* generate/graph_lu.c - tile LU factorisation without pivoting: of a full matrix, and of a band. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
	graph_add(l->g, l->types[0], UPDATES(tile(l, k, k)));
	for (uint32_t j = k + 1; j < end; j++)
		graph_add(l->g, l->types[1], READS(tile(l, k, k)), UPDATES(tile(l, k, j)));
	for (uint32_t i = k + 1; i < end; i++)
		graph_add(l->g, l->types[2], READS(tile(l, k, k)), UPDATES(tile(l, i, k)));
	for (uint32_t i = k + 1; i < end; i++)
		for (uint32_t j = k + 1; j < end; j++)
			graph_add(l->g, l->types[3], READS(tile(l, i, k)), READS(tile(l, k, j)),
			          UPDATES(tile(l, i, j)));
}

/*
 * Without pivoting, of n x n tiles of which those with |i - j| <= bandwidth are not zero. names: the diagonal tile, the
 * tiles right of it, those below it, and the update. With m = min(bandwidth, n - 1 - k), step k is 1 + 2 m + m^2 tasks.
 */
static int factorise(struct graph *g, const char *const names[4], double n, double bandwidth, double tile_size,
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

enum { KNOB_TILES, KNOB_TILE_SIZE };

static const struct graph_knob lu_knobs[] = {
	{"tiles", 20, 1, 400},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

static int make_lu(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	static const char *const names[4] = {"getrf", "trsm_ll", "trsm_ru", "gemm"};
	double n = in->knob[KNOB_TILES];

	return factorise(g, names, n, n - 1, in->knob[KNOB_TILE_SIZE], err);
}

const struct graph_kind graph_lu = {"lu", "tile LU factorisation without pivoting", lu_knobs, 0, make_lu};

enum { KNOB_HEAT_TILES, KNOB_HEAT_BANDWIDTH, KNOB_HEAT_TILE_SIZE };

static const struct graph_knob heat_knobs[] = {
	{"tiles", 100, 1, 1e6},
	{"bandwidth", 6, 0, 400},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

/*
 * Nodes of an m x m grid, numbered row by row, couple with those at most m + 1 away: the matrix is a band. Its blocks
 * are factorised as in StarPU's examples/heat (dw_factolu.c), whose codelets give the types their names.
 */
static int make_heat(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	static const char *const names[4] = {"u11", "u12", "u21", "u22"};

	return factorise(g, names, in->knob[KNOB_HEAT_TILES], in->knob[KNOB_HEAT_BANDWIDTH],
	                 in->knob[KNOB_HEAT_TILE_SIZE], err);
}

const struct graph_kind graph_heat = {"heat", "LU factorisation of a banded block matrix", heat_knobs, 0, make_heat};
