/* generate/graph_lu.c - tile LU factorisation without pivoting of a full matrix. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/graph.h"
#include "generate/lu.h"

enum { KNOB_TILES, KNOB_TILE_SIZE };

static const struct graph_knob knobs[] = {
	{"tiles", 20, 1, 400},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

static int make(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	static const char *const names[4] = {"getrf", "trsm_ll", "trsm_ru", "gemm"};
	double n = in->knob[KNOB_TILES];

	return lu_make(g, names, n, n - 1, in->knob[KNOB_TILE_SIZE], err);
}

const struct graph_kind graph_lu = {"lu", "tile LU factorisation without pivoting", knobs, 0, make};
