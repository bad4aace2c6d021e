/* replay/memory/memory_kept.c - the copies of a simulation, kept for who asked for them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/alloc.h"
#include "core/trace/trace.h"
#include "replay/memory/memory_parts.h"

void memory_keep(struct memory *mem, uint32_t arrival, int64_t now)
{
	static const uint8_t causes[] = {
		[REQUEST_FETCH] = COPY_FETCH,
		[REQUEST_PREFETCH] = COPY_TASK_PREFETCH,
		[REQUEST_IDLE] = COPY_IDLE_FETCH,
	};
	const struct arrival *a = &mem->arrivals[arrival];

	*VEC_PUSH(mem->copies, mem->ncopies, mem->cap_copies) = (struct memory_copy){
		.start_ns = a->begun_ns,
		.end_ns = now,
		.handle = a->handle,
		.from = (int16_t)a->from,
		.to = (int16_t)a->node,
		.cause = causes[a->urgency],
	};
}

void memory_log_copies(struct memory *mem)
{
	mem->keeps_copies = 1;
}

struct memory_copy *memory_take_copies(struct memory *mem, size_t *ncopies)
{
	struct memory_copy *copies = mem->copies;

	*ncopies = mem->ncopies;
	mem->copies = NULL;
	mem->ncopies = mem->cap_copies = 0;
	return copies;
}
