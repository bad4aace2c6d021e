/* plugin/starpu/copies.c - copies of data that a policy asks for, before a task that needs them goes to a worker. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/copies.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "plugin/starpu/lock.h"
#include "plugin/starpu/starpu_api.h"

struct copy {
	starpu_data_handle_t data;
	unsigned node;
	int32_t priority;
};

enum { MOST_ASKING = 1024 };

/* Threads that have taken copies and still ask for them. */
static struct {
	uintptr_t thread;
	int waits; /* for others that ask: StarPU has called a hook of the library while it was asked */
} asking[MOST_ASKING];
static unsigned nasking;

void copies_add(struct copies *c, starpu_data_handle_t data, unsigned node, int32_t priority)
{
	*VEC_PUSH(c->copies, c->n, c->cap) = (struct copy){data, node, priority};
}

struct copies copies_take(struct copies *c)
{
	struct copies taken = *c;

	if (taken.n == 0)
		return (struct copies){0};
	if (nasking == MOST_ASKING) { /* they are forgotten: their data may be gone later */
		c->n = 0;
		return (struct copies){0};
	}
	*c = (struct copies){0};
	asking[nasking].thread = lock_thread();
	asking[nasking++].waits = 0;
	return taken;
}

void copies_ask(struct copies c)
{
	uintptr_t thread = lock_thread();
	unsigned i = 0;

	if (c.n == 0)
		return;
	for (size_t k = 0; k < c.n; k++)
		if (sp.starpu_get_prefetch_flag())
			sp.starpu_data_prefetch_on_node_prio(c.copies[k].data, c.copies[k].node, 1,
			                                     c.copies[k].priority);
	free(c.copies);
	lock_take();
	while (asking[i].thread != thread)
		i++;
	asking[i] = asking[--nasking];
	lock_changed();
	lock_release();
}

static void set_waits(uintptr_t thread, int waits)
{
	for (unsigned i = 0; i < nasking; i++)
		if (asking[i].thread == thread)
			asking[i].waits = waits;
}

static int others_ask(uintptr_t thread)
{
	for (unsigned i = 0; i < nasking; i++)
		if (asking[i].thread != thread && !asking[i].waits)
			return 1;
	return 0;
}

void copies_wait(void)
{
	uintptr_t thread = lock_thread();

	set_waits(thread, 1);
	while (others_ask(thread))
		lock_wait();
	set_waits(thread, 0);
}
