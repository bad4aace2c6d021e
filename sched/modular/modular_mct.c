/* sched/modular/modular_mct.c - a modular scheduler's decision by expected completion time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * component_mct.c and helper_mct.c of StarPU 1.4.10. For each child that can execute the task:
 *
 *   end     = max(end of the child, now + transfer) + length
 *   fitness = alpha (end - earliest end) + beta transfer
 *
 * A third term, of energy, is zero without models of energy.
 */
#include <math.h>

#include "core/machine/machine.h"
#include "sched/modular/modular.h"

/* Workers of one memory node have one answer. */
static double transfer_to(struct modular *s, const struct modular_child *c, uint32_t task)
{
	int worker = c->spread.workers[0];
	double *known = &s->transfer_of_node[s->world.machine->workers[worker].node];

	if (isnan(*known))
		*known = s->world.transfer_ns ? (double)s->world.transfer_ns(s->world.ctx, task, worker) : 0;
	return *known;
}

struct modular_choice modular_choose(struct modular *s, uint32_t task)
{
	struct modular_choice best = {.child = -1};
	double now = modular_now(s), earliest = INFINITY, least = INFINITY;

	for (int i = 0; i < s->world.machine->nnodes; i++)
		s->transfer_of_node[i] = NAN;
	for (int i = 0; i < s->nchildren; i++) {
		struct modular_child *c = &s->children[i];
		double length = modular_child_length(s, c, task);

		s->end[i] = NAN;
		if (length < 0)
			continue;
		s->end[i] = fmax(fmax(modular_child_end(s, c), now), now + transfer_to(s, c, task)) + length;
		earliest = fmin(earliest, s->end[i]);
	}
	for (int i = 0; i < s->nchildren; i++) {
		struct modular_child *c = &s->children[i];
		double fitness;

		if (isnan(s->end[i]))
			continue;
		fitness = s->alpha * (s->end[i] - earliest) + s->beta * transfer_to(s, c, task);
		if (fitness < least) {
			least = fitness;
			best.child = i;
		}
	}
	best.length = modular_child_length(s, &s->children[best.child], task);
	best.transfer = transfer_to(s, &s->children[best.child], task);
	return best;
}

int modular_place(struct modular *s, const struct modular_choice *c, uint32_t task)
{
	s->length[task] = c->length;
	s->transfer[task] = c->transfer;
	return modular_child_push(s, &s->children[c->child], task);
}

static int mct_push(struct modular *s, uint32_t task)
{
	struct modular_choice c = modular_choose(s, task);

	return modular_place(s, &c, task);
}

const struct modular_decision modular_mct_nodes = {
	.push = mct_push,
};

const struct modular_decision modular_mct_workers = {
	.per_worker = 1,
	.push = mct_push,
};
