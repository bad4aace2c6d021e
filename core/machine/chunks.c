/* core/machine/chunks.c - how StarPU takes memory: in chunks, of which small data is cut. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/chunks.h"

static uint64_t pieces(uint64_t bytes)
{
	return bytes ? (bytes + CHUNK_PIECE_BYTES - 1) / CHUNK_PIECE_BYTES : 1;
}

void chunks_allocate(struct chunks *c, uint64_t bytes, enum chunks_mode mode)
{
	uint64_t takes = pieces(bytes) * CHUNK_PIECE_BYTES;
	int reuses = c->reuses && !chunks_cut(takes);

	c->reuses = 0;
	if (reuses)
		return;
	if (mode == CHUNKS_USED && chunks_cut(takes)) {
		if (takes <= c->free_bytes) {
			c->free_bytes -= takes;
			return;
		}
		c->free_bytes = CHUNK_BYTES - takes;
		takes = CHUNK_BYTES;
	}
	c->allocates = takes;
}

void chunks_release(struct chunks *c, uint64_t bytes)
{
	uint64_t takes = pieces(bytes) * CHUNK_PIECE_BYTES;

	if (chunks_cut(takes))
		c->free_bytes += takes;
}

uint64_t chunks_bytes(uint64_t bytes)
{
	if (!bytes || !chunks_cut(bytes))
		return bytes;
	return CHUNK_BYTES / (CHUNK_BYTES / CHUNK_PIECE_BYTES / pieces(bytes));
}
