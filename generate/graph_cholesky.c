/* generate/graph_cholesky.c - tile Cholesky factorisation, right-looking, lower triangle. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/trace.h"
#include "generate/dense.h"
#include "generate/graph.h"

enum { KNOB_TILES, KNOB_TILE_SIZE };

static const struct graph_knob knobs[] = {
	{"tiles", 20, 1, 500},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

/* In the order of StarPU's examples/cholesky/cholesky_implicit.c: t + t (t - 1) + t (t - 1) (t - 2) / 6 tasks. */
static int make(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	double t = in->knob[KNOB_TILES], b = in->knob[KNOB_TILE_SIZE];
	uint32_t n = (uint32_t)t, a, potrf, trsm, syrk, gemm;

	if (graph_fits(t * (t + 1) * (t + 2) / 6, t * (t + 1) * (t + 2) / 2, err) != 0)
		return -1;
	potrf = dense_type(g, "potrf", b, DENSE_POTRF);
	trsm = dense_type(g, "trsm", b, DENSE_TRSM);
	syrk = dense_type(g, "syrk", b, DENSE_SYRK);
	gemm = dense_type(g, "gemm", b, DENSE_GEMM);
	a = dense_tiles(g, t, t, b);
	for (uint32_t k = 0; k < n; k++) {
		graph_add(g, potrf, UPDATES(a + k * n + k));
		for (uint32_t i = k + 1; i < n; i++)
			graph_add(g, trsm, READS(a + k * n + k), UPDATES(a + i * n + k));
		for (uint32_t j = k + 1; j < n; j++) {
			graph_add(g, syrk, READS(a + j * n + k), UPDATES(a + j * n + j));
			for (uint32_t i = j + 1; i < n; i++)
				graph_add(g, gemm, READS(a + i * n + k), READS(a + j * n + k), UPDATES(a + i * n + j));
		}
	}
	return 0;
}

const struct graph_kind graph_cholesky = {"cholesky", "tile Cholesky factorisation", knobs, 0, make};
