/* replay/memory/memory_chunks.c - memory of devices: taken in chunks, one after the other. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "replay/memory/memory_parts.h"

static uint64_t granularities(const struct memory *mem, uint32_t handle)
{
	return (mem->d->handle_bytes[handle] + CHUNK_GRAIN - 1) / CHUNK_GRAIN * CHUNK_GRAIN;
}

void memory_allocate(struct memory *mem, uint32_t handle, int node)
{
	uint64_t bit = UINT64_C(1) << node, bytes = granularities(mem, handle);
	struct driver *driver = &mem->drivers[node];

	if (mem->handles[handle].allocated & bit)
		return;
	mem->handles[handle].allocated |= bit;
	memory_tell_moved(mem, handle, bit);
	room_take(mem, handle, node);
	if (!mem->network || !memory_is_device(mem, node))
		return;
	if (driver->reused && bytes > CHUNK_BYTES / 8) {
		driver->reused = 0;
		return;
	}
	driver->reused = 0;
	if (memory_overheads(mem, node)->allocates_each) {
		driver->chunks = 1;
		return;
	}
	if (bytes <= CHUNK_BYTES / 8 && bytes <= driver->chunk_bytes) {
		driver->chunk_bytes -= bytes;
		return;
	}
	if (bytes <= CHUNK_BYTES / 8)
		driver->chunk_bytes = CHUNK_BYTES - bytes;
	driver->chunks = 1;
}

void memory_give_back(struct memory *mem, uint32_t handle, int node)
{
	uint64_t bytes = granularities(mem, handle);

	if (bytes <= CHUNK_BYTES / 8)
		mem->drivers[node].chunk_bytes += bytes;
}

int64_t memory_allocation_ns(struct memory *mem, int node, int64_t now)
{
	struct driver *driver = &mem->drivers[node];

	if (!driver->chunks)
		return 0;
	driver->chunks = 0;
	if (memory_overheads(mem, node)->allocates_each)
		return memory_overheads(mem, node)->allocate_ns;
	if (mem->allocator_ns < now)
		mem->allocator_ns = now;
	mem->allocator_ns += memory_overheads(mem, node)->allocate_ns;
	return mem->allocator_ns - now;
}
