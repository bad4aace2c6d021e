/* sched/heteroprio/heteroprio_setting.c - buckets and lists of Heteroprio: those of a config, or StarPU's default. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/heteroprio/heteroprio_setting.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/config/config_mapping.h"
#include "core/config/config_match.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/heteroprio/heteroprio.h"
#include "sched/heteroprio/nearby.h"

/* StarPU asserts what is an error here: a list of an architecture with a bucket whose tasks it cannot execute. */
static int check_where(const struct heteroprio *h, struct ht_err *err)
{
	const struct dag *d = h->world.dag;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_type *type = &d->types[dag_type_of(d, i)];
		int b = heteroprio_bucket_of(h, i);

		if (b < 0 || b >= CONFIG_MAX_BUCKETS)
			return ht_err_set(err,
			                  "task %u (%s) has priority %d: without a config the priority is the bucket, "
			                  "0 to %d; autoheteroprio is what StarPU makes of it by itself",
			                  (unsigned)i, type->name, b, CONFIG_MAX_BUCKETS - 1);
		if (!h->buckets[b].archs)
			return ht_err_set(err, "the bucket of %s is in the list of no architecture of this machine",
			                  type->name);
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (h->buckets[b].archs >> a & 1 && !(type->where >> a & 1))
				return ht_err_set(err, "the bucket of %s is in the list of %s, where it cannot run%s",
				                  type->name, arch_name((enum arch)a),
				                  h->bucket_of_task ?
				                          "" :
				                          ": without a config (--config) every bucket is in "
				                          "every list; autoheteroprio needs none");
		}
	}
	return 0;
}

static void default_setting(struct heteroprio *h)
{
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++) {
		h->buckets[b].number = b;
		h->buckets[b].base = ARCH_NONE;
		heteroprio_bucket_changed(h, b);
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (h->nworkers[a])
				h->lists[a].buckets[h->lists[a].count++] = b;
		}
	}
}

int heteroprio_buckets(const struct config *c, const struct dag *d, uint8_t *bucket_of, struct ht_err *err)
{
	struct config_match *m = config_match_create(c);
	int *kind_of = ht_alloc(d->ntypes, sizeof(*kind_of)), rc = 0;
	uint32_t *submitted = ht_alloc((size_t)config_match_nkinds(m), sizeof(*submitted));

	for (uint32_t p = 0; p < d->ntypes; p++)
		kind_of[p] = config_match_kind(m, d->types[p].codelet, d->types[p].model);
	for (uint32_t t = 0; t < d->ntasks && rc == 0; t++) {
		const struct dag_task *task = &d->tasks[t];
		int kind = kind_of[dag_type_of(d, t)], bucket = -1;

		if (kind >= 0) {
			const struct config_task key = {dag_class_data_footprint(&d->classes[task->class_id]),
			                                task->priority, submitted[kind]++};

			bucket = config_match_bucket(m, kind, &key);
		}
		if (bucket < 0)
			rc = ht_err_set(err, "the config has no bucket for %s", d->types[dag_type_of(d, t)].name);
		else
			bucket_of[t] = (uint8_t)bucket;
	}
	free(kind_of);
	free(submitted);
	config_match_free(m);
	return rc;
}

/*
 * Where the run has no duration of a task on an architecture on which the config lets it run, and nothing says that it
 * cannot, its bucket is not looked at there: a short run may not show what a longer one, of which the config is, does.
 */
static void leave_out_unknown(struct heteroprio *h)
{
	const struct dag *d = h->world.dag;
	arch_mask unknown[CONFIG_MAX_BUCKETS] = {0};

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_type *type = &d->types[dag_type_of(d, i)];

		unknown[h->bucket_of_task[i]] |= (type->declared ? type->declared :
		                                                   (arch_mask)((1u << ARCH_COUNT) - 1)) &
		                                 (arch_mask)~type->where;
	}
	for (int b = 0; b < h->world.config->nbuckets; b++)
		if (h->buckets[b].base != ARCH_NONE && unknown[b] >> h->buckets[b].base & 1) {
			h->buckets[b].base = ARCH_NONE; /* nobody is held back in favour of it */
			heteroprio_bucket_changed(h, b);
		}
	for (int a = 0; a < ARCH_COUNT; a++) {
		struct config_list *l = &h->lists[a];
		int n = 0;

		for (int i = 0; i < l->count; i++)
			if (!(unknown[l->buckets[i]] >> a & 1))
				l->buckets[n++] = l->buckets[i];
		l->count = n;
	}
}

static int take_setting(struct heteroprio *h, struct ht_err *err)
{
	const struct config *c = h->world.config;
	const struct dag *d = h->world.dag;
	const char *broken = config_check(c);

	if (broken)
		return ht_err_set(err, "the config cannot be used: %s", broken);
	h->bucket_of_task = ht_alloc(d->ntasks, sizeof(*h->bucket_of_task));
	if (heteroprio_buckets(c, d, h->bucket_of_task, err) != 0)
		return -1;
	for (int b = 0; b < c->nbuckets; b++) {
		h->buckets[b].number = config_starpu_number(c, b);
		h->buckets[b].base = c->buckets[b].fastest;
		memcpy(h->buckets[b].slow, c->buckets[b].slow_factor, sizeof(h->buckets[b].slow));
		heteroprio_bucket_changed(h, b);
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (h->nworkers[a])
			h->lists[a] = c->lists[a];
	}
	leave_out_unknown(h);
	return 0;
}

/*
 * Of a graph that grows, whose tasks and what they can run on are not known before: a task that some architecture with
 * its bucket in its list cannot run is in a spare one.
 */
static int take_growing(struct heteroprio *h, struct ht_err *err)
{
	const struct config *c = h->world.config;
	const char *broken = c ? config_check(c) : NULL;

	if (broken)
		return ht_err_set(err, "the config cannot be used: %s", broken);
	h->mapping = ht_alloc(1, sizeof(*h->mapping));
	if (config_mapping_make(h->mapping, c, machine_archs(h->world.machine), err) != 0)
		return -1;
	h->bucket_of_task = ht_alloc(h->world.dag->ntasks, sizeof(*h->bucket_of_task));
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++) {
		h->buckets[b].number = b;
		h->buckets[b].base = ARCH_NONE;
	}
	for (int b = 0; c && b < c->nbuckets; b++) {
		struct bucket *to = &h->buckets[h->mapping->number[b]];

		to->base = c->buckets[b].fastest;
		memcpy(to->slow, c->buckets[b].slow_factor, sizeof(to->slow));
	}
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
		heteroprio_bucket_changed(h, b);
	memcpy(h->lists, h->mapping->lists, sizeof(h->lists));
	return 0;
}

/*
 * Where StarPU sees a bucket in an architecture's list, for the distances of locality: by the numbers of the buckets.
 * The plugin sets lists on top of identity slots, which stay for what is not listed.
 */
static void map_nearby(struct heteroprio *h)
{
	int(*slot)[CONFIG_MAX_BUCKETS] = ht_alloc(ARCH_COUNT, sizeof(*slot));
	int length[ARCH_COUNT];

	for (int a = 0; a < ARCH_COUNT; a++) {
		for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
			slot[a][b] = h->variant == VARIANT_STARPU ? b : -1;
		length[a] = h->lists[a].count;
		for (int i = 0; i < length[a]; i++)
			slot[a][h->buckets[h->lists[a].buckets[i]].number] = i;
	}
	nearby_map(h->nearby, length, slot[0]);
	free(slot);
}

int heteroprio_set(struct heteroprio *h, struct ht_err *err)
{
	if (h->world.bucket) {
		if (take_growing(h, err) != 0)
			return -1;
	} else if (!h->world.config)
		default_setting(h);
	else if (take_setting(h, err) != 0)
		return -1;
	for (int a = 0; a < ARCH_COUNT; a++) {
		heteroprio_list_changed(h, (enum arch)a);
		for (int i = 0; i < h->lists[a].count; i++)
			h->buckets[h->lists[a].buckets[i]].archs |= (arch_mask)(1u << a);
	}
	if (!h->mapping && check_where(h, err) != 0)
		return -1;
	if (h->nearby)
		map_nearby(h);
	return 0;
}
