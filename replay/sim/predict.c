/* replay/sim/predict.c - what StarPU would predict for the copies that a task needs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/predict.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/memory/memory.h"
#include "sched/policy.h"

void predict_init(struct predict *p, const struct dag *d, const struct machine *m, const struct memory *memory)
{
	int devices = 0;

	for (int i = 0; i < m->nnodes; i++)
		devices += m->nodes[i].arch == ARCH_CUDA || m->nodes[i].arch == ARCH_OPENCL;
	*p = (struct predict){.d = d, .m = m, .memory = memory, .sharing = 2.0 * devices};
	p->links = ht_alloc((size_t)m->nnodes * (size_t)m->nnodes, sizeof(*p->links));
	for (int i = 0; i < m->nnodes * m->nnodes; i++)
		p->links[i] = machine_link_between(m, i / m->nnodes, i % m->nnodes);
}

void predict_fini(struct predict *p)
{
	free(p->links);
}

/* INFINITY where there is no link. */
static double hop_ns(const struct predict *p, int from, int to, uint64_t bytes)
{
	const struct machine_link *l = p->links[from * p->m->nnodes + to];

	return l ? (double)l->latency_ns + (double)bytes / l->bytes_per_s * 1e9 * p->sharing : INFINITY;
}

/* From the nearest node with a valid copy. */
static double least_hop_ns(const struct predict *p, uint64_t valid, int to, uint64_t bytes)
{
	double least = INFINITY;

	for (; valid; valid &= valid - 1) {
		double ns = hop_ns(p, __builtin_ctzll(valid), to, bytes);

		least = ns < least ? ns : least;
	}
	return least;
}

static double copy_ns(const struct predict *p, uint64_t valid, int node, uint64_t bytes)
{
	double ns = least_hop_ns(p, valid, node, bytes);

	if (!isfinite(ns))
		ns = least_hop_ns(p, valid, 0, bytes) + hop_ns(p, 0, node, bytes);
	return isfinite(ns) ? ns : 0; /* without any link the copy takes no time */
}

static int is_shared(const struct data_access *x)
{
	return !(x->mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX));
}

int64_t predict_transfer_ns(const struct predict *p, uint32_t task, int node)
{
	const struct dag_task *t = &p->d->tasks[task];
	double ns = 0;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct data_access *x = &p->d->accesses[i];
		uint64_t bytes = p->d->handle_bytes[x->handle];
		struct residency_where w;

		if (!is_shared(x) || !(x->mode & ACCESS_R) || !bytes)
			continue;
		w = memory_where(p->memory, x->handle);
		if (w.valid && !((w.valid | w.pending) >> node & 1))
			ns += copy_ns(p, w.valid, node, bytes);
	}
	return ns < (double)(INT64_MAX / 4) ? (int64_t)ns : INT64_MAX / 4;
}

void predict_missing(const struct predict *p, uint32_t task, int node, struct policy_missing *missing)
{
	const struct dag_task *t = &p->d->tasks[task];

	*missing = (struct policy_missing){0};
	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct data_access *x = &p->d->accesses[i];
		uint64_t bytes = p->d->handle_bytes[x->handle];
		struct residency_where w;

		if (!is_shared(x))
			continue;
		w = memory_where(p->memory, x->handle);
		if (!((w.allocated | w.valid) >> node & 1)) /* without transfers, nothing is allocated */
			missing->unallocated_bytes += bytes;
		if (!(x->mode & ACCESS_R) || w.valid >> node & 1)
			continue;
		missing->invalid_bytes += bytes;
		if (!(w.pending >> node & 1))
			missing->unrequested_bytes += bytes;
	}
}
