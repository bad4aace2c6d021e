/* tune/settings/config_make.c - the config that all settings are made from: a bucket per type. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/config_make.h"

#include <math.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"

static const char *copy(struct config *c, const char *s)
{
	return arena_strndup(c->arena, s, strlen(s));
}

/* Mean costs of a type over its tasks, -1 where one of its classes cannot run. */
static void mean_costs(const struct dag *d, uint32_t type, double mean[ARCH_COUNT])
{
	double sum[ARCH_COUNT] = {0};
	uint32_t tasks = 0;
	arch_mask where = (arch_mask)((1u << ARCH_COUNT) - 1);

	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_class *c = &d->classes[i];

		if (c->codelet != type || !c->count)
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

	c->machine_name = copy(c, m->name);
	machine_rank_counts(m, 0, c->workers);
	if (config_fits(c, m, NULL) != 0) {
		ht_err_set(err, "the ranks of the run have different workers: one config is for ranks that are alike");
		goto fail;
	}
	if (d->ntypes > CONFIG_MAX_BUCKETS) {
		ht_err_set(err, "%u types of tasks, and Heteroprio has %d buckets", (unsigned)d->ntypes,
		           CONFIG_MAX_BUCKETS);
		goto fail;
	}
	c->nbuckets = (int)d->ntypes;
	c->buckets = arena_alloc(c->arena, d->ntypes, sizeof(*c->buckets));
	for (uint32_t i = 0; i < d->ntypes; i++) {
		const struct dag_type *type = &d->types[i];
		struct config_bucket *b = &c->buckets[i];
		double mean[ARCH_COUNT];

		b->name = copy(c, type->name);
		b->nmembers = 1;
		b->members = arena_alloc(c->arena, 1, sizeof(*b->members));
		b->members->codelet = copy(c, type->codelet);
		b->members->model = copy(c, type->model);
		mean_costs(d, i, mean);
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (!c->workers[a] || mean[a] < 0)
				continue;
			b->where |= (arch_mask)(1u << a);
			c->lists[a].buckets[c->lists[a].count++] = (int)i;
		}
		if (!b->where) {
			ht_err_set(err, "no architecture of the machine can run all of %s", type->name);
			goto fail;
		}
		b->fastest = config_slow_factors(b->where, mean, b->slow_factor);
	}
	return c;
fail:
	config_free(c);
	return NULL;
}
