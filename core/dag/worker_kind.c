/* core/dag/worker_kind.c - kinds of workers: those that take the same time for every task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/worker_kind.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"

static void find_kinds(struct worker_kinds *k, const struct dag *d, const struct machine *m)
{
	*k = (struct worker_kinds){.kind = ht_alloc((size_t)m->nworkers, sizeof(*k->kind))};
	k->of = ht_alloc((size_t)m->nworkers, sizeof(*k->of));
	for (int w = 0; w < m->nworkers; w++) {
		const struct machine_worker *worker = &m->workers[w];
		int device = d ? dag_device(d, worker->arch, worker->devid) : -1, i = 0;

		while (i < k->n && (k->kind[i].arch != worker->arch || k->kind[i].device != device))
			i++;
		if (i == k->n)
			k->kind[k->n++] = (struct worker_kind){.arch = worker->arch, .device = device};
		k->kind[i].nworkers++;
		k->kind[i].nodes |= UINT64_C(1) << worker->node;
		k->of[w] = i;
	}
}

void worker_kinds_init(struct worker_kinds *k, const struct dag *d, const struct machine *m)
{
	find_kinds(k, d, m);
}

void worker_kinds_of_machine(struct worker_kinds *k, const struct machine *m)
{
	find_kinds(k, NULL, m);
}

void worker_kinds_of_archs(struct worker_kinds *k, arch_mask archs)
{
	*k = (struct worker_kinds){.kind = ht_alloc(ARCH_COUNT, sizeof(*k->kind)), .n = ARCH_COUNT};
	for (int a = 0; a < ARCH_COUNT; a++)
		k->kind[a] = (struct worker_kind){.arch = archs >> a & 1 ? (enum arch)a : ARCH_NONE, .device = -1};
}

void worker_kinds_fini(struct worker_kinds *k)
{
	free(k->kind);
	free(k->of);
}

int worker_kinds_class_best(const struct worker_kinds *k, const struct dag *d, uint32_t class_id)
{
	int64_t least = INT64_MAX;
	int best = -1;

	for (int i = 0; i < k->n; i++) {
		int64_t cost = worker_kind_class_cost(&k->kind[i], d, class_id);

		if (cost < 0 || cost >= least)
			continue;
		least = cost;
		best = i;
	}
	return best;
}
