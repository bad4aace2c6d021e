/* generate/graph_fmm.c - the fast multipole method on a uniform quadtree or octree. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "core/trace/trace.h"
#include "generate/cells.h"
#include "generate/graph.h"

enum { KNOB_DIMENSIONS, KNOB_DEPTH, KNOB_PARTICLES, KNOB_SPLIT };
enum { MAX_DEPTH = 12, FIRST_LEVEL = 2 }; /* on the levels above, all cells are neighbours: no expansion is needed */

static const struct graph_knob knobs[] = {
	{"dimensions", 3, 2, 3}, {"depth", 3, FIRST_LEVEL, MAX_DEPTH}, {"particles", 500, 1, 1e6}, {"split", 0, 0, 1},
	{NULL, 0, 0, 0},
};

/* What a task reads of the cells around: all, those that have an ancestor in common with it, or those that have not. */
enum sources { ALL, INNER, OUTER };

struct fmm {
	struct graph *g;
	int dimensions, depth;
	uint32_t multipole[MAX_DEPTH + 1], local[MAX_DEPTH + 1]; /* first data of a level */
	uint32_t position, force;                                /* of the particles of the leaves */
	uint32_t p2m, m2m, m2l, m2l_outer, l2l, l2p, p2p, p2p_outer;
	int split;
};

static uint32_t cells(const struct fmm *f, int level)
{
	return cells_of(f->dimensions, level);
}

/* Whether the cell `up` levels above both is the same. */
static int is_source(enum sources which, int up, const int at[3], int x, int y, int z)
{
	int same = at[0] >> up == x >> up && at[1] >> up == y >> up && at[2] >> up == z >> up;

	return which == ALL || (which == INNER) == same;
}

/* Of the interaction list; cells with the same grandparent are inner. */
static void read_far(const struct fmm *f, int level, const int at[3], enum sources which)
{
	struct cell_box b = cell_box_far(f->dimensions, level, at);

	for (int z = b.low[2]; z <= b.high[2]; z++)
		for (int y = b.low[1]; y <= b.high[1]; y++)
			for (int x = b.low[0]; x <= b.high[0]; x++)
				if (!cell_is_near(at, x, y, z) && is_source(which, 2, at, x, y, z))
					graph_use(f->g, f->multipole[level] + cell_number(level, x, y, z), ACCESS_R);
}

/* The leaf itself and its neighbours; those with the same parent are inner. */
static void read_near(const struct fmm *f, const int at[3], enum sources which)
{
	struct cell_box b = cell_box_near(f->dimensions, f->depth, at);

	for (int z = b.low[2]; z <= b.high[2]; z++)
		for (int y = b.low[1]; y <= b.high[1]; y++)
			for (int x = b.low[0]; x <= b.high[0]; x++)
				if (is_source(which, 1, at, x, y, z))
					graph_use(f->g, f->position + cell_number(f->depth, x, y, z), ACCESS_R);
}

static void use_children(const struct fmm *f, int level, uint32_t i, const uint32_t *data, uint32_t mode)
{
	int at[3];

	cell_place(f->dimensions, level, i, at);
	for (int c = 0; c < 1 << f->dimensions; c++)
		graph_use(f->g, data[level + 1] + cell_child(level, at, c), mode);
}

static void upward(const struct fmm *f)
{
	for (uint32_t i = 0; i < cells(f, f->depth); i++)
		graph_add(f->g, f->p2m, READS(f->position + i), WRITES(f->multipole[f->depth] + i));
	for (int level = f->depth - 1; level >= FIRST_LEVEL; level--)
		for (uint32_t i = 0; i < cells(f, level); i++) {
			graph_task(f->g, f->m2m);
			use_children(f, level, i, f->multipole, ACCESS_R);
			graph_use(f->g, f->multipole[level] + i, ACCESS_W);
		}
}

/* Contributions to an expansion, or to the forces of a leaf, add up in any order. */
static void downward(const struct fmm *f)
{
	const uint32_t add = ACCESS_R | ACCESS_W | ACCESS_COMMUTE;
	int at[3];

	for (int level = FIRST_LEVEL; level <= f->depth; level++)
		for (uint32_t i = 0; i < cells(f, level); i++) {
			cell_place(f->dimensions, level, i, at);
			graph_task(f->g, f->m2l);
			read_far(f, level, at, f->split ? INNER : ALL);
			graph_use(f->g, f->local[level] + i, add);
			if (!f->split)
				continue;
			graph_task(f->g, f->m2l_outer);
			read_far(f, level, at, OUTER);
			graph_use(f->g, f->local[level] + i, add);
		}
	for (int level = FIRST_LEVEL; level < f->depth; level++)
		for (uint32_t i = 0; i < cells(f, level); i++) {
			graph_add(f->g, f->l2l, READS(f->local[level] + i));
			use_children(f, level, i, f->local, add);
		}
	for (uint32_t i = 0; i < cells(f, f->depth); i++)
		graph_add(f->g, f->l2p, READS(f->local[f->depth] + i), READS(f->position + i), {f->force + i, add});
	for (uint32_t i = 0; i < cells(f, f->depth); i++) {
		cell_place(f->dimensions, f->depth, i, at);
		graph_task(f->g, f->p2p);
		read_near(f, at, f->split ? INNER : ALL);
		graph_use(f->g, f->force + i, add);
		if (!f->split)
			continue;
		graph_task(f->g, f->p2p_outer);
		read_near(f, at, OUTER);
		graph_use(f->g, f->force + i, add);
	}
}

/*
 * The operators and the places of their types are those of ScalFMM over StarPU (Agullo et al., "Task-based FMM for
 * heterogeneous architectures", 2016), which has P2P and M2L on GPUs. Costs are orders of magnitude, not
 * measurements: 1 ns a pair of particles on a core and a thirtieth of it on a GPU.
 */
static void make_types(struct fmm *f, double particles)
{
	double neighbours = pow(3, f->dimensions), list = f->dimensions == 3 ? 189 : 27;

	f->p2m = graph_type_pair(f->g, "P2M", particles * 0.4, -1);
	f->m2m = graph_type_pair(f->g, "M2M", 20 * pow(2, f->dimensions), -1);
	f->m2l = graph_type_pair(f->g, "M2L", 8 * list, 0.6 * list);
	f->l2l = graph_type_pair(f->g, "L2L", 20 * pow(2, f->dimensions), -1);
	f->l2p = graph_type_pair(f->g, "L2P", particles * 0.6, -1);
	f->p2p = graph_type_pair(f->g, "P2P", neighbours * particles * particles / 1e3,
	                         neighbours * particles * particles / 3e4);
	if (!f->split)
		return;
	f->m2l_outer = graph_type_pair(f->g, "M2L_out", 8 * list, 0.6 * list);
	f->p2p_outer = graph_type_pair(f->g, "P2P_out", neighbours * particles * particles / 1e3,
	                               neighbours * particles * particles / 3e4);
}

static int make(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	struct fmm f = {.g = g,
	                .dimensions = (int)in->knob[KNOB_DIMENSIONS],
	                .depth = (int)in->knob[KNOB_DEPTH],
	                .split = in->knob[KNOB_SPLIT] > 0};
	double particles = in->knob[KNOB_PARTICLES], leaves = pow(2, f.dimensions * f.depth);
	double list = f.dimensions == 3 ? 220 : 45; /* accesses of an M2L and a P2P task, at most */

	if (graph_fits((f.split ? 9 : 6) * leaves, 1.3 * list * leaves, err) != 0)
		return -1;
	make_types(&f, particles);
	f.position = graph_data(g, cells(&f, f.depth), particles * 4 * sizeof(double));
	f.force = graph_data(g, cells(&f, f.depth), particles * 4 * sizeof(double));
	for (int level = FIRST_LEVEL; level <= f.depth; level++) {
		/* Interpolation of order 5. */
		f.multipole[level] = graph_data(g, cells(&f, level), 125 * sizeof(double));
		f.local[level] = graph_data(g, cells(&f, level), 125 * sizeof(double));
	}
	upward(&f);
	downward(&f);
	return 0;
}

const struct graph_kind graph_fmm = {"fmm", "fast multipole method on a quadtree or octree", knobs, 0, make};
