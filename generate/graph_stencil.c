/* generate/graph_stencil.c - a 5-point stencil on a plane of tiles, iterated. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/trace.h"
#include "generate/graph.h"

enum { KNOB_TILES, KNOB_ITERATIONS, KNOB_TILE_SIZE };

static const struct graph_knob knobs[] = {
	{"tiles", 20, 1, 4000},
	{"iterations", 20, 1, 1e6},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

enum side { NORTH, SOUTH, WEST, EAST };

struct stencil {
	struct graph *g;
	uint32_t n, a, halos, update, save; /* halo of tile x at side s: halos + 4 x + s */
};

/* A tile with the halos that its neighbours have saved; none where the plane ends. */
static void update(const struct stencil *s, uint32_t i, uint32_t j)
{
	uint32_t n = s->n, x = i * n + j;

	graph_add(s->g, s->update, UPDATES(s->a + x));
	if (i > 0)
		graph_use(s->g, s->halos + 4 * (x - n) + SOUTH, ACCESS_R);
	if (i + 1 < n)
		graph_use(s->g, s->halos + 4 * (x + n) + NORTH, ACCESS_R);
	if (j > 0)
		graph_use(s->g, s->halos + 4 * (x - 1) + EAST, ACCESS_R);
	if (j + 1 < n)
		graph_use(s->g, s->halos + 4 * (x + 1) + WEST, ACCESS_R);
}

/*
 * An iteration saves the edges of all tiles, then updates all tiles: 2 n^2 tasks. Costs are those of cl_update and
 * save_cl_* in StarPU's models of sirocco (24 cores, K40m), interpolated at 960 x 960 doubles; an update is in b^2,
 * and what saving an edge takes is a launch.
 */
static int make(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	double t = in->knob[KNOB_TILES], it = in->knob[KNOB_ITERATIONS], b = in->knob[KNOB_TILE_SIZE];
	double scale = b * b / (960.0 * 960.0);
	struct stencil s = {.g = g, .n = (uint32_t)t};

	if (graph_fits(2 * t * t * it, 10 * t * t * it, err) != 0)
		return -1;
	s.update = graph_type_pair(g, "update", 10330 * scale, 900 * scale);
	s.save = graph_type_pair(g, "save", 35, 36);
	s.a = graph_data(g, (size_t)(t * t), b * b * sizeof(double));
	s.halos = graph_data(g, (size_t)(4 * t * t), b * sizeof(double));
	for (uint32_t k = 0; k < (uint32_t)it; k++) {
		for (uint32_t x = 0; x < s.n * s.n; x++) {
			graph_add(s.g, s.save, READS(s.a + x));
			for (uint32_t side = NORTH; side <= EAST; side++)
				graph_use(s.g, s.halos + 4 * x + side, ACCESS_W);
		}
		for (uint32_t i = 0; i < s.n; i++)
			for (uint32_t j = 0; j < s.n; j++)
				update(&s, i, j);
	}
	return 0;
}

const struct graph_kind graph_stencil = {"stencil", "5-point stencil on a plane of tiles", knobs, 0, make};
