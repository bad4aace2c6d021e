/* core/dag/dag_invalidated.c - data that is dropped everywhere once the tasks before have ended. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * starpu_data_invalidate_submit() of the application, and StarPU-MPI where it flushes what it has received
 * (starpu_mpi_cache_flush()), let a datum go when all tasks have ended that were submitted before: its copies are valid
 * no more and their memory is free. The trace shows that it is valid nowhere from then on. There are two more reasons
 * for that: a task that reads nothing of it writes it elsewhere, so that it is valid again at once, or the application
 * unregisters it, whenever that may be.
 */
#include "core/dag/dag_parts.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/trace/trace.h"

static const int64_t AT_ONCE_NS = 50000;  /* within which a writer makes it valid */
static const int64_t PROMPT_NS = 1000000; /* within which it is dropped after the last task */

struct loss {
	uint32_t handle, accesses; /* accesses: of tasks that had ended, since the one before */
	int64_t ns, last_end_ns;
};

struct losses {
	struct loss *items;
	size_t n, cap;
};

static int by_handle_and_time(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	if (x->handle != y->handle)
		return x->handle < y->handle ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* When data was valid nowhere any more. */
static struct losses find(const struct trace *t)
{
	uint64_t *valid = ht_alloc(t->nhandles, sizeof(*valid));
	int64_t *since_ns = ht_alloc(t->nhandles, sizeof(*since_ns)); /* TIME_NONE: it is valid, or never was */
	struct losses m = {0};

	for (size_t i = 0; i < t->nhandles; i++)
		since_ns[i] = TIME_NONE;
	for (size_t i = 0; i < t->nstates; i++) {
		const struct trace_state *s = &t->states[i];
		uint64_t bit = UINT64_C(1) << s->node;
		int64_t *since = &since_ns[s->handle];

		if (s->state == STATE_INVALID) {
			if (valid[s->handle] == bit)
				*since = s->ns;
			valid[s->handle] &= ~bit;
			continue;
		}
		if (*since != TIME_NONE && s->ns - *since > AT_ONCE_NS)
			*VEC_PUSH(m.items, m.n, m.cap) = (struct loss){.handle = s->handle, .ns = *since};
		*since = TIME_NONE;
		valid[s->handle] |= bit;
	}
	for (uint32_t h = 0; h < t->nhandles; h++)
		if (since_ns[h] != TIME_NONE)
			*VEC_PUSH(m.items, m.n, m.cap) = (struct loss){.handle = h, .ns = since_ns[h]};
	if (m.n)
		qsort(m.items, m.n, sizeof(*m.items), by_handle_and_time);
	free(valid);
	free(since_ns);
	return m;
}

/* The first of the datum at or after a time; NULL: there is none. */
static struct loss *first_after(const struct losses *m, uint32_t handle, int64_t ns)
{
	const struct loss key = {.handle = handle, .ns = ns};
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_handle_and_time(&m->items[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->n && m->items[low].handle == handle ? &m->items[low] : NULL;
}

static void count(const struct losses *m, const struct dag *d, const struct trace *t)
{
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_task *task = &d->tasks[i];
		int64_t end_ns = t->tasks[task->trace_task].end_ns;

		for (uint32_t k = task->first_access; k < task->first_access + task->naccesses; k++) {
			struct loss *x = first_after(m, d->accesses[k].handle, end_ns);

			if (!x)
				continue;
			x->last_end_ns = x->accesses++ && x->last_end_ns > end_ns ? x->last_end_ns : end_ns;
		}
	}
}

void dag_find_invalidated(struct dag *d, const struct trace *t)
{
	struct losses m = find(t);
	uint32_t carried = 0; /* of losses that do not count */

	if (m.n)
		count(&m, d, t);
	d->invalidated = arena_alloc(d->arena, m.n, sizeof(*d->invalidated));
	for (size_t i = 0; i < m.n; i++) {
		const struct loss *x = &m.items[i];

		if (i && x->handle != x[-1].handle)
			carried = 0;
		carried += x->accesses;
		if (!x->accesses || x->ns - x->last_end_ns > PROMPT_NS)
			continue;
		d->invalidated[d->ninvalidated++] = (struct dag_invalidated){x->handle, carried};
		carried = 0;
	}
	free(m.items);
}
