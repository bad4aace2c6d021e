/* plugin/copies.c - copies of data that a policy asks for, before a task that needs them is given to a worker. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/copies.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "plugin/lock.h"
#include "plugin/starpu_api.h"

struct copy {
	starpu_data_handle_t data;
	unsigned node;
	int32_t priority;
};

static unsigned nasking; /* threads that have taken copies and still ask for them */

void copies_add(struct copies *c, starpu_data_handle_t data, unsigned node, int32_t priority)
{
	*VEC_PUSH(c->copies, c->n, c->cap) = (struct copy){data, node, priority};
}

struct copies copies_take(struct copies *c)
{
	struct copies taken = *c;

	if (taken.n == 0)
		return (struct copies){0};
	*c = (struct copies){0};
	nasking++;
	return taken;
}

void copies_ask(struct copies c)
{
	if (c.n == 0)
		return;
	for (size_t i = 0; i < c.n; i++)
		if (sp.starpu_get_prefetch_flag())
			sp.starpu_data_prefetch_on_node_prio(c.copies[i].data, c.copies[i].node, 1,
			                                     c.copies[i].priority);
	free(c.copies);
	lock_take();
	nasking--;
	lock_changed();
	lock_release();
}

void copies_wait(void)
{
	while (nasking)
		lock_wait();
}
