/* plugin/world.c - the policies of sched/ as policies of StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each context has a state of the policy, which sees the context's workers as its machine, and the live graph as its
 * dag (plugin/live.c). Where workers came or went, or there is more room for tasks or data than the state was made
 * for, a new state is made, and the tasks that wait are pushed to it: room doubles, so that costs a constant a task. A
 * policy with added() grows by itself.
 *
 * All calls of a policy are guarded. Without memory the policy is given up: the tasks that wait, and all later ones, go
 * through a list that needs no memory. So do tasks that not all workers can execute for which the policy has them.
 */
#include "plugin/world.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/live_dag.h"
#include "plugin/buckets.h"
#include "plugin/context_machine.h"
#include "plugin/live.h"
#include "plugin/program_check.h"
#include "plugin/starpu/can_run.h"
#include "plugin/starpu/guard.h"
#include "plugin/starpu/lock.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/world_answers.h"
#include "plugin/world_state.h"
#include "sched/knob.h"

enum { MAX_CONTEXTS = 64 };

static struct {
	union starpu_policy shown;
	const struct policy *policy;
	char text[WORLD_POLICY_TEXT];
	const char *options;
	struct config *config; /* NULL: none */
	int contexts;
	struct world worlds[MAX_CONTEXTS];
} own;

/* StarPU has ten contexts unless it is built for more. */
static struct world *world_of(unsigned ctx)
{
	return &own.worlds[ctx % MAX_CONTEXTS];
}

/* --- states of the policy */

static void wake_all(struct world *w)
{
	int n = (int)sp.starpu_worker_get_count();

	for (int i = 0; i < n; i++) {
		w->asleep[i] = 0;
		w->nto_wake += !w->to_wake[i];
		w->to_wake[i] = 1;
	}
}

/*
 * A policy wakes one of the workers that have asked it in vain. Where that one executes a task which the policy does
 * not know of (of another context, or for that worker alone), or begins one before it asks, the others ask in its
 * place. Returns the contexts, a bit each.
 */
static uint64_t go_away(const struct world *giver, int id)
{
	uint64_t called = 0;

	for (int i = 0, left = own.contexts; left > 0 && i < MAX_CONTEXTS; i++) {
		struct world *w = &own.worlds[i];

		left -= w->is_open;
		if (!w->is_open || w == giver)
			continue;
		w->is_away[id] = 1;
		if (w->is_called[id]) {
			wake_all(w);
			called |= UINT64_C(1) << i;
		}
	}
	return called;
}

/* Its worker begins it, or StarPU pushes it again. The worker may have asked in vain until now. */
static void begun(struct world *w, uint32_t task)
{
	int id = w->items[task].id - 1;

	w->items[task].id = 0;
	if (id < 0)
		return;
	w->ahead[id]--;
	if (id == sp.starpu_worker_get_id()) {
		w->asleep[id] = 0;
	} else if (w->asleep[id]) {
		w->nto_wake += !w->to_wake[id];
		w->to_wake[id] = 1;
	}
}

/* A policy that knows of the task, by its added() or by having given it to a worker, sees its end. */
static void leave(struct world *w, struct starpu_task *task)
{
	uint32_t index = live_index(task);
	const struct world_item *x;

	if (index >= w->cap_items)
		return;
	x = &w->items[index];
	if (own.policy->done && w->state && !w->is_plain && !w->workers_changed &&
	    (own.policy->added ? x->added == w->epoch : x->epoch == w->epoch && x->worker >= 0))
		own.policy->done(w->state, index, x->worker);
	begun(w, index);
	w->items[index] = (struct world_item){0};
}

/* It is not the policy's any more. */
static void make_plain(struct world *w, struct starpu_task *task)
{
	leave(w, task);
	live_done(task);
	task_list_add(&w->plain, task);
	wake_all(w);
}

/* The policy may give it to any worker of the context of which its costs say that it can run it, and there is one. */
static int is_for_policy(const struct world *w, struct starpu_task *task, uint32_t index)
{
	int n = 0;

	if (live_is_mixed(index))
		return 0;
	for (int i = 0; i < w->machine.nworkers; i++) {
		unsigned implementation;

		if (live_cost_ns(index, w->worker_of[i], &implementation) < 0)
			continue;
		if (!task_is_let(task, w->worker_of[i], implementation))
			return 0;
		n++;
	}
	return n > 0;
}

static int by_push(const void *a, const void *b, void *items)
{
	uint64_t x = ((const struct world_item *)items)[*(const uint32_t *)a].number;
	uint64_t y = ((const struct world_item *)items)[*(const uint32_t *)b].number;

	return x < y ? -1 : x > y;
}

/* The tasks that wait, in the order of their pushes. */
static void push_again(struct world *w)
{
	uint32_t *waiting = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t t = 0; t < w->cap_items; t++)
		if (w->items[t].is_waiting)
			*VEC_PUSH(waiting, n, cap) = t;
	if (n)
		qsort_r(waiting, n, sizeof(*waiting), by_push, w->items);
	for (size_t i = 0; i < n; i++) {
		if (is_for_policy(w, live_task(waiting[i]), waiting[i])) {
			w->items[waiting[i]].epoch = w->epoch;
			own.policy->push(w->state, waiting[i], -1);
		} else {
			make_plain(w, live_task(waiting[i]));
		}
	}
	free(waiting);
}

struct making {
	struct world *w;
	struct ht_err err;
	int rc;
};

static void make_state(void *arg)
{
	struct making *g = arg;
	struct world *w = g->w;
	const struct dag *d = live_dag_view(live_graph());

	g->rc = -1;
	own.policy->free(w->state);
	w->state = NULL;
	if (w->workers_changed) {
		w->nworkers = sp.starpu_sched_ctx_get_nworkers(w->ctx);
		context_machine(w->ctx, w->blocked.bits, &w->machine, &w->worker_of, &w->index_of);
	}
	w->workers_changed = 0;
	w->nmixed = live_mixed_classes();
	w->asked = world_answers(w, own.config);
	w->ntasks = d->ntasks;
	w->nhandles = d->nhandles;
	w->state = own.policy->create(own.policy, &w->asked, own.options, &g->err);
	if (!w->state)
		return;
	w->epoch++;
	for (int i = 0; i < WORLD_MAX_WORKERS; i++)
		w->asleep[i] = 0;
	push_again(w);
	for (int i = 0; i < w->machine.nworkers; i++)
		w->asked.wake(w, i);
	g->rc = 0;
}

/* No memory: what the policy has is not known any more, which tasks wait is. */
static void give_up(struct world *w, const char *why)
{
	if (w->is_plain)
		return;
	w->is_plain = 1;
	report_sentence("%s: tasks are taken in their order from here on", why);
	live_lose();
	for (uint32_t t = 0; t < w->cap_items; t++)
		if (w->items[t].is_waiting)
			task_list_add(&w->plain, live_task(t));
	wake_all(w);
}

/*
 * Workers that have been given to a context without a policy ask for nothing here until that context ends, and StarPU's
 * own policies leave them out. Not locked: if a worker is about to be blocked, StarPU's function waits until it is.
 */
static void find_blocked(struct world_workers *blocked)
{
	int n = (int)sp.starpu_worker_get_count();

	*blocked = (struct world_workers){{0}};
	for (int i = 0; i < n; i++)
		if (sp.starpu_worker_is_blocked_in_parallel(i))
			blocked->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void note_blocked(struct world *w, const struct world_workers *blocked)
{
	if (memcmp(&w->blocked, blocked, sizeof(*blocked)) == 0)
		return;
	w->blocked = *blocked;
	w->workers_changed = 1;
}

/* A worker that asks for a task is not blocked any more, also if no push comes after that. */
static void note_unblocked(struct world *w, int id)
{
	const uint64_t bit = UINT64_C(1) << id % 64;

	if (w->blocked.bits[id / 64] & bit) {
		w->blocked.bits[id / 64] &= ~bit;
		w->workers_changed = 1;
	}
}

/* The policy can be asked. Else the world is plain. */
static int is_ready(struct world *w)
{
	struct making g = {.w = w};
	const struct dag *d;

	if (!w->is_plain && !live_graph())
		give_up(w, "there is no memory for the policy");
	if (w->is_plain)
		return 0;
	d = live_dag_view(live_graph());
	/* StarPU 1.4 says of no worker that it leaves, but where the context ends (sched_ctx.c). */
	w->workers_changed |= w->nworkers != sp.starpu_sched_ctx_get_nworkers(w->ctx);
	w->workers_changed |= w->nmixed != live_mixed_classes(); /* tasks that wait would go to no worker */
	if (w->state && !w->workers_changed &&
	    (own.policy->added || (w->ntasks == d->ntasks && w->nhandles == d->nhandles)))
		return 1;
	if (guarded(make_state, &g) != 0)
		give_up(w, "there is no memory for the policy");
	else if (g.rc != 0)
		give_up(w, g.err.text);
	return !w->is_plain;
}

/*
 * Ends what lock_take() began, copies the data and wakes the workers that the policy named: StarPU may wait for them
 * then, and push tasks that wait for the data.
 */
static void release_and_wake(struct world *w)
{
	uint8_t wake[WORLD_MAX_WORKERS];
	int n, count = (int)sp.starpu_worker_get_count();
	struct copies copies = copies_take(&w->copies);

	if (w->calls_all)
		wake_all(w);
	w->calls_all = 0;
	n = w->nto_wake;
	if (n) {
		memcpy(wake, w->to_wake, (size_t)count);
		memset(w->to_wake, 0, (size_t)count);
		w->nto_wake = 0;
		for (int i = 0; i < count; i++)
			if (wake[i])
				w->asleep[i] = 0;
	}
	lock_release();
	copies_ask(copies);
	for (int i = 0; n && i < count; i++)
		if (wake[i])
			sp.starpu_wake_worker_relax_light(i);
}

/* --- what StarPU calls */

static void world_init(unsigned ctx)
{
	struct world *w = world_of(ctx);
	int is_first;

	live_open(own.config);
	lock_take();
	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->policy = own.policy;
	w->first = &own.worlds[0];
	w->is_open = w->workers_changed = 1;
	is_first = !own.contexts++;
	lock_release();
	sp.starpu_sched_ctx_set_min_priority(ctx, INT_MIN);
	sp.starpu_sched_ctx_set_max_priority(ctx, INT_MAX);
	if (is_first)
		report_line("tuned %s", own.text);
}

/* Where there was no memory something may be half made: it is left as it is. */
static void world_deinit(unsigned ctx)
{
	struct world *w = world_of(ctx);

	if (!w->is_plain) {
		own.policy->free(w->state);
		free(w->items);
		free(w->machine.workers);
		free(w->machine.nodes);
		free(w->machine.links);
		free(w->worker_of);
		free(w->index_of);
		free(w->copies.copies);
	}
	lock_take();
	memset(w, 0, sizeof(*w));
	own.contexts--;
	lock_release();
	live_close();
}

static void world_workers(unsigned ctx, int *ids, unsigned n)
{
	struct world *w = world_of(ctx);

	(void)ids;
	(void)n;
	lock_take();
	w->workers_changed = 1;
	wake_all(w);
	release_and_wake(w);
}

struct call {
	struct world *w;
	uint32_t task;
	int worker;
};

static void call_added(void *arg)
{
	const struct call *c = arg;
	struct world *w = c->w;

	VEC_FIT(w->items, w->cap_items, c->task);
	if (buckets_limits() & MEMBER_SUBMISSION)
		w->items[c->task].place = buckets_place(live_task(c->task), c->task);
	if (own.policy->added) {
		own.policy->added(w->state, c->task);
		w->items[c->task].added = w->epoch;
	}
}

/* A task that waits within itself, as OpenMP's do, is submitted again to go on, and has not ended before. */
static void end_live(struct world *w, struct starpu_task *task)
{
	if (live_index(task) == LIVE_NONE)
		return;
	leave(w, task);
	live_done(task);
}

static void world_submit(struct starpu_task *task)
{
	struct world *w = world_of(*task_context(task));
	struct call c = {.w = w};

	lock_take();
	if (!*task_codelet(task) || *task_where(task) == STARPU_NOWHERE) {
		if (live_note(task))
			copies_wait();
	} else if (!w->is_plain && !live_may_vanish(task)) {
		program_check(task);
		end_live(w, task);
		c.task = live_submit(task);
		/* The policy is there before it learns of its first task. */
		if (c.task != LIVE_NONE && (!own.policy->added || is_ready(w)) && guarded(call_added, &c) != 0)
			give_up(w, "there is no memory for the policy");
	}
	release_and_wake(w);
}

static void call_push(void *arg)
{
	const struct call *c = arg;
	struct world *w = c->w;

	VEC_FIT(w->items, w->cap_items, c->task);
	/* Those that asked before have not asked the policy, which does not know that they sleep. */
	if (!w->pushed)
		wake_all(w);
	begun(w, c->task);
	w->items[c->task] = (struct world_item){.epoch = w->epoch,
	                                        .number = ++w->pushed,
	                                        .added = w->items[c->task].added,
	                                        .place = w->items[c->task].place,
	                                        .worker = -1,
	                                        .is_waiting = 1,
	                                        .is_prefetched = w->items[c->task].is_prefetched};
	own.policy->push(w->state, c->task, c->worker);
}

static int world_push(struct starpu_task *task)
{
	struct world *w = world_of(*task_context(task));
	int id = sp.starpu_worker_get_id();
	struct call c = {.w = w, .worker = -1};
	struct world_workers blocked;
	int is_given = 0;

	find_blocked(&blocked);
	lock_take();
	note_blocked(w, &blocked);
	c.task = w->is_plain ? LIVE_NONE : live_index(task);
	if (!w->is_plain && c.task == LIVE_NONE)
		c.task = live_submit(task);
	if (is_ready(w) && is_for_policy(w, task, c.task)) {
		c.worker = id >= 0 ? w->index_of[id] : -1;
		is_given = guarded(call_push, &c) == 0;
		if (!is_given) {
			if (c.task < w->cap_items)
				w->items[c.task].is_waiting = 0;
			give_up(w, "there is no memory for the policy");
		}
	}
	if (!is_given)
		make_plain(w, task);
	sp.starpu_push_task_end(task);
	release_and_wake(w);
	return 0;
}

static void call_whole(void *world)
{
	struct world *w = world;

	live_dag_whole(live_graph());
	if (own.policy->whole)
		own.policy->whole(w->state);
}

/* The program waits for what it has submitted. */
static void world_do_schedule(unsigned ctx)
{
	struct world *w = world_of(ctx);

	lock_take();
	if (is_ready(w) && guarded(call_whole, w) != 0)
		give_up(w, "there is no memory for the policy");
	release_and_wake(w);
}

static void call_pop(void *arg)
{
	struct call *c = arg;

	c->task = own.policy->pop(c->w->state, c->worker);
}

/*
 * The policy's, of the state that the task was pushed to, for the worker that it was given to: a task ends in any
 * thread where the program says when (starpu_task_end_dep_release()).
 */
static void call_hook(struct world *w, struct starpu_task *task, void (*hook)(void *state, uint32_t task, int worker))
{
	uint32_t index = live_index(task);

	if (hook && w->state && !w->is_plain && !w->workers_changed && index < w->cap_items &&
	    w->items[index].epoch == w->epoch && w->items[index].worker >= 0)
		hook(w->state, index, w->items[index].worker);
}

static struct starpu_task *take_from_policy(struct world *w, int id)
{
	struct call c = {.w = w, .task = POLICY_NO_TASK, .worker = w->index_of[id]};
	struct starpu_task *task;
	unsigned implementation = 0;

	if (c.worker < 0)
		return NULL;
	w->is_called[id] = 0;
	if (guarded(call_pop, &c) != 0) {
		give_up(w, "there is no memory for the policy");
		return task_list_take(&w->plain, id);
	}
	if (c.task == POLICY_NO_TASK)
		return NULL;
	w->items[c.task].is_waiting = 0;
	w->items[c.task].worker = c.worker;
	w->items[c.task].id = id + 1;
	w->ahead[id]++;
	task = live_task(c.task);
	if (live_cost_ns(c.task, id, &implementation) < 0 ||
	    !task_is_let(task, id, implementation)) { /* its class has the costs of another task by now */
		call_hook(w, task, own.policy->started);
		make_plain(w, task);
		return task_list_take(&w->plain, id);
	}
	sp.starpu_task_set_implementation(task, implementation);
	return task;
}

static struct starpu_task *world_pop(unsigned ctx)
{
	struct world *w = world_of(ctx);
	int id = sp.starpu_worker_get_id();
	struct starpu_task *task;

	if (id >= 0 && atomic_load_explicit(&w->is_away[id], memory_order_relaxed))
		w->is_away[id] = 0;
	/*
	 * One that has asked in vain is woken by the policy. It is known to be asleep only once it has been noted under
	 * the lock: a worker that slept without that would not be woken by drivers that block.
	 */
	if (id < 0 || atomic_load_explicit(&w->asleep[id], memory_order_relaxed))
		return NULL;
	lock_take();
	note_unblocked(w, id);
	task = task_list_take(&w->plain, id);
	/* Before the first push other devices may still be starting, and the memory of one that does is not known. */
	if (!task && w->pushed && is_ready(w))
		task = take_from_policy(w, id);
	if (!task)
		w->asleep[id] = !w->to_wake[id];
	release_and_wake(w);
	return task;
}

static void end(struct world *w, struct starpu_task *task)
{
	copies_wait();
	leave(w, task);
	live_done(task);
}

static void world_pre_exec(struct starpu_task *task, unsigned ctx)
{
	struct world *w = world_of(ctx);
	int id = sp.starpu_worker_get_id();
	uint32_t index;
	uint64_t called;

	lock_take();
	index = live_index(task);
	called = id < 0 ? 0 : go_away(index < w->cap_items && w->items[index].id == id + 1 ? w : NULL, id);
	if (index < w->cap_items)
		begun(w, index);
	call_hook(w, task, own.policy->started);
	if (live_is_internal(task))
		end(w, task);
	release_and_wake(w);
	for (called &= ~(UINT64_C(1) << (w - own.worlds)); called; called &= called - 1) {
		lock_take();
		release_and_wake(&own.worlds[__builtin_ctzll(called)]);
	}
}

static void world_post_exec(struct starpu_task *task, unsigned ctx)
{
	struct world *w = world_of(ctx);

	lock_take();
	end(w, task);
	release_and_wake(w);
}

static void show(const struct starpu_sched_policy *any)
{
	unsigned char *p = own.shown.bytes;

	starpu_policy_copy(&own.shown, any);
	memset(p, 0, sp.layout->policy.prefetches);
#define SET(member, type, value) POLICY_FUNCTION(p, sp.layout->policy.member, type) = value
	SET(init_sched, policy_context_fn *, world_init);
	SET(deinit_sched, policy_context_fn *, world_deinit);
	SET(push_task, policy_push_fn *, world_push);
	SET(do_schedule, policy_context_fn *, world_do_schedule);
	SET(pop_task, policy_pop_fn *, world_pop);
	SET(submit_hook, policy_submit_fn *, world_submit);
	SET(pre_exec_hook, policy_exec_fn *, world_pre_exec);
	SET(post_exec_hook, policy_exec_fn *, world_post_exec);
	SET(add_workers, policy_workers_fn *, world_workers);
	SET(remove_workers, policy_workers_fn *, world_workers);
	SET(prefetches, int, 1);
	SET(policy_name, const char *, "heterotune");
	SET(policy_description, const char *, own.policy->summary);
#undef SET
}

struct lookup {
	const char *text;
	struct config *config;
	struct ht_err *err;
};

static void open_buckets(void *config)
{
	buckets_open(config);
}

/* Takes lookup.config where it returns 0. */
static int look_up(struct lookup *l)
{
	const struct starpu_sched_policy *any = starpu_api_policy("eager");
	const struct policy *policy;
	const char *options;
	union { /* as large as any policy's struct of knobs */
		double aligned;
		char bytes[4096];
	} knobs;

	if (strlen(l->text) >= sizeof(own.text))
		return ht_err_set(l->err, "policy %.40s... and its knobs: expected at most %zu bytes", l->text,
		                  sizeof(own.text) - 1);
	policy = policy_find(l->text, &options, l->err);
	if (!policy && starpu_api_policy(l->text))
		return ht_err_set(l->err, "policy %s is StarPU's own: STARPU_SCHED=%s, or ranks:%s", l->text, l->text,
		                  l->text);
	if (!policy || knobs_read(policy->name, policy->knobs, options, &knobs, l->err) != 0)
		return -1;
	if (!sp.missing_for_scheduling && sp.starpu_worker_get_count() > WORLD_MAX_WORKERS)
		return ht_err_set(l->err, "there are %u workers, expected at most %d", sp.starpu_worker_get_count(),
		                  WORLD_MAX_WORKERS);
	if (sp.missing_for_scheduling || !any)
		return ht_err_set(l->err, "this StarPU has no %s, which policy %s needs",
		                  sp.missing_for_scheduling ? sp.missing_for_scheduling : "eager", policy->name);
	program_check_begin();
	if (guarded(open_buckets, l->config) != 0) {
		buckets_close();
		return ht_err_set(l->err, "there is no memory for the buckets of the config");
	}
	strcpy(own.text, l->text);
	own.options = *options ? strchr(own.text, ':') + 1 : "";
	own.policy = policy;
	config_free(own.config);
	own.config = l->config;
	l->config = NULL;
	show(any);
	return 0;
}

struct starpu_sched_policy *world_in_use(void)
{
	return own.contexts ? &own.shown.as_starpu_sees_it : NULL;
}

struct starpu_sched_policy *world_policy(const char *text, struct config *c, struct ht_err *err)
{
	struct lookup l = {text, c, err};
	int rc = look_up(&l);

	config_free(l.config);
	return rc == 0 ? &own.shown.as_starpu_sees_it : NULL;
}
