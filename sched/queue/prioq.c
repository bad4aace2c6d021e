/* sched/queue/prioq.c - queues by priority with two ends: of those that are equal, the first or the last. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/prioq.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "sched/policy.h"

void prioq_links_init(struct prioq_links *l, uint32_t ntasks, const int32_t *priority)
{
	l->priority = priority;
	l->place = ht_alloc(ntasks, sizeof(*l->place));
	l->child = ht_alloc(ntasks, sizeof(*l->child));
	l->next = ht_alloc(ntasks, sizeof(*l->next));
}

void prioq_links_fini(struct prioq_links *l)
{
	free(l->place);
	free(l->child);
	free(l->next);
}

void prioq_init(struct prioq *q)
{
	*q = (struct prioq){.top = POLICY_NO_TASK};
}

static int is_before(const struct prioq_links *l, uint32_t a, uint32_t b)
{
	if (l->priority[a] != l->priority[b])
		return l->priority[a] > l->priority[b];
	return l->place[a] < l->place[b];
}

/* Two heaps into one; none of them is empty. Its root has no `next`. */
static uint32_t meld(struct prioq_links *l, uint32_t a, uint32_t b)
{
	uint32_t root = is_before(l, a, b) ? a : b, under = root == a ? b : a;

	l->next[under] = l->child[root];
	l->child[root] = under;
	l->next[root] = POLICY_NO_TASK;
	return root;
}

static void put(struct prioq_links *l, struct prioq *q, uint32_t task, int64_t place)
{
	l->place[task] = place;
	l->child[task] = l->next[task] = POLICY_NO_TASK;
	q->top = q->top == POLICY_NO_TASK ? task : meld(l, q->top, task);
	q->count++;
}

void prioq_push_back(struct prioq_links *l, struct prioq *q, uint32_t task)
{
	put(l, q, task, ++q->back);
}

void prioq_push_front(struct prioq_links *l, struct prioq *q, uint32_t task)
{
	put(l, q, task, --q->front);
}

uint32_t prioq_pop(struct prioq_links *l, struct prioq *q)
{
	uint32_t first = q->top, rest, pairs = POLICY_NO_TASK;

	if (first == POLICY_NO_TASK)
		return first;
	q->count--;
	for (rest = l->child[first]; rest != POLICY_NO_TASK;) { /* in pairs, the last pair on top */
		uint32_t a = rest, b = l->next[a];

		rest = b == POLICY_NO_TASK ? b : l->next[b];
		if (b != POLICY_NO_TASK)
			a = meld(l, a, b);
		l->next[a] = pairs;
		pairs = a;
	}
	q->top = pairs;
	if (pairs == POLICY_NO_TASK)
		return first;
	for (rest = l->next[pairs]; rest != POLICY_NO_TASK;) {
		uint32_t following = l->next[rest];

		q->top = meld(l, q->top, rest);
		rest = following;
	}
	l->next[q->top] = POLICY_NO_TASK;
	return first;
}
