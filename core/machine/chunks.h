/* core/machine/chunks.h - how StarPU takes memory: in chunks, of which small data is cut. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_MACHINE_CHUNKS_H
#define CORE_MACHINE_CHUNKS_H

#include <stdint.h>

/*
 * StarPU 1.4.10 (src/datawizard/malloc.c, malloc.h) takes memory of CUDA devices, and main memory that it pins for
 * them, in chunks of CHUNK_BYTES and cuts data of at most an eighth of that from a chunk, in multiples of
 * CHUNK_PIECE_BYTES; larger data is allocated by itself. Only a call of the allocator takes time.
 */
#define CHUNK_BYTES       (UINT64_C(32) << 20)
#define CHUNK_PIECE_BYTES (UINT64_C(16) << 10)

static inline int chunks_cut(uint64_t bytes)
{
	return bytes <= CHUNK_BYTES / 8;
}

/* Of one memory; zeroed: nothing is allocated. */
struct chunks {
	uint64_t free_bytes; /* left in chunks */
	uint64_t allocates;  /* bytes that the allocator still has to be called for; cleared by the caller */
	int reuses; /* the next allocation reuses the block of an evicted datum of its size; set by the caller */
};

/* How each datum is allocated: from chunks, or all by calls of the allocator (overheads.allocates_each). */
enum chunks_mode { CHUNKS_USED, CHUNKS_NONE };

void chunks_allocate(struct chunks *c, uint64_t bytes, enum chunks_mode mode);

/* `bytes` have left the memory: what was cut from a chunk can be used again. */
void chunks_release(struct chunks *c, uint64_t bytes);

/* What a datum of `bytes` takes of a device's capacity: small data its part of a chunk that holds only such data. */
uint64_t chunks_bytes(uint64_t bytes);

#endif
