/* sched/heteroprio/heteroprio_policies.c - heteroprio and laheteroprio, with buckets of a config or of priorities. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/hash.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/heteroprio/heteroprio.h"
#include "sched/heteroprio/heteroprio_setting.h"
#include "sched/heteroprio/locality.h"
#include "sched/heteroprio/nearby.h"
#include "sched/policy.h"

static void *heteroprio_create(const struct policy *self, const struct policy_world *w, const char *options,
                               struct ht_err *err)
{
	struct heteroprio_knobs k = {0};
	struct heteroprio *h;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	h = heteroprio_open(w, self->name, &k, (enum heteroprio_locality)self->variant, err);
	if (!h)
		return NULL;
	if (heteroprio_set(h, err) == 0)
		return h;
	heteroprio_free(h);
	return NULL;
}

/* A pop() by a device's worker or a polling one is seen by waiters.h, and so are all after waiters_notify_all(). */
static int heteroprio_is_empty(void *state, int worker)
{
	const struct heteroprio *h = state;
	enum arch a = h->world.machine->workers[worker].arch;

	if (a != ARCH_CPU || h->variant != VARIANT_STARPU || h->waiters.mode != WAITERS_BLOCKING)
		return 0;
	return !h->queued[a] && !(h->open[a][0] | h->open[a][1]);
}

/* The place of a bucket makes a difference if it can come to have the tasks from which on workers of `a` take one. */
static uint64_t hash_place(const struct heteroprio *h, const uint32_t *count, uint64_t hash, enum arch a, int bucket,
                           uint32_t group)
{
	const uint32_t place[] = {(uint32_t)bucket, group};

	return h->buckets[bucket].least[a] <= count[bucket] ? hash64(hash, place, sizeof(place)) : hash;
}

static uint64_t hash_order(const struct heteroprio *h, const uint32_t *count, uint64_t hash, enum arch a, int node)
{
	const struct config_list *list = &h->lists[a];
	const struct locality_access *order;
	int places;

	if (!h->nearby) {
		for (int i = 0; i < list->count; i++)
			hash = hash_place(h, count, hash, a, list->buckets[i], 0);
		return hash;
	}
	order = nearby_order(h->nearby, node, &places);
	for (int i = 0; i < places; i++)
		if (order[i].slot < (uint32_t)list->count)
			hash = hash_place(h, count, hash, a, list->buckets[order[i].slot], order[i].node);
	return hash;
}

static uint64_t hash_bucket(const struct bucket *b, uint32_t count, uint64_t hash)
{
	hash = hash64(hash, &b->number, sizeof(b->number));
	hash = hash64(hash, &b->archs, sizeof(b->archs));
	for (int a = 0; a < ARCH_COUNT; a++) {
		uint32_t least = b->least[a] <= count ? b->least[a] : UINT32_MAX;

		hash = hash64(hash, &least, sizeof(least));
	}
	return hash;
}

static uint64_t heteroprio_signature(const void *state)
{
	const struct heteroprio *h = state;
	const struct machine *m = h->world.machine;
	uint32_t count[CONFIG_MAX_BUCKETS] = {0};
	int formula = h->nearby ? nearby_formula(h->nearby) : -1;
	uint64_t hash = hash64(HASH64_START, &formula, sizeof(formula));

	for (uint32_t t = 0; t < h->world.dag->ntasks; t++) {
		uint8_t bucket = (uint8_t)heteroprio_bucket_of(h, t);

		count[bucket]++;
		hash = hash64(hash, &bucket, sizeof(bucket));
	}
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
		if (count[b])
			hash = hash_bucket(&h->buckets[b], count[b], hash);
	for (int w = 0; w < m->nworkers; w++)
		if (!w || m->workers[w].arch != m->workers[w - 1].arch || m->workers[w].node != m->workers[w - 1].node)
			hash = hash_order(h, count, hash, m->workers[w].arch, m->workers[w].node);
	return hash;
}

static const struct knob knobs[] = {HETEROPRIO_KNOBS, LAST_KNOB};

const struct policy policy_heteroprio = {
	.name = "heteroprio",
	.summary = "buckets and a list of them per architecture (StarPU 1.4.10, or as published)",
	.knobs = knobs,
	.variant = LOCALITY_AS_CONFIG,
	.create = heteroprio_create,
	.free = heteroprio_free,
	.signature = heteroprio_signature,
	.push = heteroprio_push,
	.pop = heteroprio_pop,
	.is_empty = heteroprio_is_empty,
	.priority = heteroprio_priority,
};

static const struct knob locality_knobs[] = {
	HETEROPRIO_KNOBS,
	NEARBY_KNOBS(heteroprio_knobs, nearby, "AUTO|LaRU|MC|LS_SDH|LS_SDH2|LS_SDHB|LC_SMWB"),
	LAST_KNOB,
};

const struct policy policy_laheteroprio = {
	.name = "laheteroprio",
	.summary = "heteroprio with its buckets split by memory node (StarPU 1.4.10, or as published)",
	.knobs = locality_knobs,
	.variant = LOCALITY_ALWAYS,
	.create = heteroprio_create,
	.free = heteroprio_free,
	.signature = heteroprio_signature,
	.push = heteroprio_push,
	.pop = heteroprio_pop,
	.is_empty = heteroprio_is_empty,
	.priority = heteroprio_priority,
};
