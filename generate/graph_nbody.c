/* generate/graph_nbody.c - a tree-based n-body method on a uniform quadtree or octree. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "core/trace/trace.h"
#include "generate/cells.h"
#include "generate/graph.h"

enum { KNOB_DIMENSIONS, KNOB_DEPTH, KNOB_PARTICLES };
enum { MAX_DEPTH = 12, FIRST_LEVEL = 2 }; /* on the levels above, all cells are neighbours */

static const struct graph_knob knobs[] = {
	{"dimensions", 2, 2, 3},
	{"depth", 3, FIRST_LEVEL, MAX_DEPTH},
	{"particles", 500, 1, 1e6},
	{NULL, 0, 0, 0},
};

/*
 * Particles are in the leaves. P2C sums those of a leaf, or the sums of a cell's children, up in a cell; C2P adds what
 * a far cell does to the particles of a leaf, which takes for each level those of the interaction list of its ancestor
 * there; N2N is between the particles of two neighbouring leaves, in_cell within one. Unlike in the fast multipole
 * method nothing is passed down from cell to cell, so that a leaf has many tasks, and what they add to its forces they
 * add one after the other, in the order of submission.
 */
struct nbody {
	struct graph *g;
	int dimensions, depth;
	uint32_t sum[MAX_DEPTH + 1]; /* first data of a level */
	uint32_t position, force;    /* of the leaves */
	uint32_t in_cell, p2c, c2p, n2n;
};

static void particles_to_cells(const struct nbody *n)
{
	for (uint32_t i = 0; i < cells_of(n->dimensions, n->depth); i++)
		graph_add(n->g, n->p2c, READS(n->position + i), WRITES(n->sum[n->depth] + i));
	for (int level = n->depth - 1; level >= FIRST_LEVEL; level--) {
		for (uint32_t i = 0; i < cells_of(n->dimensions, level); i++) {
			int at[3];

			cell_place(n->dimensions, level, i, at);
			graph_task(n->g, n->p2c);
			for (int c = 0; c < 1 << n->dimensions; c++)
				graph_use(n->g, n->sum[level + 1] + cell_child(level, at, c), ACCESS_R);
			graph_use(n->g, n->sum[level] + i, ACCESS_W);
		}
	}
}

static void cells_to_particles(const struct nbody *n, uint32_t leaf)
{
	int at[3];

	cell_place(n->dimensions, n->depth, leaf, at);
	for (int level = n->depth; level >= FIRST_LEVEL; level--) {
		struct cell_box b = cell_box_far(n->dimensions, level, at);

		for (int z = b.low[2]; z <= b.high[2]; z++)
			for (int y = b.low[1]; y <= b.high[1]; y++)
				for (int x = b.low[0]; x <= b.high[0]; x++) {
					if (cell_is_near(at, x, y, z))
						continue;
					graph_add(n->g, n->c2p, READS(n->sum[level] + cell_number(level, x, y, z)),
					          READS(n->position + leaf), UPDATES(n->force + leaf));
				}
		for (int d = 0; d < 3; d++)
			at[d] /= 2;
	}
}

/* Each pair of neighbours once: forces of both. */
static void between_neighbours(const struct nbody *n, uint32_t leaf)
{
	struct cell_box b;
	int at[3];

	cell_place(n->dimensions, n->depth, leaf, at);
	b = cell_box_near(n->dimensions, n->depth, at);
	for (int z = b.low[2]; z <= b.high[2]; z++)
		for (int y = b.low[1]; y <= b.high[1]; y++)
			for (int x = b.low[0]; x <= b.high[0]; x++) {
				uint32_t other = cell_number(n->depth, x, y, z);

				if (other <= leaf)
					continue;
				graph_add(n->g, n->n2n, READS(n->position + leaf), READS(n->position + other),
				          UPDATES(n->force + leaf), UPDATES(n->force + other));
			}
}

static int make(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	struct nbody n = {.g = g, .dimensions = (int)in->knob[KNOB_DIMENSIONS], .depth = (int)in->knob[KNOB_DEPTH]};
	double particles = in->knob[KNOB_PARTICLES], pairs = particles * particles;
	double leaves = pow(2, n.dimensions * n.depth), list = n.dimensions == 3 ? 189 : 27;
	double tasks = leaves * (4 + (n.dimensions == 3 ? 13 : 4) + list * (n.depth - FIRST_LEVEL + 1));

	if (graph_fits(tasks, 4 * tasks, err) != 0)
		return -1;
	/* Orders of magnitude, as those of fmm: 1 ns a pair on a core, a thirtieth of it on a GPU. */
	n.in_cell = graph_type_pair(g, "in_cell", pairs / 1e3, pairs / 3e4);
	n.p2c = graph_type_pair(g, "P2C", particles * 0.4, -1);
	n.c2p = graph_type_pair(g, "C2P", particles * 0.6, particles * 0.1);
	n.n2n = graph_type_pair(g, "N2N", 2 * pairs / 1e3, 2 * pairs / 3e4);
	n.position = graph_data(g, cells_of(n.dimensions, n.depth), particles * 4 * sizeof(double));
	n.force = graph_data(g, cells_of(n.dimensions, n.depth), particles * 4 * sizeof(double));
	for (int level = FIRST_LEVEL; level <= n.depth; level++)
		n.sum[level] = graph_data(g, cells_of(n.dimensions, level), 125 * sizeof(double));
	particles_to_cells(&n);
	for (uint32_t i = 0; i < cells_of(n.dimensions, n.depth); i++) {
		graph_add(g, n.in_cell, READS(n.position + i), UPDATES(n.force + i));
		between_neighbours(&n, i);
		cells_to_particles(&n, i);
	}
	return 0;
}

const struct graph_kind graph_nbody = {"nbody", "tree-based n-body method on a quadtree or octree", knobs, 0, make};
