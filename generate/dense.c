/* generate/dense.c - what the tile algorithms share: measured costs, scaled to the size of a tile. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/dense.h"

#include <math.h>

#include "generate/graph.h"

unsigned dense_type(struct graph *g, const char *name, double tile_size, double cpu_us, double cuda_us)
{
	double scale = pow(tile_size / 960, 3);

	return graph_type_pair(g, name, cpu_us * scale, cuda_us * scale);
}

unsigned dense_tiles(struct graph *g, double rows, double columns, double tile_size)
{
	return graph_data(g, (size_t)(rows * columns), tile_size * tile_size * sizeof(double));
}
