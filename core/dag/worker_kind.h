/* core/dag/worker_kind.h - kinds of workers: those that take the same time for every task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_WORKER_KIND_H
#define CORE_DAG_WORKER_KIND_H

#include <stdint.h>

#include "core/dag/dag.h"
#include "core/machine/arch.h"

struct machine;

struct worker_kind {
	enum arch arch; /* ARCH_NONE: can run nothing */
	int device;     /* of dag.devices, with costs of its own; -1: those of the architecture */
	int nworkers;
	uint64_t nodes; /* a bit each: where it has workers */
};

struct worker_kinds {
	struct worker_kind *kind;
	int n;
	int *of; /* per worker; NULL where there is no machine */
};

/* In the order of their first workers. Workers of a device that has costs of its own are a kind by themselves. */
void worker_kinds_init(struct worker_kinds *k, const struct dag *d, const struct machine *m);

/* One for each architecture of the machine, whatever devices cost, in the order of their first workers. */
void worker_kinds_of_machine(struct worker_kinds *k, const struct machine *m);

/* One for each architecture there is: kind a is architecture a, or can run nothing where that is not in `archs`. */
void worker_kinds_of_archs(struct worker_kinds *k, arch_mask archs);

void worker_kinds_fini(struct worker_kinds *k);

/* What a task of the class takes on a worker of the kind, ns; -1: it cannot run there. */
static inline int64_t worker_kind_class_cost(const struct worker_kind *k, const struct dag *d, uint32_t class_id)
{
	return k->arch == ARCH_NONE ? -1 : dag_class_cost_on(d, class_id, k->arch, k->device);
}

static inline int64_t worker_kind_cost(const struct worker_kind *k, const struct dag *d, uint32_t task)
{
	return worker_kind_class_cost(k, d, d->tasks[task].class_id);
}

/* The kind that is fastest at the class, among equals the first; -1: none can run it. */
int worker_kinds_class_best(const struct worker_kinds *k, const struct dag *d, uint32_t class_id);

#endif
