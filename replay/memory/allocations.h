/* replay/memory/allocations.h - requests of main memory, which threads that poll take several at a time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_ALLOCATIONS_H
#define REPLAY_MEMORY_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "replay/memory/requests.h"

/* Those that wait, in their order, from `taken` on; zeroed: none. */
struct allocations {
	uint32_t *copies; /* the caller's numbers, as of struct request */
	size_t n, cap, taken;
};

/* What one thread has taken and not served yet. */
struct allocations_taken {
	uint32_t copies[REQUESTS_FETCH];
	int n;
	int64_t since_ns; /* the caller's */
};

void allocations_fini(struct allocations *a);

static inline int allocations_wait(const struct allocations *a)
{
	return a->taken < a->n;
}

void allocations_put(struct allocations *a, uint32_t copy);

/* As many as a thread may take, added to what it has. */
void allocations_take(struct allocations *a, struct allocations_taken *to);

/* The thread has served the first. */
void allocations_served(struct allocations_taken *of);

/* What the thread has left is in front of the others again. */
void allocations_give_back(struct allocations *a, struct allocations_taken *from);

#endif
