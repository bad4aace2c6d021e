/* plugin/data_query.c - where the copies of data are, as far as StarPU says so without its locks: a hint. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/data_query.h"

#include "core/dag/live_dag.h"
#include "core/trace/trace.h"
#include "plugin/live.h"
#include "plugin/starpu/starpu_api.h"
#include "sched/policy.h"

struct status {
	int is_allocated, is_valid, is_coming;
};

static struct status status_of(uint32_t handle, int node)
{
	struct status s = {0};
	int is_loading = 0, is_requested = 0;

	sp.starpu_data_query_status2(live_handle(handle), node, &s.is_allocated, &s.is_valid, &is_loading,
	                             &is_requested);
	s.is_coming = is_loading || is_requested;
	return s;
}

void data_where(uint32_t handle, int nnodes, uint64_t *valid, uint64_t *coming)
{
	*valid = *coming = 0;
	for (int node = 0; node < nnodes && node < 64; node++) {
		struct status s = status_of(handle, node);

		*valid |= (uint64_t)(s.is_valid != 0) << node;
		*coming |= (uint64_t)(s.is_coming != 0) << node;
	}
}

void data_missing(uint32_t task, int node, struct policy_missing *missing)
{
	const struct dag *d = live_dag_view(live_graph());
	const struct dag_task *t = &d->tasks[task];

	*missing = (struct policy_missing){0};
	for (uint32_t i = 0; i < t->naccesses; i++) {
		const struct data_access *a = &d->accesses[t->first_access + i];
		struct status s;

		if (a->mode & ACCESS_SCRATCH)
			continue;
		s = status_of(a->handle, node);
		if (!s.is_allocated)
			missing->unallocated_bytes += d->handle_bytes[a->handle];
		if (s.is_valid || !(a->mode & ACCESS_R))
			continue;
		missing->invalid_bytes += d->handle_bytes[a->handle];
		missing->unrequested_bytes += s.is_coming ? 0 : d->handle_bytes[a->handle];
	}
}
