/* replay/memory/allocations.c - requests of main memory, which threads that poll take several at a time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/allocations.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

void allocations_fini(struct allocations *a)
{
	free(a->copies);
}

void allocations_put(struct allocations *a, uint32_t copy)
{
	*VEC_PUSH(a->copies, a->n, a->cap) = copy;
}

void allocations_take(struct allocations *a, struct allocations_taken *to)
{
	while (allocations_wait(a) && to->n < REQUESTS_FETCH)
		to->copies[to->n++] = a->copies[a->taken++];
}

void allocations_served(struct allocations_taken *of)
{
	of->n--;
	memmove(of->copies, of->copies + 1, (size_t)of->n * sizeof(*of->copies));
}

/* There is place for all that was taken and is not served. */
void allocations_give_back(struct allocations *a, struct allocations_taken *from)
{
	while (from->n)
		a->copies[--a->taken] = from->copies[--from->n];
}
