/* plugin/priorities.c - one of StarPU's own policies that lets the application give its tasks any priority. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A policy that makes nothing of priorities (eager, dm, dmda, random) tells the application that they go from 0 to 0,
 * and an application that asks gives none. A run recorded so cannot say what a policy would do that looks at them.
 * Here the policy is the same, and the range is that of all integers, as dmdas has it; the one effect left is that
 * copies of data are requested in the order of priorities (1.4.10, src/datawizard/coherency.c, starpu_prefetch_...).
 * By the way it notes what each codelet can run on, which no trace tells (where.h).
 */
#include "plugin/priorities.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/where.h"

static struct {
	struct starpu_sched_policy stock, wrapped;
} shown;

static void wrapped_init(unsigned ctx)
{
	shown.stock.init_sched(ctx);
	if (!starpu_sched_ctx_min_priority_is_set(ctx))
		starpu_sched_ctx_set_min_priority(ctx, INT_MIN);
	if (!starpu_sched_ctx_max_priority_is_set(ctx))
		starpu_sched_ctx_set_max_priority(ctx, INT_MAX);
}

static int wrapped_push(struct starpu_task *task)
{
	where_note(task);
	return shown.stock.push_task(task);
}

static void wrapped_deinit(unsigned ctx)
{
	where_write();
	shown.stock.deinit_sched(ctx);
}

struct starpu_sched_policy *priorities_policy(const char *name)
{
	struct starpu_sched_policy **p = starpu_sched_get_predefined_policies();

	if (!getenv("HETEROTUNE_PRIORITIES"))
		return NULL;
	if (shown.stock.policy_name) /* another lookup, for a context the program makes */
		return strcmp(shown.stock.policy_name, name) == 0 ? &shown.wrapped : NULL;
	while (*p && (!(*p)->policy_name || strcmp((*p)->policy_name, name) != 0))
		p++;
	if (!*p || !(*p)->init_sched)
		return NULL;
	shown.stock = **p;
	shown.wrapped = shown.stock;
	shown.wrapped.init_sched = wrapped_init;
	if (shown.stock.push_task)
		shown.wrapped.push_task = wrapped_push;
	if (shown.stock.deinit_sched)
		shown.wrapped.deinit_sched = wrapped_deinit;
	return &shown.wrapped;
}
