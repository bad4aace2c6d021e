/* core/trace/fxt_early.c - messages that were there before the receive of the program had its memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU-MPI receives such a message into data of its own, and copies it when the program's receive can have it
 * (1.4.10, mpi/src/mpi/starpu_mpi_mpi.c, _starpu_mpi_early_data_cb). What is recorded as having arrived is that data,
 * for which no task of the program waits. One thread then releases three acquisitions in a row: of that data to read
 * it, of that data to unregister it, and of the data that was copied to, which tasks wait for. An acquisition is two
 * tasks, and all of the first data follow each other alone: the arrival, two to read, two to unregister.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/trace/fxt_reader.h"

enum { TO_UNREGISTER = 4 };
#define SEVERAL (TRACE_NONE - 1)

/* Per task from `base` on the only one that waits for it, TRACE_NONE or SEVERAL. */
struct followers {
	uint32_t base, *of;
	size_t n;
};

static void find_followers(struct followers *f, const struct trace *t, size_t first_dep)
{
	f->base = TRACE_NONE;
	for (size_t i = first_dep; i < t->ndeps; i++)
		f->base = t->deps[i].pred < f->base ? t->deps[i].pred : f->base;
	f->n = f->base == TRACE_NONE ? 0 : t->ntasks - f->base;
	f->of = ht_alloc(f->n, sizeof(*f->of));
	for (size_t i = 0; i < f->n; i++)
		f->of[i] = TRACE_NONE;
	for (size_t i = first_dep; i < t->ndeps; i++) {
		uint32_t *of = &f->of[t->deps[i].pred - f->base];

		*of = *of == TRACE_NONE || *of == t->deps[i].succ ? t->deps[i].succ : SEVERAL;
	}
}

/* The release by which the data of the arrival is unregistered; TRACE_NONE: it is the program's own. */
static uint32_t unregisters(const struct followers *f, const struct idmap *of_messages, uint32_t task)
{
	for (int i = 0; i < TO_UNREGISTER; i++) {
		if (task < f->base || task - f->base >= f->n)
			return TRACE_NONE;
		task = f->of[task - f->base];
		if (task >= SEVERAL || idmap_get(of_messages, task) != IDMAP_NONE)
			return TRACE_NONE;
	}
	return task;
}

void fxt_join_early(struct fxt_reader *r, size_t first_dep)
{
	struct idmap of_messages = {0}, unregister = {0},
		     next = {0}; /* by task; by thread: the message of its next release */
	const uint32_t none = (uint32_t)r->nmessages;
	struct followers f = {0};

	if (r->nreleases)
		find_followers(&f, r->b.t, first_dep);
	for (size_t i = 0; i < r->nmessages && f.n; i++)
		if (r->messages[i].task != TRACE_NONE)
			idmap_put(&of_messages, r->messages[i].task, (uint32_t)i);
	for (size_t i = 0; i < r->nmessages && f.n; i++) {
		const struct fxt_message_event *m = &r->messages[i];
		uint32_t task = m->kind == MESSAGE_ARRIVED && m->to == r->rank && m->task != TRACE_NONE ?
		                        unregisters(&f, &of_messages, m->task) :
		                        TRACE_NONE;

		if (task != TRACE_NONE)
			idmap_put(&unregister, task, (uint32_t)i);
	}
	for (size_t i = 0; i < r->nreleases && f.n; i++) {
		const struct fxt_release *x = &r->releases[i];
		uint32_t message = idmap_get(&next, x->thread), early = idmap_get(&unregister, x->task);

		if (message < none) {
			r->messages[message].task = x->task;
			r->messages[message].early = r->messages[message].handle;
			r->messages[message].handle = TRACE_NONE;
		}
		if (message < none || early != IDMAP_NONE)
			idmap_put(&next, x->thread, early != IDMAP_NONE ? early : none);
	}
	idmap_fini(&of_messages);
	idmap_fini(&unregister);
	idmap_fini(&next);
	free(f.of);
	r->nreleases = 0;
}
