/* core/dag/data_flow.c - which task made what another one reads, and how much data goes along each edge of a graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/data_flow.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/csr.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

/* Local to the worker until the reduction, which is a task of its own. */
static int is_local(uint32_t mode)
{
	return (mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX)) != 0;
}

void data_flow_init(struct data_flow *f, const struct dag *d)
{
	uint32_t *writer = ht_alloc(d->nhandles, sizeof(*writer)); /* task + 1; 0: nobody yet */
	uint32_t *reader = ht_alloc(d->nhandles, sizeof(*reader)); /* the last one, per handle */

	f->producer = ht_alloc(d->naccesses, sizeof(*f->producer));
	f->bytes = ht_alloc(d->nedges, sizeof(*f->bytes));
	f->pieces = ht_alloc(d->nedges, sizeof(*f->pieces));
	for (uint32_t i = 0; i < d->naccesses; i++)
		f->producer[i] = DATA_FLOW_NOBODY;
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i), first = d->tasks[t].first_access, end = first + d->tasks[t].naccesses;

		for (uint32_t a = first; a < end; a++) {
			uint32_t h = d->accesses[a].handle, mode = d->accesses[a].mode, edge;

			if (!(mode & ACCESS_R) || is_local(mode) || !writer[h] || reader[h] == t + 1)
				continue;
			reader[h] = t + 1;
			f->producer[a] = writer[h] - 1;
			edge = csr_find(d->succ_first, d->succ, writer[h] - 1, t);
			if (edge == UINT32_MAX)
				continue;
			f->bytes[edge] += d->handle_bytes[h];
			f->pieces[edge]++;
		}
		for (uint32_t a = first; a < end; a++) {
			uint32_t mode = d->accesses[a].mode;

			if (mode & ACCESS_W && !is_local(mode))
				writer[d->accesses[a].handle] = t + 1;
		}
	}
	free(writer);
	free(reader);
}

void data_flow_fini(struct data_flow *f)
{
	free(f->producer);
	free(f->bytes);
	free(f->pieces);
}
