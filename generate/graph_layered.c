/* generate/graph_layered.c - random graphs: in layers, and without. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "core/base/rng.h"
#include "core/trace/trace.h"
#include "generate/graph.h"
#include "generate/random_types.h"

enum { KNOB_LAYERS, KNOB_WIDTH, KNOB_PROBABILITY, KNOB_TYPES, KNOB_TILE_SIZE };
enum { KNOB_TASKS = KNOB_LAYERS }; /* of the kind without layers */

static const struct graph_knob layered_knobs[] = {
	{"layers", 100, 1, 1e7},           {"width", 100, 1, 1e6},     {"probability", 0.03, 0, 1},
	{"types", 6, 1, RANDOM_TYPES_MAX}, {"tile-size", 960, 1, 1e5}, {NULL, 0, 0, 0},
};
static const struct graph_knob random_knobs[] = {
	{"tasks", 10000, 1, GRAPH_MAX_TASKS}, {"width", 100, 1, 1e6},     {"probability", 0.03, 0, 1},
	{"types", 6, 1, RANDOM_TYPES_MAX},    {"tile-size", 960, 1, 1e5}, {NULL, 0, 0, 0},
};

/* Each of `first` .. `end - 1` with the same probability, in time linear in those chosen. */
static uint32_t read_some(struct graph *g, uint32_t first, uint32_t end, double probability, struct rng *r)
{
	double at = first, log_not = probability < 1 ? log1p(-probability) : 0;
	uint32_t n = 0;

	if (probability <= 0)
		return 0;
	for (;; at++, n++) {
		if (log_not < 0)
			at += floor(log1p(-rng_real(r)) / log_not);
		if (at >= end)
			return n;
		graph_use(g, (uint32_t)at, ACCESS_R);
	}
}

static int begin(struct graph *g, const struct graph_input *in, double ntasks, struct rng *r, struct ht_err *err)
{
	double b = in->knob[KNOB_TILE_SIZE], mean = in->knob[KNOB_WIDTH] * in->knob[KNOB_PROBABILITY];

	if (graph_fits(ntasks, 2 * ntasks * (2 + mean), err) != 0)
		return -1;
	random_types(g, (uint32_t)in->knob[KNOB_TYPES], in->machine, r);
	graph_data(g, (size_t)ntasks, b * b * sizeof(double)); /* task t writes data t */
	return 0;
}

/* A task reads what tasks of the layer before wrote, one of them at least: it is in this layer for a reason. */
static int make_layered(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	uint32_t layers = (uint32_t)in->knob[KNOB_LAYERS], width = (uint32_t)in->knob[KNOB_WIDTH];
	struct rng r = {in->seed};

	if (begin(g, in, in->knob[KNOB_LAYERS] * in->knob[KNOB_WIDTH], &r, err) != 0)
		return -1;
	for (uint32_t layer = 0; layer < layers; layer++)
		for (uint32_t i = 0; i < width; i++) {
			uint32_t t = graph_task(g, rng_below(&r, (uint32_t)g->ntypes)), before = (layer - 1) * width;

			if (layer && read_some(g, before, before + width, in->knob[KNOB_PROBABILITY], &r) == 0)
				graph_use(g, before + rng_below(&r, width), ACCESS_R);
			graph_use(g, t, ACCESS_W);
		}
	return 0;
}

/* A task reads what any of the `width` tasks before it wrote, each with the same probability. */
static int make_random(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	uint32_t ntasks = (uint32_t)in->knob[KNOB_TASKS], width = (uint32_t)in->knob[KNOB_WIDTH];
	struct rng r = {in->seed};

	if (begin(g, in, ntasks, &r, err) != 0)
		return -1;
	for (uint32_t t = 0; t < ntasks; t++) {
		graph_task(g, rng_below(&r, (uint32_t)g->ntypes));
		read_some(g, t > width ? t - width : 0, t, in->knob[KNOB_PROBABILITY], &r);
		graph_use(g, t, ACCESS_W);
	}
	return 0;
}

const struct graph_kind graph_layered = {"layered", "random graph in layers", layered_knobs, 1, make_layered};
const struct graph_kind graph_random = {"random", "random graph without layers", random_knobs, 1, make_random};
