/* generate/graph_heat.c - LU factorisation of the banded block matrix of a problem on a plane. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/graph.h"
#include "generate/lu.h"

enum { KNOB_TILES, KNOB_BANDWIDTH, KNOB_TILE_SIZE };

static const struct graph_knob knobs[] = {
	{"tiles", 100, 1, 1e6},
	{"bandwidth", 6, 0, 400},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

/*
 * Nodes of an m x m grid, numbered row by row, couple with those at most m + 1 away: the matrix is a band. Its blocks
 * are factorised as in StarPU's examples/heat (dw_factolu.c), whose codelets give the types their names.
 */
static int make(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	static const char *const names[4] = {"u11", "u12", "u21", "u22"};

	return lu_make(g, names, in->knob[KNOB_TILES], in->knob[KNOB_BANDWIDTH], in->knob[KNOB_TILE_SIZE], err);
}

const struct graph_kind graph_heat = {"heat", "LU factorisation of a banded block matrix", knobs, 0, make};
