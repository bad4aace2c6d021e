/* plugin/plugin.c - the scheduler library StarPU loads: its own heteroprio, set up from a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * StarPU (1.4 and later) loads the library that STARPU_SCHED_LIB names and asks it for a policy by name before it looks
 * among its own. What it gets is a copy of its own heteroprio with three functions wrapped: init hands it the config's
 * lists, push writes the bucket's number into task->priority, where heteroprio looks for it, deinit reports. Buckets
 * with limits need two more: at its submission a task gets its place among those of its kind, and is told to keep it
 * with its own priority in task->sched_data, which is the scheduler's and heteroprio does not use; after its execution
 * it gets its priority back, as it may be submitted again.
 *
 * The library is not linked with StarPU: its symbols come from the one the program has. What differs between builds
 * of StarPU (--enable-maxcpus moves members of struct starpu_codelet, SimGrid or not) is not touched: names are asked
 * for with functions; the members of struct starpu_task and struct starpu_sched_policy that are used do not move. A
 * task's names are thus those that StarPU puts into its traces: the task's name, else its model's symbol, else its
 * codelet's.
 *
 * There is one policy in a program and StarPU passes no pointer of ours around, so the state is one static structure:
 * written by init and deinit, which run alone, only read while there are tasks, except for the counters. The library
 * is linked with -z nodelete: StarPU closes and reopens it whenever a policy is looked up, also while one is in use.
 */
#include <dlfcn.h>
#include <limits.h>
#include <starpu.h>
#include <starpu_heteroprio.h>
#include <starpu_scheduler.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/config/config_match.h"
#include "core/config/locality_formula.h"
#include "core/machine/arch.h"
#include "plugin/plan.h"
#include "plugin/priorities.h"
#include "plugin/report.h"

#define EXPORT __attribute__((visibility("default")))

_Static_assert((int)STARPU_NARCH == (int)ARCH_COUNT, "StarPU's architectures are those of core/machine/arch.h");
_Static_assert((int)STARPU_HIP_WORKER == (int)ARCH_HIP && (int)STARPU_CUDA_WORKER == (int)ARCH_CUDA,
               "StarPU's architectures are those of core/machine/arch.h");

/* Private to StarPU but exported (1.4.0 to 1.4.12): the only way to take an architecture out of a bucket. */
typedef void clear_mapping_fn(void *policy_data);

static struct {
	struct starpu_sched_policy stock, wrapped, renamed;
	struct starpu_sched_policy *list[2];
	struct config *config; /* NULL: plain heteroprio */
	struct config_match *match;
	atomic_uint *submitted; /* per kind; NULL: no bucket of the config asks for more than names */
	struct plan plan;
	unsigned ctx; /* the one context that is set up: the program's first */
	atomic_ulong matched, restricted, unknown;
} plugin;

/* What a set-up changes in the environment for StarPU's init, and how it was before. */
struct saved_env {
	char *auto_calibration;
};

static arch_mask archs_present(int workers[ARCH_COUNT])
{
	arch_mask present = 0;

	for (int a = 0; a < ARCH_COUNT; a++) {
		workers[a] = starpu_worker_get_count_by_type((enum starpu_worker_archtype)a);
		if (workers[a] < 0) /* a number without an architecture */
			workers[a] = 0;
		if (workers[a])
			present |= (arch_mask)(1u << a);
	}
	return present;
}

static void env_put(const char *name, int arch, int value)
{
	char variable[64], text[16];

	if (!value)
		return;
	snprintf(variable, sizeof(variable), "%s_%s", name,
	         starpu_worker_get_type_as_env_var((enum starpu_worker_archtype)arch));
	snprintf(text, sizeof(text), "%d", value);
	setenv(variable, text, 1);
}

/* STARPU_LAHETEROPRIO_* are read when the lists are set, so they stay; without locality they mean nothing. */
static void env_locality(const struct config *c, const char *path)
{
	const struct config_locality *l = &c->locality;
	unsigned nodes = starpu_memory_nodes_get_count();
	int enabled = l->enabled && nodes <= STARPU_LOCALITY_NODES;

	if (l->enabled && !enabled)
		report_sentence(
			"%s: its locality setting is left out: StarPU's works with at most %d memory nodes, this "
			"machine has %u",
			path, STARPU_LOCALITY_NODES, nodes);
	setenv("STARPU_HETEROPRIO_USE_LA", enabled ? "1" : "0", 1);
	if (!enabled)
		return;
	if (*l->push)
		setenv("STARPU_LAHETEROPRIO_PUSH", config_starpu_push(l->push), 1);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!starpu_worker_get_type_as_env_var((enum starpu_worker_archtype)a))
			continue;
		env_put("STARPU_LAHETEROPRIO_PRIO_STEP", a, l->step[a]);
		env_put("STARPU_LAHETEROPRIO_S", a, l->subgroup[a]);
	}
}

/*
 * StarPU 1.4 calibrates by itself unless it is told not to, and then ignores every mapping. Only its init reads the
 * variable: it is put back afterwards, for contexts that the program makes itself.
 */
static void env_enter(struct saved_env *s, const struct config *c, const char *path)
{
	const char *was = getenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION");

	s->auto_calibration = was ? strdup(was) : NULL;
	setenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", "0", 1);
	env_locality(c, path);
}

static void env_leave(struct saved_env *s)
{
	if (s->auto_calibration)
		setenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", s->auto_calibration, 1);
	else
		unsetenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION");
	free(s->auto_calibration);
}

/*
 * Base architecture and slow factors of one of StarPU's buckets; b is NULL for a spare one. They survive a clearing,
 * so what a callback of the program has set is overwritten everywhere. With the CPU (number 0) as the base StarPU
 * tests no factor, which is its way to say "no base" too.
 */
static void set_factors(unsigned ctx, unsigned number, const struct config_bucket *b)
{
	enum arch fastest = b && b->fastest != ARCH_NONE ? b->fastest : ARCH_CPU;

	for (int a = 0; a < ARCH_COUNT; a++)
		starpu_heteroprio_set_arch_slow_factor(ctx, (enum starpu_worker_archtype)a, number,
		                                       b ? (float)b->slow_factor[a] : 0);
	starpu_heteroprio_set_faster_arch(ctx, (enum starpu_worker_archtype)fastest, number);
}

/*
 * Clearing gives every architecture identity slots and empties the buckets; an architecture without slots must be
 * told that it has none. In locality mode StarPU remembers the identity slots of buckets an architecture does not
 * look at, which makes its "priority distance" between groups smaller than with a callback; nothing public undoes
 * that.
 */
static void set_mapping(unsigned ctx, const struct config *c, const struct plan *p, clear_mapping_fn *clear)
{
	clear(starpu_sched_ctx_get_policy_data(ctx));
	for (int n = 0; n < p->nspare; n++)
		set_factors(ctx, (unsigned)n, NULL);
	for (int b = 0; b < c->nbuckets; b++)
		set_factors(ctx, (unsigned)p->number[b], &c->buckets[b]);
	for (int a = 0; a < ARCH_COUNT; a++)
		for (int i = 0; i < p->lists[a].count; i++)
			starpu_heteroprio_set_mapping(ctx, (enum starpu_worker_archtype)a, (unsigned)i,
			                              (unsigned)p->lists[a].buckets[i]);
	for (int a = 0; a < ARCH_COUNT; a++)
		starpu_heteroprio_set_nb_prios(ctx, (enum starpu_worker_archtype)a, (unsigned)p->lists[a].count);
}

/* The config of this program and machine; NULL with the sentence in err. */
static struct config *open_config(const char *path, clear_mapping_fn **clear, struct ht_err *err)
{
	struct config *c = NULL;
	int workers[ARCH_COUNT];
	arch_mask present = archs_present(workers);

	*(void **)clear = dlsym(RTLD_DEFAULT, "starpu_heteroprio_clear_mapping_hp");
	if (!*clear) {
		ht_err_set(err, "%s: cannot be used with this StarPU, which lacks starpu_heteroprio_clear_mapping_hp",
		           path);
		return NULL;
	}
	c = config_load(path, err);
	if (c && (config_fits_workers(c, workers, err) != 0 || plan_make(&plugin.plan, c, present, err) != 0)) {
		ht_err_wrap(err, "%s", path);
		config_free(c);
		c = NULL;
	}
	return c;
}

static void take_config(struct config *c)
{
	plugin.config = c;
	plugin.match = config_match_create(c);
	for (int k = 0; k < config_match_nkinds(plugin.match) && !plugin.submitted; k++)
		if (config_match_limits(plugin.match, k))
			plugin.submitted = calloc((size_t)config_match_nkinds(plugin.match), sizeof(*plugin.submitted));
}

static void drop_config(void)
{
	config_match_free(plugin.match);
	config_free(plugin.config);
	free(plugin.submitted);
	plugin.match = NULL;
	plugin.config = NULL;
	plugin.submitted = NULL;
}

/*
 * heteroprio tells the application that priorities go from 0 to 99, and one that asks gives others than it did in the
 * recorded run. Where buckets go by priority the range is that of all integers, as with schedulers that sort by them;
 * heteroprio itself sees the numbers of buckets only.
 */
static void open_priorities(unsigned ctx)
{
	unsigned limits = 0;

	for (int k = 0; k < config_match_nkinds(plugin.match); k++)
		limits |= config_match_limits(plugin.match, k);
	if (!(limits & MEMBER_PRIORITY))
		return;
	starpu_sched_ctx_set_min_priority(ctx, INT_MIN);
	starpu_sched_ctx_set_max_priority(ctx, INT_MAX);
}

static void wrapped_init(unsigned ctx)
{
	struct config *c;
	const char *path = getenv("HETEROTUNE_CONFIG");
	clear_mapping_fn *clear = NULL;
	struct saved_env env;
	struct ht_err err;

	if (plugin.config) { /* the program's first context is at work: this is one that it has made itself */
		plugin.stock.init_sched(ctx);
		return;
	}
	c = path && *path ? open_config(path, &clear, &err) : NULL;
	if (!c) {
		if (!path || !*path)
			ht_err_set(&err, "HETEROTUNE_CONFIG names no file, expected the path of a config");
		report_sentence("%s: StarPU's heteroprio runs as it is", err.text);
		report_line("plain %s", err.text);
		plugin.stock.init_sched(ctx);
		return;
	}
	take_config(c);
	plugin.ctx = ctx;
	atomic_store(&plugin.matched, 0);
	atomic_store(&plugin.restricted, 0);
	atomic_store(&plugin.unknown, 0);
	env_enter(&env, plugin.config, path);
	plugin.stock.init_sched(ctx);
	env_leave(&env);
	set_mapping(ctx, plugin.config, &plugin.plan, clear);
	open_priorities(ctx);
	report_line("tuned %s", path);
	report_verbose("%s: buckets=%d spare=%d", path, plugin.config->nbuckets, plugin.plan.nspare);
}

static arch_mask where_of(const struct starpu_task *task)
{
	arch_mask where = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (((uint64_t)(uint32_t)task->where & STARPU_WORKER_TO_MASK(a)) != 0)
			where |= (arch_mask)(1u << a);
	return where;
}

/*
 * After a push heteroprio wakes the first sleeping worker that can run the task by task->where, and no other (1.4
 * heteroprio.c, the end of push_task_heteroprio_policy). One whose architecture does not look at the bucket goes back
 * to sleep, and where nobody else is awake the program hangs. So task->where becomes what the bucket's users are.
 */
static void narrow(struct starpu_task *task, arch_mask users)
{
	uint64_t where = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (users >> a & 1)
			where |= STARPU_WORKER_TO_MASK(a);
	task->where = (int32_t)where;
}

static int kind_of(struct starpu_task *task)
{
	return config_match_kind(plugin.match, starpu_task_get_name(task), starpu_task_get_model_name(task));
}

static int is_limited(const struct starpu_task *task)
{
	return plugin.submitted && task->sched_ctx == plugin.ctx;
}

/* In task->sched_data: the place in the order of submission + 1, then the priority. */
static void wrapped_submit(struct starpu_task *task)
{
	int kind = is_limited(task) ? kind_of(task) : -1;

	if (kind >= 0) {
		uint64_t place = atomic_fetch_add_explicit(&plugin.submitted[kind], 1, memory_order_relaxed);

		task->sched_data = (void *)(uintptr_t)((place + 1) << 32 | (uint32_t)task->priority);
	}
	if (plugin.stock.submit_hook)
		plugin.stock.submit_hook(task);
}

static void wrapped_post_exec(struct starpu_task *task, unsigned ctx)
{
	if (plugin.stock.post_exec_hook)
		plugin.stock.post_exec_hook(task, ctx);
	if (is_limited(task) && task->sched_data) {
		task->priority = (int32_t)(uint32_t)(uintptr_t)task->sched_data;
		task->sched_data = NULL;
	}
}

/*
 * The footprint is that of the data: a model that has a footprint of its own is in struct starpu_codelet, whose members
 * move.
 */
static int bucket_of(struct starpu_task *task)
{
	int kind = kind_of(task);
	unsigned limits = kind >= 0 ? config_match_limits(plugin.match, kind) : 0;
	uint64_t kept = limits ? (uint64_t)(uintptr_t)task->sched_data : 0;
	const struct config_task t = {
		.footprint = limits & MEMBER_FOOTPRINT ? starpu_task_data_footprint(task) : 0,
		.priority = (int32_t)(uint32_t)kept,
		.submission = (uint32_t)(kept >> 32) - 1,
	};

	return kind < 0 ? -1 : config_match_bucket(plugin.match, kind, &t);
}

/*
 * Runs on every worker at once. StarPU has resolved a task->where of -1 to its codelet's when the task was submitted.
 */
static int wrapped_push(struct starpu_task *task)
{
	int bucket, number;

	if (!plugin.config || task->sched_ctx != plugin.ctx)
		return plugin.stock.push_task(task);
	bucket = bucket_of(task);
	number = plan_number(&plugin.plan, bucket, where_of(task));
	if (bucket < 0)
		atomic_fetch_add_explicit(&plugin.unknown, 1, memory_order_relaxed);
	else if (number != plugin.plan.number[bucket])
		atomic_fetch_add_explicit(&plugin.restricted, 1, memory_order_relaxed);
	else
		atomic_fetch_add_explicit(&plugin.matched, 1, memory_order_relaxed);
	if (number >= 0) {
		task->priority = number;
		narrow(task, plugin.plan.users[number]);
	}
	return plugin.stock.push_task(task);
}

static void wrapped_deinit(unsigned ctx)
{
	unsigned long matched, restricted, unknown;

	plugin.stock.deinit_sched(ctx);
	if (!plugin.config || ctx != plugin.ctx)
		return;
	matched = atomic_load(&plugin.matched);
	restricted = atomic_load(&plugin.restricted);
	unknown = atomic_load(&plugin.unknown);
	report_line("done matched=%lu restricted=%lu unknown=%lu", matched, restricted, unknown);
	report_verbose("%lu tasks went to their bucket, %lu can run on fewer architectures than their bucket asks for, "
	               "%lu are of codelets the config does not know",
	               matched, restricted, unknown);
	drop_config();
}

/* NULL where StarPU has no heteroprio. */
static struct starpu_sched_policy *prepare(void)
{
	struct starpu_sched_policy **p = starpu_sched_get_predefined_policies();

	if (plugin.stock.push_task) /* another lookup, for a context the program makes */
		return &plugin.wrapped;
	while (*p && (!(*p)->policy_name || strcmp((*p)->policy_name, "heteroprio") != 0))
		p++;
	if (!*p)
		return NULL;
	plugin.stock = **p;
	plugin.wrapped = plugin.stock;
	plugin.wrapped.init_sched = wrapped_init;
	plugin.wrapped.deinit_sched = wrapped_deinit;
	plugin.wrapped.push_task = wrapped_push;
	plugin.wrapped.submit_hook = wrapped_submit;
	plugin.wrapped.post_exec_hook = wrapped_post_exec;
	plugin.renamed = plugin.wrapped;
	plugin.renamed.policy_name = "heterotune";
	plugin.renamed.policy_description = "heteroprio with the setting of the config that HETEROTUNE_CONFIG names";
	return &plugin.wrapped;
}

EXPORT struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
	struct starpu_sched_policy *shown = priorities_policy(name);

	if (shown)
		return shown;
	if (strcmp(name, "heteroprio") != 0 && strcmp(name, "heterotune") != 0)
		return NULL;
	return prepare();
}

EXPORT struct starpu_sched_policy **starpu_get_sched_lib_policies(void)
{
	plugin.list[0] = prepare() ? &plugin.renamed : NULL;
	plugin.list[1] = NULL;
	return plugin.list;
}
