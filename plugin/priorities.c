/* plugin/priorities.c - one of StarPU's own policies that lets the application give its tasks any priority. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A policy that makes nothing of priorities (eager, dm, dmda, random) says to the application that they go from 0 to 0,
 * and an application that asks gives none. A run recorded so cannot say what a policy would do that looks at them.
 * Here the policy is the same, and the range is that of all integers, as dmdas has it; the one effect left is that
 * copies of data are requested in the order of priorities (1.4.10, src/datawizard/coherency.c, starpu_prefetch_...).
 * By the way it notes which policy it is; it does that also alone, in a recording (recording.h).
 */
#include "plugin/priorities.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"

static struct {
	union starpu_policy wrapped;
	char name[64]; /* whose copy it is; "": none yet */
	atomic_int contexts;
	policy_context_fn *init, *deinit;
} shown;

static void wrapped_init(unsigned ctx)
{
	atomic_fetch_add(&shown.contexts, 1);
	if (ctx == 0) /* the context that all others are in */
		report_scheduler(shown.name);
	shown.init(ctx);
	if (!getenv("HETEROTUNE_PRIORITIES"))
		return;
	if (!sp.starpu_sched_ctx_min_priority_is_set(ctx))
		sp.starpu_sched_ctx_set_min_priority(ctx, INT_MIN);
	if (!sp.starpu_sched_ctx_max_priority_is_set(ctx))
		sp.starpu_sched_ctx_set_max_priority(ctx, INT_MAX);
}

static void wrapped_deinit(unsigned ctx)
{
	if (shown.deinit)
		shown.deinit(ctx);
	atomic_fetch_sub(&shown.contexts, 1);
}

/*
 * StarPU takes dmda for a name that begins with heft, and lws for a STARPU_SCHED that it has no policy for (1.4.10,
 * src/core/sched_policy.c, find_sched_policy_from_name(), _starpu_select_sched_policy()). The library leaves that to
 * StarPU, but notes it: what the environment says is not what the program runs under.
 */
static void note_unknown(const char *name)
{
	const char *asked = getenv("STARPU_SCHED");
	static int is_said; /* StarPU asks twice */

	if (strncmp(name, "heft", 4) == 0) {
		report_scheduler("dmda");
	} else if (asked && strcmp(asked, name) == 0) {
		if (!is_said++)
			report_sentence("STARPU_SCHED=%s: StarPU has no scheduler of that name and takes lws", name);
		report_scheduler("lws");
	}
}

struct starpu_sched_policy *priorities_policy(const char *name)
{
	const struct starpu_sched_policy *stock;
	unsigned char *w = shown.wrapped.bytes;
	const char *missing;

	if (!getenv("HETEROTUNE_PRIORITIES") && !getenv("HETEROTUNE_WHERE"))
		return NULL;
	if (*shown.name && strcmp(shown.name, name) == 0)
		return &shown.wrapped.as_starpu_sees_it;
	if (atomic_load(&shown.contexts)) /* another lookup, for a context that the program makes */
		return NULL;
	missing = starpu_api_open();
	if (missing && getenv("HETEROTUNE_PRIORITIES"))
		report_sentence("%s: tasks are recorded with the priorities that %s lets them have", missing, name);
	stock = missing || strlen(name) >= sizeof(shown.name) ? NULL : starpu_api_policy(name);
	if (!stock) {
		if (!missing)
			note_unknown(name);
		return NULL;
	}
	starpu_policy_copy(&shown.wrapped, stock);
	shown.init = POLICY_FUNCTION(w, sp.layout->policy.init_sched, policy_context_fn *);
	shown.deinit = POLICY_FUNCTION(w, sp.layout->policy.deinit_sched, policy_context_fn *);
	if (!shown.init)
		return NULL;
	POLICY_FUNCTION(w, sp.layout->policy.init_sched, policy_context_fn *) = wrapped_init;
	POLICY_FUNCTION(w, sp.layout->policy.deinit_sched, policy_context_fn *) = wrapped_deinit;
	strcpy(shown.name, name);
	return &shown.wrapped.as_starpu_sees_it;
}
