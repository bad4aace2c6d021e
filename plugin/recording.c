/* plugin/recording.c - what a recording has beside StarPU's trace, under any policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/recording.h"

#include <stdlib.h>

#include "plugin/sessions.h"
#include "plugin/starpu/codelet_name.h"
#include "plugin/starpu/lengths.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/starpu/where.h"

static struct {
	union starpu_policy wrapped;
	const struct starpu_sched_policy *of;
	policy_context_fn *init, *deinit;
	policy_push_fn *push;
	policy_submit_fn *submit;
} recorded;

/* With the first context, which all others are in, the trace of the session before is kept, and this one recorded. */
static void recorded_init(unsigned ctx)
{
	if (!ctx) {
		sessions_keep();
		sessions_record();
	}
	recorded.init(ctx);
}

static int recorded_push(struct starpu_task *task)
{
	codelet_name_task(task);
	where_note(task);
	lengths_note(task);
	return recorded.push(task);
}

/* One whose worker the program names is never pushed. */
static void recorded_submit(struct starpu_task *task)
{
	if (*task_codelet(task) && task_has_worker(task)) {
		codelet_name_task(task);
		where_note(task);
		lengths_note(task);
	}
	if (recorded.submit)
		recorded.submit(task);
}

static void recorded_deinit(unsigned ctx)
{
	where_write();
	lengths_write();
	if (recorded.deinit)
		recorded.deinit(ctx);
}

struct starpu_sched_policy *recording_policy(struct starpu_sched_policy *policy)
{
	unsigned char *w = recorded.wrapped.bytes;

	if (!policy || !sp.layout || !getenv("HETEROTUNE_WHERE") || (recorded.of && recorded.of != policy))
		return policy;
	starpu_policy_copy(&recorded.wrapped, policy);
	recorded.init = POLICY_FUNCTION(w, sp.layout->policy.init_sched, policy_context_fn *);
	recorded.push = POLICY_FUNCTION(w, sp.layout->policy.push_task, policy_push_fn *);
	recorded.deinit = POLICY_FUNCTION(w, sp.layout->policy.deinit_sched, policy_context_fn *);
	recorded.submit = POLICY_FUNCTION(w, sp.layout->policy.submit_hook, policy_submit_fn *);
	if (!recorded.init || !recorded.push)
		return policy;
	recorded.of = policy;
	POLICY_FUNCTION(w, sp.layout->policy.init_sched, policy_context_fn *) = recorded_init;
	POLICY_FUNCTION(w, sp.layout->policy.push_task, policy_push_fn *) = recorded_push;
	POLICY_FUNCTION(w, sp.layout->policy.deinit_sched, policy_context_fn *) = recorded_deinit;
	POLICY_FUNCTION(w, sp.layout->policy.submit_hook, policy_submit_fn *) = recorded_submit;
	return &recorded.wrapped.as_starpu_sees_it;
}
