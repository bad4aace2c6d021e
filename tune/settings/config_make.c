/* tune/settings/config_make.c - the config that all settings are made from: a bucket per kind of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/config_make.h"

#include <math.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "tune/settings/task_kinds.h"

static const char *copy(struct config *c, const char *s)
{
	return arena_strndup(c->arena, s, strlen(s));
}

/* Mean costs of a kind over its tasks, -1 where one of its classes cannot run. */
static void mean_costs(const struct dag *d, const struct task_kinds *k, int kind, double mean[ARCH_COUNT])
{
	double sum[ARCH_COUNT] = {0};
	uint32_t tasks = 0;
	arch_mask where = (arch_mask)((1u << ARCH_COUNT) - 1);

	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_class *c = &d->classes[i];

		if (k->of_class[i] != kind || !c->count)
			continue;
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (c->cost_ns[a] < 0)
				where &= (arch_mask) ~(1u << a);
			else
				sum[a] += (double)c->cost_ns[a] * c->count;
		}
		tasks += c->count;
	}
	for (int a = 0; a < ARCH_COUNT; a++)
		mean[a] = where >> a & 1 && tasks ? sum[a] / tasks : -1;
}

enum arch config_slow_factors(arch_mask where, const double mean_ns[ARCH_COUNT], double factor[ARCH_COUNT])
{
	enum arch fastest = ARCH_NONE;

	if (!(where & (where - 1)))
		return ARCH_NONE; /* one architecture: no other is slower */
	for (int a = 0; a < ARCH_COUNT; a++)
		if (where >> a & 1 && (fastest == ARCH_NONE || mean_ns[a] < mean_ns[fastest]))
			fastest = (enum arch)a;
	for (int a = 0; a < ARCH_COUNT; a++)
		if (where >> a & 1 && a != (int)fastest && mean_ns[fastest] > 0)
			factor[a] = fmin(mean_ns[a] / mean_ns[fastest], 1e9);
	return fastest;
}

struct config *config_from_dag(const struct dag *d, const struct machine *m, struct ht_err *err)
{
	struct config *c = config_create();
	struct task_kinds kinds = {.n = 0};

	c->machine_name = copy(c, m->name);
	machine_rank_counts(m, 0, c->workers);
	if (config_fits(c, m, NULL) != 0) {
		ht_err_set(err, "the ranks of the run have different workers: one config is for ranks that are alike");
		goto fail;
	}
	task_kinds_init(&kinds, d, machine_archs(m), c->arena);
	c->nbuckets = kinds.n;
	c->buckets = arena_alloc(c->arena, (size_t)kinds.n, sizeof(*c->buckets));
	for (int i = 0; i < kinds.n; i++) {
		const struct task_kind *kind = &kinds.kinds[i];
		struct config_bucket *b = &c->buckets[i];
		double mean[ARCH_COUNT];

		b->name = copy(c, kind->name);
		b->nmembers = (int)kind->nmembers;
		b->members = arena_alloc(c->arena, kind->nmembers, sizeof(*b->members));
		for (size_t j = 0; j < kind->nmembers; j++) {
			b->members[j] = kind->members[j];
			b->members[j].codelet = copy(c, kind->members[j].codelet);
			b->members[j].model = copy(c, kind->members[j].model);
		}
		mean_costs(d, &kinds, i, mean);
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (!c->workers[a] || mean[a] < 0)
				continue;
			b->where |= (arch_mask)(1u << a);
			c->lists[a].buckets[c->lists[a].count++] = i;
		}
		if (!b->where) {
			ht_err_set(err, "no architecture of the machine can run all of %s", kind->name);
			goto fail;
		}
		b->fastest = config_slow_factors(b->where, mean, b->slow_factor);
	}
	task_kinds_fini(&kinds);
	return c;
fail:
	task_kinds_fini(&kinds);
	config_free(c);
	return NULL;
}
