/* generate/graph_qr.c - tile QR factorisation with a flat tree. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/trace.h"
#include "generate/dense.h"
#include "generate/graph.h"

enum { KNOB_TILES, KNOB_TILE_SIZE };

static const struct graph_knob knobs[] = {
	{"tiles", 20, 1, 400},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

struct qr {
	struct graph *g;
	uint32_t n, a, t, d; /* tiles; factors T of the panels; copies of the diagonal tiles */
	uint32_t geqrt, ormqr, tpqrt, tpmqrt;
};

/*
 * Buttari, Langou, Kurzak, Dongarra, "A class of parallel tiled linear algebra algorithms for multicore
 * architectures" (2009), algorithm 2. As Chameleon does, the reflectors below the diagonal go to a copy of the tile,
 * so that ormqr need not be done before tpqrt writes R above it; here geqrt itself writes the copy.
 */
static void step(const struct qr *q, uint32_t k)
{
	struct graph *g = q->g;
	uint32_t n = q->n;

	graph_add(g, q->geqrt, UPDATES(q->a + k * n + k), WRITES(q->t + k * n + k), WRITES(q->d + k));
	for (uint32_t j = k + 1; j < n; j++)
		graph_add(g, q->ormqr, READS(q->d + k), READS(q->t + k * n + k), UPDATES(q->a + k * n + j));
	for (uint32_t i = k + 1; i < n; i++) {
		graph_add(g, q->tpqrt, UPDATES(q->a + k * n + k), UPDATES(q->a + i * n + k), WRITES(q->t + i * n + k));
		for (uint32_t j = k + 1; j < n; j++)
			graph_add(g, q->tpmqrt, READS(q->a + i * n + k), READS(q->t + i * n + k),
			          UPDATES(q->a + k * n + j), UPDATES(q->a + i * n + j));
	}
}

static int make(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	double t = in->knob[KNOB_TILES], b = in->knob[KNOB_TILE_SIZE], ntasks = t * (t + 1) * (2 * t + 1) / 6;
	struct qr q = {.g = g, .n = (uint32_t)t};

	if (graph_fits(ntasks, 4 * ntasks, err) != 0)
		return -1;
	q.geqrt = dense_type(g, "geqrt", b, DENSE_GEQRT);
	q.ormqr = dense_type(g, "ormqr", b, DENSE_ORMQR);
	q.tpqrt = dense_type(g, "tpqrt", b, DENSE_TPQRT);
	q.tpmqrt = dense_type(g, "tpmqrt", b, DENSE_TPMQRT);
	q.a = dense_tiles(g, t, t, b);
	/* 192 rows of 960, as Chameleon's models have it. */
	q.t = graph_data(g, (size_t)(t * t), b * b * sizeof(double) / 5);
	q.d = dense_tiles(g, t, 1, b);
	for (uint32_t k = 0; k < q.n; k++)
		step(&q, k);
	return 0;
}

const struct graph_kind graph_qr = {"qr", "tile QR factorisation, flat tree", knobs, 0, make};
