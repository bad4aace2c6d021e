/* plugin/heteroprio_setup.c - gives StarPU's heteroprio the buckets, lists and locality of a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/heteroprio_setup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/config_mapping.h"
#include "core/config/locality_formula.h"
#include "core/machine/arch.h"
#include "plugin/buckets.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"

/* The last one of 1.4; 1.5 has SYCL (sp.layout->narchs). What one of a later StarPU can run is none of the config's. */
_Static_assert((int)STARPU_NARCH > (int)ARCH_HIP, "StarPU's architectures are those of core/machine/arch.h");
_Static_assert((int)STARPU_HIP_WORKER == (int)ARCH_HIP && (int)STARPU_CUDA_WORKER == (int)ARCH_CUDA,
               "StarPU's architectures are those of core/machine/arch.h");

arch_mask heteroprio_workers(int workers[ARCH_COUNT])
{
	arch_mask present = 0;

	for (int a = 0; a < ARCH_COUNT; a++) {
		workers[a] = a < sp.layout->narchs ?
		                     sp.starpu_worker_get_count_by_type((enum starpu_worker_archtype)a) :
		                     0;
		if (workers[a] < 0) /* a number without an architecture */
			workers[a] = 0;
		if (workers[a])
			present |= (arch_mask)(1u << a);
	}
	return present;
}

/* The environment is written where that changes something: a program may have threads that read it. */
static void env_set(const char *name, const char *value)
{
	const char *was = getenv(name);

	if (!was || strcmp(was, value) != 0)
		setenv(name, value, 1);
}

static void env_put(const char *name, int arch, int value)
{
	char variable[64], text[16];

	if (!value)
		return;
	snprintf(variable, sizeof(variable), "%s_%s", name,
	         sp.starpu_worker_get_type_as_env_var((enum starpu_worker_archtype)arch));
	snprintf(text, sizeof(text), "%d", value);
	env_set(variable, text);
}

/* STARPU_LAHETEROPRIO_* are read when the lists are set, so they stay; without locality they mean nothing. */
static void env_locality(const struct config *c, const char *path)
{
	const struct config_locality *l = &c->locality;
	unsigned nodes = sp.starpu_memory_nodes_get_count();
	int enabled = l->enabled && nodes <= STARPU_LOCALITY_NODES;

	if (l->enabled && !enabled)
		report_sentence(
			"%s: its locality setting is left out: StarPU's works with at most %d memory nodes, this "
			"machine has %u",
			path, STARPU_LOCALITY_NODES, nodes);
	env_set("STARPU_HETEROPRIO_USE_LA", enabled ? "1" : "0");
	if (!enabled)
		return;
	if (*l->push)
		env_set("STARPU_LAHETEROPRIO_PUSH", config_starpu_push(l->push));
	for (int a = 0; a < sp.layout->narchs; a++) {
		if (!sp.starpu_worker_get_type_as_env_var((enum starpu_worker_archtype)a))
			continue;
		env_put("STARPU_LAHETEROPRIO_PRIO_STEP", a, l->step[a]);
		env_put("STARPU_LAHETEROPRIO_S", a, l->subgroup[a]);
	}
}

/*
 * StarPU 1.4 calibrates by itself unless its environment says no, and then ignores every mapping. Only its init reads
 * the variable: it is put back afterwards, for contexts that the program makes itself.
 */
void heteroprio_env_enter(struct heteroprio_env *s, const struct config *c, const char *path)
{
	const char *was = getenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION");

	s->auto_calibration = was ? strdup(was) : NULL;
	env_set("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", "0");
	env_locality(c, path);
}

void heteroprio_env_leave(struct heteroprio_env *s)
{
	if (s->auto_calibration)
		env_set("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", s->auto_calibration);
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

	for (int a = 0; a < sp.layout->narchs; a++)
		sp.starpu_heteroprio_set_arch_slow_factor(ctx, (enum starpu_worker_archtype)a, number,
		                                          b ? (float)b->slow_factor[a] : 0);
	sp.starpu_heteroprio_set_faster_arch(ctx, (enum starpu_worker_archtype)fastest, number);
}

/*
 * Clearing gives every architecture identity slots and empties the buckets; an architecture without slots must be
 * given an empty one. In locality mode StarPU remembers the identity slots of buckets an architecture does not
 * look at, which makes its "priority distance" between groups smaller than with a callback; nothing public undoes
 * that.
 */
void heteroprio_set_mapping(unsigned ctx, const struct config *c, const struct config_mapping *p)
{
	sp.clear_mapping(sp.starpu_sched_ctx_get_policy_data(ctx));
	for (int n = 0; n < p->nspare; n++)
		set_factors(ctx, (unsigned)n, NULL);
	for (int b = 0; b < c->nbuckets; b++)
		set_factors(ctx, (unsigned)p->number[b], &c->buckets[b]);
	for (int a = 0; a < sp.layout->narchs; a++)
		for (int i = 0; i < p->lists[a].count; i++)
			sp.starpu_heteroprio_set_mapping(ctx, (enum starpu_worker_archtype)a, (unsigned)i,
			                                 (unsigned)p->lists[a].buckets[i]);
	for (int a = 0; a < sp.layout->narchs; a++)
		sp.starpu_heteroprio_set_nb_prios(ctx, (enum starpu_worker_archtype)a, (unsigned)p->lists[a].count);
}

void heteroprio_open_priorities(unsigned ctx)
{
	if (!(buckets_limits() & MEMBER_PRIORITY))
		return;
	sp.starpu_sched_ctx_set_min_priority(ctx, INT_MIN);
	sp.starpu_sched_ctx_set_max_priority(ctx, INT_MAX);
}
