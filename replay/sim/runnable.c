/* replay/sim/runnable.c - whether every task of a graph has a worker that can run it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/runnable.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"

/* The largest memory that workers of an architecture have; memory of a size that is not known takes everything. */
static void find_memory(const struct machine *m, uint64_t largest[ARCH_COUNT])
{
	for (int w = 0; w < m->nworkers; w++) {
		int64_t bytes = m->nodes[m->workers[w].node].capacity_bytes;
		uint64_t *of = &largest[m->workers[w].arch];

		if (!bytes)
			*of = UINT64_MAX;
		else if ((uint64_t)bytes > *of)
			*of = (uint64_t)bytes;
	}
}

/* Each datum once. `seen` has a number per handle that is no task's. */
static uint64_t bytes_of(const struct dag *d, uint32_t task, uint32_t *seen)
{
	const struct dag_task *t = &d->tasks[task];
	uint64_t bytes = 0;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		uint32_t handle = d->accesses[i].handle;

		if (seen[handle] == task + 1)
			continue;
		seen[handle] = task + 1;
		if (__builtin_add_overflow(bytes, d->handle_bytes[handle], &bytes))
			return UINT64_MAX - 1; /* what is not known still takes it */
	}
	return bytes;
}

static int check_task(const struct dag *d, uint32_t task, uint64_t bytes, const uint64_t largest[ARCH_COUNT],
                      struct ht_err *err)
{
	const char *name = d->types[dag_type_of(d, task)].name;
	uint64_t most = 0;

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (dag_cost(d, task, (enum arch)a) >= 0 && largest[a] > most)
			most = largest[a];
	}
	if (!most)
		return ht_err_set(err, "no worker of the machine can run task %u (%s)", (unsigned)task, name);
	if (bytes > most)
		return ht_err_set(err,
		                  "no worker has memory for task %u (%s): its data has %" PRIu64 " bytes, the largest "
		                  "memory %" PRIu64,
		                  (unsigned)task, name, bytes, most);
	return 0;
}

uint64_t runnable_bytes(const struct dag *d, uint32_t task)
{
	uint32_t *seen = ht_alloc(d->nhandles, sizeof(*seen));
	uint64_t bytes = bytes_of(d, task, seen);

	free(seen);
	return bytes;
}

int runnable_check(const struct dag *d, const struct machine *m, struct ht_err *err)
{
	uint64_t largest[ARCH_COUNT] = {0};
	uint32_t *seen = ht_alloc(d->nhandles, sizeof(*seen));
	int rc = 0;

	find_memory(m, largest);
	for (uint32_t t = 0; t < d->ntasks && rc == 0; t++)
		rc = check_task(d, t, bytes_of(d, t, seen), largest, err);
	free(seen);
	return rc;
}
