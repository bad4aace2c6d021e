/* sched/ready.c - of tasks that are as urgent, the one whose data is nearest. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/ready.h"

#include "sched/policy.h"
#include "sched/taskq.h"

int ready_lacks_less(const struct policy_missing *a, const struct policy_missing *b)
{
	if (a->invalid_bytes != b->invalid_bytes)
		return a->invalid_bytes < b->invalid_bytes;
	if (a->unrequested_bytes != b->unrequested_bytes)
		return a->unrequested_bytes < b->unrequested_bytes;
	return a->unallocated_bytes < b->unallocated_bytes;
}

uint32_t ready_first(const struct policy_world *world, const struct taskq_links *l, const struct taskq *q, int worker)
{
	struct policy_missing least = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
	uint32_t best = q->head, behind;

	if (!world->missing)
		return best;
	behind = l->next[q->levels[0].last];
	for (uint32_t t = q->head; t != behind; t = l->next[t]) {
		struct policy_missing x;

		world->missing(world->ctx, t, worker, &x);
		if (ready_lacks_less(&x, &least)) {
			least = x;
			best = t;
		}
		if (!x.invalid_bytes && !x.unallocated_bytes)
			break;
	}
	return best;
}
