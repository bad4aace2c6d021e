/* sched/nready.c - INSPIRIT's controller: what is popped next, by how the number of ready tasks goes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/nready.h"

#include <math.h>

void nready_push(struct nready *n, double now_ns)
{
	if (n->peak == 0)
		n->previous_ns = now_ns;
	n->ready++;
	if (n->ready > n->peak) {
		n->peak = n->ready;
		n->band = 0;
	}
}

static void increasing(struct nready *n, double now_ns)
{
	double change = (double)n->ready - n->previous, k;

	if (fabs(change) < n->s_inc || change == 0)
		return;
	k = change / (now_ns - n->previous_ns); /* in no time: infinite, with the sign of the change */
	if (k < n->k_inc)
		n->mode = NREADY_EFFICIENCY;
	else if (k > n->k_inc)
		n->mode = NREADY_ABILITY;
	n->previous = (double)n->ready;
	n->previous_ns = now_ns;
}

static void decreasing(struct nready *n)
{
	double floor = (double)n->peak - n->s_dec * (n->band + 1.0);

	if ((double)n->ready > floor + n->s_dec) {
		n->mode = NREADY_ABILITY;
	} else if ((double)n->ready <= floor + n->s_dec / 2) {
		n->mode = NREADY_EFFICIENCY;
		n->band += (double)n->ready <= floor;
	}
}

enum nready_mode nready_pop(struct nready *n, double now_ns)
{
	if ((double)n->ready >= (double)n->peak - n->s_dec)
		increasing(n, now_ns);
	else
		decreasing(n);
	n->ready--;
	return n->mode;
}
