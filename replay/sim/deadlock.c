/* replay/sim/deadlock.c - why a replay cannot go on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/deadlock.h"

#include <inttypes.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/runnable.h"
#include "replay/sim/sim.h"
#include "sched/policy.h"

static const char *name_of(const struct sim *s, uint32_t task)
{
	return s->d->types[dag_type_of(s->d, task)].name;
}

/* A worker that waits for the data of a task: the first whose memory is too small for it, else the first; -1: none. */
static int waiting_worker(const struct sim *s, uint64_t *bytes)
{
	int first = -1;

	for (int w = 0; w < s->m->nworkers; w++) {
		int64_t capacity = s->m->nodes[s->m->workers[w].node].capacity_bytes;
		uint32_t task = s->workers[w].fetching.task;

		if (task == POLICY_NO_TASK)
			continue;
		*bytes = runnable_bytes(s->d, task);
		if (capacity > 0 && *bytes > (uint64_t)capacity)
			return w;
		first = first < 0 ? w : first;
	}
	*bytes = 0;
	return first;
}

static int waits_for_data(const struct sim *s, int worker, uint64_t bytes, struct ht_err *err)
{
	const struct machine_worker *w = &s->m->workers[worker];
	uint32_t task = s->workers[worker].fetching.task;

	if (bytes)
		return ht_err_set(err,
		                  "policy %s gives worker %d (%s) task %u (%s), for which its memory is too small: "
		                  "data=%" PRIu64 " bytes, memory=%" PRId64,
		                  s->policy->name, worker, arch_name(w->arch), (unsigned)task, name_of(s, task), bytes,
		                  s->m->nodes[w->node].capacity_bytes);
	return ht_err_set(err,
	                  "worker %d (%s) waits for ever for the data of task %u (%s): policy=%s, executed=%u of %u",
	                  worker, arch_name(w->arch), (unsigned)task, name_of(s, task), s->policy->name,
	                  (unsigned)s->executed, (unsigned)s->d->ntasks);
}

int deadlock_explain(const struct sim *s, struct ht_err *err)
{
	uint32_t task = POLICY_NO_TASK, ready = 0;
	uint64_t bytes;
	int waiting = waiting_worker(s, &bytes);

	if (waiting >= 0)
		return waits_for_data(s, waiting, bytes, err);
	for (uint32_t t = s->d->ntasks; t-- > 0;) {
		if (s->pending[t] == 0) {
			task = t;
			ready++;
		}
	}
	if (task == POLICY_NO_TASK)
		return ht_err_set(err, "no task is ready under policy %s, and not all have ended: executed=%u of %u",
		                  s->policy->name, (unsigned)s->executed, (unsigned)s->d->ntasks);
	return ht_err_set(err, "policy %s leaves task %u (%s) ready and nobody takes it: executed=%u of %u, ready=%u",
	                  s->policy->name, (unsigned)task, name_of(s, task), (unsigned)s->executed,
	                  (unsigned)s->d->ntasks, (unsigned)ready);
}
