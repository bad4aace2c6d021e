/* core/config/config_match.c - which bucket of a config a task belongs to. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config_match.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"

struct match_entry {
	const struct config_member *member;
	int kind, bucket;
};

struct match_kind {
	const char *codelet, *model;
	unsigned limits; /* of all of its members */
	uint32_t first, count;
	int in_order; /* ranges of submission alone that do not overlap, ascending */
};

struct config_match {
	struct match_kind *kinds;
	struct match_entry *entries; /* by kind, most limits first, then as the config has them */
	int nkinds;
	uint32_t nentries;
};

static int same_name(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static int kind_add(struct config_match *m, const struct config_member *member)
{
	for (int k = 0; k < m->nkinds; k++)
		if (same_name(m->kinds[k].codelet, member->codelet) && same_name(m->kinds[k].model, member->model))
			return k;
	m->kinds[m->nkinds] = (struct match_kind){.codelet = member->codelet, .model = member->model};
	return m->nkinds++;
}

static int by_kind(const void *pa, const void *pb)
{
	const struct match_entry *a = pa, *b = pb;
	int na = __builtin_popcount(a->member->limits), nb = __builtin_popcount(b->member->limits);

	if (a->kind != b->kind)
		return a->kind - b->kind;
	if (na != nb)
		return nb - na;
	if (a->bucket != b->bucket)
		return a->bucket - b->bucket;
	return a->member < b->member ? -1 : a->member > b->member;
}

static int by_submission(const void *pa, const void *pb)
{
	const struct config_member *a = ((const struct match_entry *)pa)->member;
	const struct config_member *b = ((const struct match_entry *)pb)->member;

	return a->submission[0] < b->submission[0] ? -1 : a->submission[0] > b->submission[0];
}

/* Many ranges of submission are looked up by bisection, where no two of them hold at once. */
static void order_ranges(struct config_match *m, struct match_kind *k)
{
	struct match_entry *e = m->entries + k->first, *sorted;

	for (uint32_t i = 0; i < k->count; i++)
		if (e[i].member->limits != MEMBER_SUBMISSION)
			return;
	sorted = ht_alloc(k->count, sizeof(*sorted));
	memcpy(sorted, e, k->count * sizeof(*sorted));
	qsort(sorted, k->count, sizeof(*sorted), by_submission);
	k->in_order = 1;
	for (uint32_t i = 1; i < k->count; i++)
		if (sorted[i].member->submission[0] <= sorted[i - 1].member->submission[1])
			k->in_order = 0;
	if (k->in_order)
		memcpy(e, sorted, k->count * sizeof(*sorted));
	free(sorted);
}

struct config_match *config_match_create(const struct config *c)
{
	struct config_match *m = ht_alloc(1, sizeof(*m));
	size_t total = 0;

	for (int b = 0; b < c->nbuckets; b++)
		total += (size_t)c->buckets[b].nmembers;
	m->kinds = ht_alloc(total, sizeof(*m->kinds));
	m->entries = ht_alloc(total, sizeof(*m->entries));
	for (int b = 0; b < c->nbuckets; b++)
		for (int i = 0; i < c->buckets[b].nmembers; i++) {
			const struct config_member *member = &c->buckets[b].members[i];
			int kind = kind_add(m, member);

			m->entries[m->nentries++] = (struct match_entry){member, kind, b};
			m->kinds[kind].limits |= member->limits;
			m->kinds[kind].count++;
		}
	qsort(m->entries, m->nentries, sizeof(*m->entries), by_kind);
	for (int k = 0; k < m->nkinds; k++) {
		m->kinds[k].first = k ? m->kinds[k - 1].first + m->kinds[k - 1].count : 0;
		order_ranges(m, &m->kinds[k]);
	}
	return m;
}

void config_match_free(struct config_match *m)
{
	if (!m)
		return;
	free(m->kinds);
	free(m->entries);
	free(m);
}

int config_match_nkinds(const struct config_match *m)
{
	return m->nkinds;
}

unsigned config_match_limits(const struct config_match *m, int kind)
{
	return m->kinds[kind].limits;
}

/* 1: the same, 0: one of them is not known, -1: different. */
static int name_cmp(const char *a, const char *b)
{
	if (!a || !b || !*a || !*b)
		return 0;
	return strcmp(a, b) == 0 ? 1 : -1;
}

int config_match_kind(const struct config_match *m, const char *codelet, const char *model)
{
	int best = 0, kind = -1;

	for (int k = 0; k < m->nkinds; k++) {
		int by_codelet = name_cmp(m->kinds[k].codelet, codelet);
		int by_model = name_cmp(m->kinds[k].model, model);
		int score = by_codelet + by_model == 2  ? 4 :
		            by_codelet + by_model == 1  ? 2 + (by_codelet == 1) :
		            by_codelet * by_model == -1 ? 1 :
		                                          0;

		if (score > best) {
			best = score;
			kind = k;
		}
	}
	return kind;
}

static int is_within(const struct config_member *m, const struct config_task *t)
{
	if (m->limits & MEMBER_FOOTPRINT && m->footprint != t->footprint)
		return 0;
	if (m->limits & MEMBER_PRIORITY && (t->priority < m->priority[0] || t->priority > m->priority[1]))
		return 0;
	return !(m->limits & MEMBER_SUBMISSION) ||
	       (t->submission >= m->submission[0] && t->submission <= m->submission[1]);
}

int config_match_bucket(const struct config_match *m, int kind, const struct config_task *t)
{
	const struct match_kind *k = &m->kinds[kind];
	const struct match_entry *e = m->entries + k->first;
	uint32_t low = 0, high = k->count;

	if (!k->in_order) {
		for (uint32_t i = 0; i < k->count; i++)
			if (is_within(e[i].member, t))
				return e[i].bucket;
		return -1;
	}
	while (high - low > 1) { /* the last one that begins at or before the task, if there is one */
		uint32_t middle = low + (high - low) / 2;

		if (e[middle].member->submission[0] <= t->submission)
			low = middle;
		else
			high = middle;
	}
	return is_within(e[low].member, t) ? e[low].bucket : -1;
}

uint32_t config_match_nmembers(const struct config_match *m)
{
	return m->nentries;
}

const struct config_member *config_match_member(const struct config_match *m, uint32_t i, int *kind, int *bucket)
{
	*kind = m->entries[i].kind;
	*bucket = m->entries[i].bucket;
	return m->entries[i].member;
}

int config_match_dag(const struct config *c, const struct dag *d, uint8_t *bucket_of, struct ht_err *err)
{
	struct config_match *m = config_match_create(c);
	int *kind_of = ht_alloc(d->ntypes, sizeof(*kind_of)), *fixed = ht_alloc(d->ntypes, sizeof(*fixed)), rc = 0;
	uint32_t *submitted = ht_alloc((size_t)m->nkinds, sizeof(*submitted));

	for (uint32_t i = 0; i < d->ntypes; i++) {
		kind_of[i] = config_match_kind(m, d->types[i].codelet, d->types[i].model);
		fixed[i] = kind_of[i] < 0                     ? -1 :
		           config_match_limits(m, kind_of[i]) ? CONFIG_MAX_BUCKETS :
		                                                m->entries[m->kinds[kind_of[i]].first].bucket;
	}
	for (uint32_t i = 0; i < d->ntasks && rc == 0; i++) {
		const struct dag_task *t = &d->tasks[i];
		int kind = kind_of[t->type], bucket = fixed[t->type];

		if (bucket == CONFIG_MAX_BUCKETS) {
			const struct config_task key = {d->classes[t->class_id].footprint, t->priority,
			                                submitted[kind]++};

			bucket = config_match_bucket(m, kind, &key);
		}
		if (bucket < 0)
			rc = ht_err_set(err, "the config has no bucket for %s", d->types[t->type].name);
		else
			bucket_of[i] = (uint8_t)bucket;
	}
	free(kind_of);
	free(fixed);
	free(submitted);
	config_match_free(m);
	return rc;
}
