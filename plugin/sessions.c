/* plugin/sessions.c - a program that starts StarPU several times, recorded: the trace of each session is kept. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "plugin/starpu/starpu_api.h"

enum { MOST = 1000, PATH = 4096 };

/* As StarPU names it: 1.4.10, src/common/fxt.c, _starpu_profile_set_tracefile(). 0: that is too long. */
static int trace_of_rank(char file[PATH], const char *prefix, int rank)
{
	const char *user = getenv("USER");

	return snprintf(file, PATH, "%s/prof_file_%s_%d", prefix, user ? user : "", rank) < PATH;
}

/* Those of the other ranks, until there is no more. */
static void keep_others(const char *prefix, int session)
{
	char file[PATH], name[PATH];

	for (int rank = 1; rank < MOST; rank++)
		if (!trace_of_rank(file, prefix, rank) ||
		    snprintf(name, PATH, "%s/session_%d_%d", prefix, session, rank) >= PATH || rename(file, name) != 0)
			return;
}

void sessions_record(void)
{
	if (getenv("HETEROTUNE_RECORD") && sp.starpu_fxt_start_profiling)
		sp.starpu_fxt_start_profiling();
}

void sessions_keep(void)
{
	const char *prefix = getenv("STARPU_FXT_PREFIX");
	char file[PATH], name[PATH];

	if (!prefix || !trace_of_rank(file, prefix, 0) || access(file, F_OK) != 0)
		return;
	for (int i = 1; i < MOST; i++)
		if (snprintf(name, PATH, "%s/session_%d", prefix, i) >= PATH || access(name, F_OK) != 0) {
			if (rename(file, name) == 0)
				keep_others(prefix, i);
			return;
		}
}

static struct {
	union starpu_policy wrapped;
	const struct starpu_sched_policy *of;
	policy_context_fn *init;
} recorded;

static void recorded_init(unsigned ctx)
{
	if (ctx == 0) { /* the context that all others are in */
		sessions_keep();
		sessions_record();
	}
	recorded.init(ctx);
}

struct starpu_sched_policy *sessions_policy(struct starpu_sched_policy *policy)
{
	unsigned char *w = recorded.wrapped.bytes;

	if (!policy || !sp.layout || !getenv("HETEROTUNE_WHERE") || (recorded.of && recorded.of != policy))
		return policy;
	starpu_policy_copy(&recorded.wrapped, policy);
	recorded.init = POLICY_FUNCTION(w, sp.layout->policy.init_sched, policy_context_fn *);
	if (!recorded.init)
		return policy;
	recorded.of = policy;
	POLICY_FUNCTION(w, sp.layout->policy.init_sched, policy_context_fn *) = recorded_init;
	return &recorded.wrapped.as_starpu_sees_it;
}
