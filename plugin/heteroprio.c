/* plugin/heteroprio.c - StarPU's own heteroprio, set up from a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A copy of StarPU's heteroprio with some functions wrapped: init hands it the config's lists (heteroprio_setup.h);
 * push writes the bucket's number into task->priority, where heteroprio looks for it, and narrows task->where to the
 * bucket's users; both are what the application gave again before the task executes, so that callbacks and a later
 * submission find them. Buckets that go by the place of a task among those of its kind need the live graph (live.h);
 * its index is in task->sched_data then, and the task's record in an array.
 *
 * The first tasks that the program submits show whether the config is of the program at all: with the first one that it
 * knows heteroprio begins, and where it knows none of the first PROGRAM_CHECK_TASKS there is a fallback that takes the
 * place of heteroprio. Until then tasks wait in a list from which every worker takes the first that it can execute.
 * StarPU goes on to call the functions here, which pass its calls on to the fallback. Tasks for whose records there is
 * no memory are not changed: they wait in such a list too, and so do those that not all workers of a bucket can
 * execute.
 *
 * There is one such policy in a program and StarPU passes no pointer of ours around, so the state is one static
 * structure: written by init and deinit, which run alone, only read while there are tasks, except for the counters. The
 * library is linked with -z nodelete: StarPU closes and reopens it whenever a policy is looked up, also while one is in
 * use.
 */
#include "plugin/heteroprio.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/config/config_mapping.h"
#include "core/machine/arch.h"
#include "plugin/buckets.h"
#include "plugin/fallback.h"
#include "plugin/heteroprio_setup.h"
#include "plugin/live.h"
#include "plugin/program_check.h"
#include "plugin/starpu/guard.h"
#include "plugin/starpu/lock.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/starpu/can_run.h"
#include "plugin/starpu/task_list.h"

static const char plain; /* sched_data of a task that was taken from the list */

/* What a task is given back before it executes. */
struct record {
	uint32_t place; /* buckets_place() */
	int32_t where;
	int priority;
	int is_pushed; /* where and priority are the application's, and the task has others */
};

/* What has the tasks of the context. */
enum phase { UNDECIDED, HETEROPRIO, FALLBACK };

static struct {
	union starpu_policy wrapped;
	policy_context_fn *init, *deinit; /* those of StarPU's heteroprio; others than push and pop may be NULL */
	policy_push_fn *push;
	policy_pop_fn *pop;
	policy_submit_fn *submit;
	policy_exec_fn *pre_exec, *post_exec;
	policy_workers_fn *add_workers, *remove_workers;
	policy_context_fn *do_schedule;
	struct config *config; /* opened, and to be used by the next context */
	char path[PATH_MAX];
	int is_active; /* in the context `ctx`, the program's first; others have the fallback */
	unsigned ctx;
	atomic_int phase; /* changed under the lock; `fallback` is there before FALLBACK */
	const struct starpu_sched_policy *fallback;
	unsigned seen;             /* submissions while UNDECIDED */
	struct starpu_task **held; /* ready while UNDECIDED, in their order */
	size_t nheld;
	atomic_ulong naside;
	struct task_list aside; /* tasks in no bucket */
	struct config_mapping mapping;
	int has_graph;          /* some bucket goes by places */
	struct record *records; /* per index of the live graph */
	size_t cap_records;
	atomic_ulong matched, restricted, unknown;
} plugin;

static void drop_config(void)
{
	buckets_close();
	config_free(plugin.config);
	free(plugin.held);
	free(plugin.records);
	plugin.config = NULL;
	plugin.held = NULL;
	plugin.records = NULL;
	plugin.nheld = plugin.cap_records = 0;
}

struct opening {
	const char *path;
	struct ht_err *err;
	int rc;
};

/* Makes all that needs memory. */
static void prepare(void *arg)
{
	struct opening *o = arg;
	const struct config *c = plugin.config;
	int workers[ARCH_COUNT];

	o->rc = config_mapping_make(&plugin.mapping, c, heteroprio_workers(workers), o->err);
	if (o->rc != 0) {
		ht_err_wrap(o->err, "%s", o->path);
		return;
	}
	buckets_open(c);
	plugin.has_graph = (buckets_limits() & MEMBER_SUBMISSION) != 0;
	plugin.held = ht_alloc(PROGRAM_CHECK_TASKS, sizeof(*plugin.held));
}

static void wrapped_init(unsigned ctx)
{
	struct heteroprio_env env;

	/* In a context that the program makes itself heteroprio would calibrate, and end programs of 100 codelets. */
	if (plugin.is_active || !plugin.config) {
		if (fallback_instead(ctx) != 0)
			plugin.init(ctx);
		return;
	}
	plugin.is_active = 1;
	plugin.ctx = ctx;
	atomic_store(&plugin.phase, sp.missing_for_scheduling ? HETEROPRIO : UNDECIDED);
	plugin.seen = 0;
	lock_init();
	plugin.has_graph = plugin.has_graph && !sp.missing_for_scheduling;
	if (plugin.has_graph && live_open(plugin.config) != 0)
		report_sentence("%s: there is no memory for the places of tasks", plugin.path);
	atomic_store(&plugin.matched, 0);
	atomic_store(&plugin.restricted, 0);
	atomic_store(&plugin.unknown, 0);
	heteroprio_env_enter(&env, plugin.config, plugin.path);
	plugin.init(ctx);
	heteroprio_env_leave(&env);
	heteroprio_set_mapping(ctx, plugin.config, &plugin.mapping);
	heteroprio_open_priorities(ctx);
	report_line("tuned %s", plugin.path);
	report_verbose("%s: heteroprio, buckets=%d spare=%d kinds=%d", plugin.path, plugin.config->nbuckets,
	               plugin.mapping.nspare, buckets_nkinds());
}

static int is_ours(const struct starpu_task *task)
{
	return plugin.is_active && *task_context(task) == plugin.ctx;
}

static arch_mask where_of(const struct starpu_task *task)
{
	uint64_t where = (uint64_t)(uint32_t)*task_where(task);
	arch_mask archs = 0;

	for (int a = 0; a < sp.layout->narchs; a++)
		if ((where & STARPU_WORKER_TO_MASK(a)) != 0)
			archs |= (arch_mask)(1u << a);
	return archs;
}

/*
 * After a push heteroprio wakes the first sleeping worker that can run the task by task->where, and no other (1.4
 * heteroprio.c, the end of push_task_heteroprio_policy). One whose architecture does not look at the bucket goes back
 * to sleep, and where nobody else is awake the program hangs. So task->where becomes what the bucket's users are.
 */
static void narrow(struct starpu_task *task, arch_mask users)
{
	uint64_t where = 0;

	for (int a = 0; a < sp.layout->narchs; a++)
		if (users >> a & 1)
			where |= STARPU_WORKER_TO_MASK(a);
	*task_where(task) = (int32_t)where;
}

/* A task that no worker executes (without codelet, or STARPU_NOWHERE) is never pushed, and gets no record. */
static int is_executed(const struct starpu_task *task)
{
	return *task_codelet(task) && *task_where(task) != STARPU_NOWHERE;
}

static int phase(void)
{
	return atomic_load_explicit(&plugin.phase, memory_order_acquire);
}

static void fit_records(void *index)
{
	VEC_FIT(plugin.records, plugin.cap_records, *(const uint32_t *)index);
}

/* With the graph between lock_take() and lock_release(), which with_record() and done_with_record() are. NULL: none. */
static struct record *record_of(struct starpu_task *task)
{
	uint32_t index;

	if (!plugin.has_graph)
		return *task_sched_data(task);
	index = live_index(task);
	return index < plugin.cap_records ? &plugin.records[index] : NULL;
}

static struct record *with_record(struct starpu_task *task)
{
	if (plugin.has_graph)
		lock_take();
	return record_of(task);
}

static void done_with_record(void)
{
	if (plugin.has_graph)
		lock_release();
}

/* The task is in the graph, and has its place. Locked. */
static void place(struct starpu_task *task)
{
	uint32_t index = live_index(task);

	if (index == LIVE_NONE)
		index = live_submit(task);
	if (index == LIVE_NONE || guarded(fit_records, &index) != 0)
		return;
	plugin.records[index] = (struct record){.place = buckets_place(task, index)};
}

/* The fallback has the tasks from now on. -1: there is none. Locked. */
static int fall_back(struct starpu_task *task)
{
	char why[PATH_MAX + 256];

	program_check_text(why, sizeof(why), plugin.seen, task);
	plugin.fallback = fallback_begin(plugin.ctx, plugin.deinit, why);
	return plugin.fallback ? 0 : -1;
}

/* Passes on what was pushed before it was decided. */
static void push_held(struct starpu_task **held, size_t n)
{
	policy_push_fn *push = POLICY_FUNCTION(plugin.wrapped.bytes, sp.layout->policy.push_task, policy_push_fn *);

	for (size_t i = 0; i < n; i++)
		push(held[i]);
	free(held);
}

/* One more task is submitted while nothing is decided. */
static void look(struct starpu_task *task)
{
	struct starpu_task **held = NULL;
	size_t n = 0;
	int to = UNDECIDED;

	lock_take();
	if (phase() == UNDECIDED) {
		plugin.seen += !live_is_internal(task);
		if (buckets_know(task))
			to = HETEROPRIO;
		else if (plugin.seen >= PROGRAM_CHECK_TASKS || plugin.nheld >= PROGRAM_CHECK_TASKS)
			to = fall_back(task) == 0 ? FALLBACK : HETEROPRIO;
		if (to != UNDECIDED) {
			held = plugin.held;
			n = plugin.nheld;
			plugin.held = NULL;
			plugin.nheld = 0;
			atomic_store_explicit(&plugin.phase, to, memory_order_release);
		}
	}
	lock_release();
	push_held(held, n);
}

static void wake_all(void)
{
	int n = (int)sp.starpu_worker_get_count();

	for (int i = 0; i < n; i++)
		sp.starpu_wake_worker_relax_light(i);
}

/* -1: it is decided by now. */
static int hold(struct starpu_task *task)
{
	int is_held = 0;

	lock_take();
	if (phase() == UNDECIDED && plugin.nheld < PROGRAM_CHECK_TASKS) {
		plugin.held[plugin.nheld++] = task;
		is_held = 1;
	}
	lock_release();
	if (!is_held)
		return -1;
	wake_all();
	return 0;
}

/* A task from a list to the worker that asks, if there is one. */
static struct starpu_task *hand_out(struct starpu_task *task)
{
	if (!task)
		return NULL;
	atomic_fetch_add_explicit(&plugin.unknown, 1, memory_order_relaxed);
	*task_sched_data(task) = (void *)(uintptr_t)&plain;
	sp.starpu_push_task_end(task);
	return task;
}

static struct starpu_task *take_held(void)
{
	int worker = sp.starpu_worker_get_id();
	struct starpu_task *task = NULL;
	unsigned implementation = 0;

	lock_take();
	for (size_t i = 0; i < plugin.nheld && !task; i++) {
		if (!sp.starpu_worker_can_execute_task_first_impl((unsigned)worker, plugin.held[i], &implementation))
			continue;
		task = plugin.held[i];
		memmove(plugin.held + i, plugin.held + i + 1, (--plugin.nheld - i) * sizeof(*plugin.held));
	}
	if (task && plugin.has_graph)
		live_done(task);
	lock_release();
	if (task)
		sp.starpu_task_set_implementation(task, implementation);
	return hand_out(task);
}

static void set_aside(struct starpu_task *task)
{
	lock_take();
	task_list_add(&plugin.aside, task);
	atomic_fetch_add(&plugin.naside, 1);
	lock_release();
	wake_all();
}

static struct starpu_task *take_aside(void)
{
	struct starpu_task *task;

	if (atomic_load(&plugin.naside) == 0)
		return NULL;
	lock_take();
	task = task_list_take(&plugin.aside, sp.starpu_worker_get_id());
	if (task)
		atomic_fetch_sub(&plugin.naside, 1);
	lock_release();
	return hand_out(task);
}

#define FALLBACK_FUNCTION(member, type) POLICY_FUNCTION(plugin.fallback, sp.layout->policy.member, type *)

static int is_fallen_back(unsigned ctx)
{
	return plugin.is_active && ctx == plugin.ctx && phase() == FALLBACK;
}

static struct starpu_task *wrapped_pop(unsigned ctx)
{
	struct starpu_task *task;
	policy_pop_fn *pop;

	if (!plugin.is_active || ctx != plugin.ctx)
		return plugin.pop(ctx);
	if (phase() == UNDECIDED) {
		task = take_held();
		if (task || phase() == UNDECIDED)
			return task;
	}
	if (phase() == FALLBACK) {
		pop = FALLBACK_FUNCTION(pop_task, policy_pop_fn);
		return pop ? pop(ctx) : NULL; /* random has none: it pushes to the workers' own lists */
	}
	task = plugin.pop(ctx);
	return task ? task : take_aside();
}

static void wrapped_submit(struct starpu_task *task)
{
	policy_submit_fn *submit = plugin.submit;

	if (is_ours(task) && is_executed(task)) {
		if (plugin.has_graph && phase() != FALLBACK && !live_may_vanish(task)) {
			lock_take();
			place(task);
			lock_release();
		}
		/* An application may give it a value (STARPU_TASK_SCHED_DATA), which is no record of ours. */
		if (!plugin.has_graph && phase() != FALLBACK)
			*task_sched_data(task) = NULL;
		if (phase() == UNDECIDED)
			look(task);
		if (phase() == FALLBACK)
			submit = FALLBACK_FUNCTION(submit_hook, policy_submit_fn);
	} else if (plugin.has_graph && !*task_codelet(task)) {
		lock_take();
		live_note(task);
		lock_release();
	}
	if (submit)
		submit(task);
}

/* What the application gave, if the task is pushed. */
static void give_back(struct starpu_task *task, struct record *r)
{
	if (!r || !r->is_pushed)
		return;
	*task_where(task) = r->where;
	*task_priority(task) = r->priority;
	r->is_pushed = 0;
}

/* The bucket's number in place of what the application gave. -1: the task cannot wait there. */
static int enter_bucket(struct starpu_task *task, struct record *r)
{
	int bucket, number;

	give_back(task, r); /* one that is pushed again has a bucket as its priority */
	bucket = buckets_of(task, r->place);
	number = config_mapping_number(&plugin.mapping, bucket, where_of(task));
	/* heteroprio looks at the first task of a bucket alone, and at its first implementation (1.4, pop_task_...). */
	if (number >= 0 && !sp.missing_for_scheduling && !task_is_let_all(task, plugin.mapping.users[number], 0))
		return -1;
	if (bucket < 0)
		atomic_fetch_add_explicit(&plugin.unknown, 1, memory_order_relaxed);
	else if (number != plugin.mapping.number[bucket])
		atomic_fetch_add_explicit(&plugin.restricted, 1, memory_order_relaxed);
	else
		atomic_fetch_add_explicit(&plugin.matched, 1, memory_order_relaxed);
	if (number < 0)
		return 0;
	r->where = *task_where(task);
	r->priority = *task_priority(task);
	r->is_pushed = 1;
	*task_priority(task) = number;
	narrow(task, plugin.mapping.users[number]);
	return 0;
}

/* The task has no record any more; between with_record() and done_with_record(). */
static void drop_record(struct starpu_task *task)
{
	if (plugin.has_graph) {
		live_done(task);
	} else {
		free(*task_sched_data(task));
		*task_sched_data(task) = NULL;
	}
}

/* Runs on every worker at once. StarPU has replaced a task->where of -1 by its codelet's at the submission. */
static int wrapped_push(struct starpu_task *task)
{
	struct record *r;

	if (!is_ours(task))
		return plugin.push(task);
	if (phase() == UNDECIDED && hold(task) == 0)
		return 0;
	if (phase() == UNDECIDED) /* there is no room for more: as many have come without a submission */
		look(task);
	if (phase() == FALLBACK) { /* no task was pushed before */
		if (plugin.has_graph) {
			lock_take();
			live_done(task);
			lock_release();
		}
		return FALLBACK_FUNCTION(push_task, policy_push_fn)(task);
	}
	r = with_record(task);
	if (!r && plugin.has_graph) {
		place(task); /* one that was pushed without a submission */
		r = record_of(task);
	} else if (!r) {
		r = *task_sched_data(task) = calloc(1, sizeof(*r));
	}
	if (r && enter_bucket(task, r) != 0)
		r = NULL;
	if (!r)
		drop_record(task);
	done_with_record();
	if (r)
		return plugin.push(task);
	set_aside(task);
	return 0;
}

/* No policy has pushed it. */
static int is_plain(const struct starpu_task *task)
{
	return is_ours(task) && *task_sched_data(task) == (const void *)&plain;
}

/*
 * The hook of the policy that the context has; NULL: none. Those of heteroprio are for its calibration, which is off
 * here, and end the program in a thread that is no worker: one that has called starpu_task_end_dep_release(). Besides,
 * tasks that no policy gets may execute while it gives way to the fallback.
 */
static policy_exec_fn *exec_hook(unsigned ctx, policy_exec_fn *stock, size_t member)
{
	if (is_fallen_back(ctx))
		return POLICY_FUNCTION(plugin.fallback, member, policy_exec_fn *);
	return plugin.is_active && ctx == plugin.ctx ? NULL : stock;
}

static void wrapped_pre_exec(struct starpu_task *task, unsigned ctx)
{
	policy_exec_fn *pre_exec = exec_hook(ctx, plugin.pre_exec, sp.layout->policy.pre_exec_hook);

	if (is_plain(task))
		return;
	if (pre_exec)
		pre_exec(task, ctx);
	if (!is_ours(task) || is_fallen_back(ctx))
		return;
	give_back(task, with_record(task));
	if (live_is_internal(task)) /* StarPU says nothing of its end */
		drop_record(task);
	done_with_record();
}

static void wrapped_post_exec(struct starpu_task *task, unsigned ctx)
{
	policy_exec_fn *post_exec = exec_hook(ctx, plugin.post_exec, sp.layout->policy.post_exec_hook);

	if (is_plain(task)) {
		*task_sched_data(task) = NULL;
		return;
	}
	if (post_exec)
		post_exec(task, ctx);
	if (!is_ours(task) || is_fallen_back(ctx))
		return;
	with_record(task);
	drop_record(task);
	done_with_record();
}

static void wrapped_add_workers(unsigned ctx, int *workers, unsigned n)
{
	policy_workers_fn *add = is_fallen_back(ctx) ? FALLBACK_FUNCTION(add_workers, policy_workers_fn) :
	                                               plugin.add_workers;

	if (add)
		add(ctx, workers, n);
}

static void wrapped_remove_workers(unsigned ctx, int *workers, unsigned n)
{
	policy_workers_fn *leave = is_fallen_back(ctx) ? FALLBACK_FUNCTION(remove_workers, policy_workers_fn) :
	                                                 plugin.remove_workers;

	if (leave)
		leave(ctx, workers, n);
}

static void wrapped_do_schedule(unsigned ctx)
{
	policy_context_fn *schedule = is_fallen_back(ctx) ? FALLBACK_FUNCTION(do_schedule, policy_context_fn) :
	                                                    plugin.do_schedule;

	if (schedule)
		schedule(ctx);
}

static void wrapped_deinit(unsigned ctx)
{
	unsigned long matched, restricted, unknown;
	policy_context_fn *deinit = is_fallen_back(ctx) ? FALLBACK_FUNCTION(deinit_sched, policy_context_fn) :
	                                                  plugin.deinit;

	if (deinit)
		deinit(ctx);
	if (!plugin.is_active || ctx != plugin.ctx)
		return;
	matched = atomic_load(&plugin.matched);
	restricted = atomic_load(&plugin.restricted);
	unknown = atomic_load(&plugin.unknown);
	report_line("done matched=%lu restricted=%lu unknown=%lu", matched, restricted, unknown);
	if (!report_is_read())
		report_note("%lu of %lu tasks known", matched + restricted, matched + restricted + unknown);
	report_verbose("%lu tasks went to their bucket, %lu can run on fewer architectures than their bucket asks for, "
	               "%lu are of codelets the config does not know",
	               matched, restricted, unknown);
	if (plugin.has_graph)
		live_close();
	plugin.is_active = 0;
	drop_config();
}

/* -1: StarPU has no heteroprio, or not all of it that is needed. */
static int wrap(struct ht_err *err)
{
	const struct starpu_sched_policy *stock = starpu_api_policy("heteroprio");
	unsigned char *w = plugin.wrapped.bytes;

	if (!stock || !sp.clear_mapping || !sp.starpu_heteroprio_set_nb_prios || !sp.starpu_heteroprio_set_mapping ||
	    !sp.starpu_heteroprio_set_faster_arch || !sp.starpu_heteroprio_set_arch_slow_factor)
		return ht_err_set(err, "this StarPU has no heteroprio that can be set up");
	starpu_policy_copy(&plugin.wrapped, stock);
	plugin.init = POLICY_WRAP(w, init_sched, policy_context_fn, wrapped_init);
	plugin.deinit = POLICY_WRAP(w, deinit_sched, policy_context_fn, wrapped_deinit);
	plugin.push = POLICY_WRAP(w, push_task, policy_push_fn, wrapped_push);
	plugin.pop = POLICY_WRAP(w, pop_task, policy_pop_fn, wrapped_pop);
	plugin.submit = POLICY_WRAP(w, submit_hook, policy_submit_fn, wrapped_submit);
	plugin.pre_exec = POLICY_WRAP(w, pre_exec_hook, policy_exec_fn, wrapped_pre_exec);
	plugin.post_exec = POLICY_WRAP(w, post_exec_hook, policy_exec_fn, wrapped_post_exec);
	plugin.add_workers = POLICY_WRAP(w, add_workers, policy_workers_fn, wrapped_add_workers);
	plugin.remove_workers = POLICY_WRAP(w, remove_workers, policy_workers_fn, wrapped_remove_workers);
	plugin.do_schedule = POLICY_WRAP(w, do_schedule, policy_context_fn, wrapped_do_schedule);
	return 0;
}

struct starpu_sched_policy *heteroprio_in_use(void)
{
	return plugin.is_active ? &plugin.wrapped.as_starpu_sees_it : NULL;
}

struct starpu_sched_policy *heteroprio_policy(struct config *c, const char *path, struct ht_err *err)
{
	struct opening o = {path, err, -1};

	drop_config();
	plugin.config = c;
	if (wrap(err) != 0)
		goto fail;
	if (guarded(prepare, &o) != 0) {
		ht_err_set(err, "%s: there is no memory for it", path);
		o.rc = -1;
	}
	if (o.rc != 0)
		goto fail;
	snprintf(plugin.path, sizeof(plugin.path), "%s", path);
	return &plugin.wrapped.as_starpu_sees_it;
fail:
	drop_config();
	return NULL;
}
