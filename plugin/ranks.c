/* plugin/ranks.c - one of StarPU's own policies, with upward ranks as the priorities of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Most applications give their tasks no priorities, and a policy that sorts by them then has no order. The rank is
 * found from what is submitted (live.h), and written into task->priority when the task is pushed; before it executes
 * the task gets back what the application gave. Without memory a task keeps what it has.
 */
#include "plugin/ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "plugin/buckets.h"
#include "plugin/live.h"
#include "plugin/program_check.h"
#include "plugin/starpu/guard.h"
#include "plugin/starpu/lock.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"

static struct {
	union starpu_policy wrapped;
	char name[64];                    /* whose copy it is; "": none yet */
	struct config *config;            /* that has asked for it; NULL: none */
	int contexts, is_lost;            /* is_lost: there was no memory, which has been said */
	policy_context_fn *init, *deinit; /* those of the wrapped policy; the hooks may be NULL */
	policy_push_fn *push;
	policy_submit_fn *submit;
	policy_exec_fn *pre_exec, *post_exec;
	/* Per index of live.h: what the application gave a task that is pushed. */
	struct given {
		int priority, is_pushed;
	} * given;
	size_t cap_given;
} ranks;

static void say_lost(void)
{
	if (!ranks.is_lost)
		report_sentence("there is no memory for ranks: tasks keep their priorities from here on");
	ranks.is_lost = 1;
}

static void wrapped_init(unsigned ctx)
{
	if (live_open(ranks.config) != 0)
		say_lost();
	if (!ranks.contexts++)
		report_line("tuned ranks:%s", ranks.name);
	ranks.init(ctx);
	sp.starpu_sched_ctx_set_min_priority(ctx, INT_MIN);
	sp.starpu_sched_ctx_set_max_priority(ctx, INT_MAX);
}

static void wrapped_deinit(unsigned ctx)
{
	ranks.deinit(ctx);
	live_close();
	if (--ranks.contexts)
		return;
	free(ranks.given);
	ranks.given = NULL;
	ranks.cap_given = 0;
	ranks.is_lost = 0;
}

/* A task without codelet or that nobody executes is never pushed, and some are known then only. */
static void wrapped_submit(struct starpu_task *task)
{
	if (*task_codelet(task) && *task_where(task) != STARPU_NOWHERE && !live_may_vanish(task)) {
		lock_take();
		program_check(task);
		if (live_index(task) != LIVE_NONE) /* it goes on after it has waited within itself (world.c) */
			live_done(task);
		live_submit(task);
		lock_release();
	} else if (!*task_codelet(task)) {
		lock_take();
		live_note(task);
		lock_release();
	}
	if (ranks.submit)
		ranks.submit(task);
}

static void grow(void *index)
{
	VEC_FIT(ranks.given, ranks.cap_given, *(const uint32_t *)index);
}

static int wrapped_push(struct starpu_task *task)
{
	uint32_t index;

	lock_take();
	index = live_index(task);
	if (index == LIVE_NONE)
		index = live_submit(task);
	if (index != LIVE_NONE && index >= ranks.cap_given && guarded(grow, &index) != 0)
		live_lose();
	if (!live_graph())
		say_lost();
	else if (index != LIVE_NONE) {
		/* One that is pushed again has a rank as its priority already. */
		if (!ranks.given[index].is_pushed)
			ranks.given[index] = (struct given){*task_priority(task), 1};
		*task_priority(task) = live_priority(index);
	}
	lock_release();
	return ranks.push(task);
}

static void wrapped_pre_exec(struct starpu_task *task, unsigned ctx)
{
	uint32_t index;

	if (ranks.pre_exec)
		ranks.pre_exec(task, ctx);
	lock_take();
	index = live_index(task);
	if (index != LIVE_NONE && index < ranks.cap_given && ranks.given[index].is_pushed) {
		*task_priority(task) = ranks.given[index].priority;
		ranks.given[index].is_pushed = 0;
	}
	if (live_is_internal(task))
		live_done(task);
	lock_release();
}

static void wrapped_post_exec(struct starpu_task *task, unsigned ctx)
{
	uint32_t index;

	/* StarPU's own end the program in a thread that is no worker, which calls starpu_task_end_dep_release(). */
	if (ranks.post_exec && sp.starpu_worker_get_id() >= 0)
		ranks.post_exec(task, ctx);
	lock_take();
	index = live_index(task);
	if (index != LIVE_NONE && index < ranks.cap_given)
		ranks.given[index].is_pushed = 0;
	live_done(task);
	lock_release();
}

static void wrap(const struct starpu_sched_policy *stock)
{
	unsigned char *w = ranks.wrapped.bytes;

	starpu_policy_copy(&ranks.wrapped, stock);
	ranks.init = POLICY_WRAP(w, init_sched, policy_context_fn, wrapped_init);
	ranks.deinit = POLICY_WRAP(w, deinit_sched, policy_context_fn, wrapped_deinit);
	ranks.push = POLICY_WRAP(w, push_task, policy_push_fn, wrapped_push);
	ranks.submit = POLICY_WRAP(w, submit_hook, policy_submit_fn, wrapped_submit);
	ranks.pre_exec = POLICY_WRAP(w, pre_exec_hook, policy_exec_fn, wrapped_pre_exec);
	ranks.post_exec = POLICY_WRAP(w, post_exec_hook, policy_exec_fn, wrapped_post_exec);
}

static int look_up(const char *name, struct ht_err *err)
{
	const struct starpu_sched_policy *stock = starpu_api_policy(name);

	if (sp.missing_for_scheduling)
		return ht_err_set(err, "this StarPU has no %s: its tasks get no ranks", sp.missing_for_scheduling);
	if (strcmp(name, "heteroprio") == 0)
		return ht_err_set(err,
		                  "priorities are the numbers of buckets under heteroprio: its tasks get no ranks");
	/* Of a task that several workers execute together StarPU does not say when it ends (1.4.10, jobs.c). */
	if (strcmp(name, "peager") == 0 || strcmp(name, "pheft") == 0)
		return ht_err_set(err, "%s has several workers execute a task together: its tasks get no ranks", name);
	if (!stock || strlen(name) >= sizeof(ranks.name))
		return ht_err_set(err, "this StarPU has no policy \"%.40s\" that could get ranks", name);
	wrap(stock);
	strcpy(ranks.name, name);
	return 0;
}

static void open_buckets(void *config)
{
	buckets_open(config);
}

struct starpu_sched_policy *ranks_in_use(void)
{
	return ranks.contexts ? &ranks.wrapped.as_starpu_sees_it : NULL;
}

struct starpu_sched_policy *ranks_policy(const char *name, struct config *c, struct ht_err *err)
{
	if (look_up(name, err) != 0) {
		config_free(c);
		return NULL;
	}
	program_check_begin();
	if (guarded(open_buckets, c) != 0)
		buckets_close();
	config_free(ranks.config);
	ranks.config = c;
	return &ranks.wrapped.as_starpu_sees_it;
}
