/* generate/dense.h - what the tile algorithms share: measured costs, scaled to the size of a tile. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_DENSE_H
#define GENERATE_DENSE_H

/*
 * us for a tile of 960 x 960 doubles, the means of Chameleon's performance models of sirocco (PlaFRIM; one core of a
 * Xeon E5-2680, one K40M); negative where Chameleon has no kernel. Multiplied by (b / 960)^3 for tiles of b x b: all
 * of these kernels do work in b^3.
 */
#define DENSE_GEMM   103562, 1713
#define DENSE_SYRK   52836, 1240
#define DENSE_TRSM   52243, 3119
#define DENSE_POTRF  10824, -1
#define DENSE_GETRF  24117, -1
#define DENSE_GEQRT  50846, -1
#define DENSE_ORMQR  194560, 6339
#define DENSE_TPQRT  80353, -1
#define DENSE_TPMQRT 395266, 12147

struct graph;

/* A type whose costs at 960 x 960 are these. */
unsigned dense_type(struct graph *g, const char *name, double tile_size, double cpu_us, double cuda_us);

/* rows x columns tiles of doubles: the first of their numbers; row i, column j is first + i * columns + j. */
unsigned dense_tiles(struct graph *g, double rows, double columns, double tile_size);

#endif
