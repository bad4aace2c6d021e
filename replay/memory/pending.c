/* replay/memory/pending.c - the copies that were requested and not observed to end, and what waits for each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/pending.h"

#include <stdlib.h>

#include "core/base/alloc.h"

void pending_init(struct pending *p)
{
	*p = (struct pending){.free_copy = PENDING_NONE, .free_waiter = PENDING_NONE};
}

void pending_fini(struct pending *p)
{
	free(p->copies);
	free(p->waiters);
}

uint32_t pending_add(struct pending *p, uint32_t *list, uint32_t datum, int to)
{
	uint32_t copy = p->free_copy;

	if (copy == PENDING_NONE) {
		copy = (uint32_t)p->ncopies;
		VEC_PUSH(p->copies, p->ncopies, p->cap_copies);
	} else {
		p->free_copy = p->copies[copy].next;
	}
	p->copies[copy] = (struct pending_copy){
		.datum = datum, .to = to, .next = *list, .next_completed = PENDING_NONE, .waiters = PENDING_NONE};
	*list = copy;
	return copy;
}

uint32_t pending_find(const struct pending *p, uint32_t list, int to)
{
	while (p->copies[list].to != to || p->copies[list].stale)
		list = p->copies[list].next;
	return list;
}

void pending_remove(struct pending *p, uint32_t *list, uint32_t copy)
{
	while (*list != copy)
		list = &p->copies[*list].next;
	*list = p->copies[copy].next;
	p->copies[copy].next = p->free_copy;
	p->free_copy = copy;
}

void pending_wait(struct pending *p, uint32_t copy, int worker, uint32_t chained)
{
	uint32_t w = p->free_waiter;

	if (w == PENDING_NONE) {
		w = (uint32_t)p->nwaiters;
		VEC_PUSH(p->waiters, p->nwaiters, p->cap_waiters);
	} else {
		p->free_waiter = p->waiters[w].next;
	}
	p->waiters[w] = (struct pending_waiter){.next = p->copies[copy].waiters, .worker = worker, .copy = chained};
	p->copies[copy].waiters = w;
}

int pending_take_waiter(struct pending *p, uint32_t *waiters, struct pending_waiter *w)
{
	uint32_t first = *waiters;

	if (first == PENDING_NONE)
		return 0;
	*w = p->waiters[first];
	*waiters = w->next;
	p->waiters[first].next = p->free_waiter;
	p->free_waiter = first;
	return 1;
}
