/* generate/lu.h - the block LU factorisation that several kinds are cases of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_LU_H
#define GENERATE_LU_H

struct graph;
struct ht_err;

/*
 * Without pivoting, of n x n tiles of which those with |i - j| <= bandwidth are not zero. names: the diagonal tile, the
 * tiles right of it, those below it, and the update. With m = min(bandwidth, n - 1 - k), step k is 1 + 2 m + m^2 tasks.
 */
int lu_make(struct graph *g, const char *const names[4], double n, double bandwidth, double tile_size,
            struct ht_err *err);

#endif
