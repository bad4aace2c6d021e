/* core/config/config_match.c - which bucket of a config a task belongs to. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config_match.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"

struct match_entry {
	const struct config_member *member;
	int kind, bucket;
};

struct match_kind {
	const char *codelet, *model;
	unsigned limits; /* of all of its members */
	uint32_t first, count;
	int same_codelet, same_model; /* the first kind with its codelet, with its model */
	int in_order;                 /* ranges of submission alone that do not overlap, ascending */
};

struct config_match {
	struct match_kind *kinds;
	struct match_entry *entries; /* by kind, most limits first, then as the config has them */
	int *by_codelet, *by_model;  /* kinds by codelet, then model, then number; by model, then number */
	int nkinds;
	uint32_t nentries;
};

/* Names are compared as text, an absent one being "". */
static int name_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
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

/* A member and its place in the config, to find those of one kind together. */
struct placed {
	const struct config_member *member;
	uint32_t place, first; /* first: the place of the first member of its kind */
	int bucket;
};

static int by_names(const void *pa, const void *pb)
{
	const struct placed *a = pa, *b = pb;
	int c = name_order(a->member->codelet, b->member->codelet);

	if (!c)
		c = name_order(a->member->model, b->member->model);
	return c ? c : a->place < b->place ? -1 : a->place > b->place;
}

static int by_first(const void *pa, const void *pb)
{
	const struct placed *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* All members; those of one kind follow each other, kinds in the order in which the config first names them. */
static struct placed *members_by_kind(const struct config *c, uint32_t *count)
{
	struct placed *p;
	uint32_t n = 0;

	for (int b = 0; b < c->nbuckets; b++)
		n += (uint32_t)c->buckets[b].nmembers;
	p = ht_alloc(n, sizeof(*p));
	*count = n;
	n = 0;
	for (int b = 0; b < c->nbuckets; b++)
		for (int i = 0; i < c->buckets[b].nmembers; i++, n++)
			p[n] = (struct placed){&c->buckets[b].members[i], n, n, b};
	qsort(p, n, sizeof(*p), by_names);
	for (uint32_t i = 1; i < n; i++)
		if (!name_order(p[i].member->codelet, p[i - 1].member->codelet) &&
		    !name_order(p[i].member->model, p[i - 1].member->model))
			p[i].first = p[i - 1].first;
	qsort(p, n, sizeof(*p), by_first);
	return p;
}

/* Sorts kinds[0..n) by codelet (if `codelets`), then model, then number. A merge sort: qsort() takes no context. */
static void sort_kinds(const struct match_kind *kinds, int *order, int *spare, int n, int codelets)
{
	int half = n / 2, i = 0, j = half;

	if (n < 2)
		return;
	sort_kinds(kinds, order, spare, half, codelets);
	sort_kinds(kinds, order + half, spare, n - half, codelets);
	for (int k = 0; k < n; k++) {
		int c = i == half ? 1 : j == n ? -1 : 0;

		if (!c && codelets)
			c = name_order(kinds[order[i]].codelet, kinds[order[j]].codelet);
		if (!c)
			c = name_order(kinds[order[i]].model, kinds[order[j]].model);
		spare[k] = c > 0 ? order[j++] : order[i++];
	}
	memcpy(order, spare, (size_t)n * sizeof(*order));
}

static void index_kinds(struct config_match *m)
{
	int *spare = ht_alloc((size_t)m->nkinds, sizeof(*spare));

	m->by_codelet = ht_alloc((size_t)m->nkinds, sizeof(*m->by_codelet));
	m->by_model = ht_alloc((size_t)m->nkinds, sizeof(*m->by_model));
	for (int k = 0; k < m->nkinds; k++)
		m->by_codelet[k] = m->by_model[k] = k;
	sort_kinds(m->kinds, m->by_codelet, spare, m->nkinds, 1);
	sort_kinds(m->kinds, m->by_model, spare, m->nkinds, 0);
	free(spare);
	for (int i = 0; i < m->nkinds; i++) { /* by_model has kinds of one model by their numbers */
		struct match_kind *k = &m->kinds[m->by_model[i]], *before = i ? &m->kinds[m->by_model[i - 1]] : NULL;

		k->same_model = before && !name_order(k->model, before->model) ? before->same_model : m->by_model[i];
	}
	for (int i = 0, end; i < m->nkinds; i = end) {
		int first = m->by_codelet[i];

		for (end = i; end < m->nkinds; end++) {
			if (name_order(m->kinds[m->by_codelet[end]].codelet, m->kinds[m->by_codelet[i]].codelet))
				break;
			first = m->by_codelet[end] < first ? m->by_codelet[end] : first;
		}
		for (int j = i; j < end; j++)
			m->kinds[m->by_codelet[j]].same_codelet = first;
	}
}

struct config_match *config_match_create(const struct config *c)
{
	struct config_match *m = ht_alloc(1, sizeof(*m));
	struct placed *members = members_by_kind(c, &m->nentries);

	m->kinds = ht_alloc(m->nentries, sizeof(*m->kinds));
	m->entries = ht_alloc(m->nentries, sizeof(*m->entries));
	for (uint32_t i = 0; i < m->nentries; i++) {
		const struct config_member *member = members[i].member;

		if (!i || members[i].first != members[i - 1].first)
			m->kinds[m->nkinds++] = (struct match_kind){.codelet = member->codelet, .model = member->model};
		m->entries[i] = (struct match_entry){member, m->nkinds - 1, members[i].bucket};
		m->kinds[m->nkinds - 1].limits |= member->limits;
		m->kinds[m->nkinds - 1].count++;
	}
	free(members);
	qsort(m->entries, m->nentries, sizeof(*m->entries), by_kind);
	for (int k = 0; k < m->nkinds; k++) {
		m->kinds[k].first = k ? m->kinds[k - 1].first + m->kinds[k - 1].count : 0;
		order_ranges(m, &m->kinds[k]);
	}
	index_kinds(m);
	return m;
}

void config_match_free(struct config_match *m)
{
	if (!m)
		return;
	free(m->kinds);
	free(m->entries);
	free(m->by_codelet);
	free(m->by_model);
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

/*
 * The first kind with these names, NULL meaning any codelet (then by_model is searched) or any model; -1: none.
 * Bisection, so a task is matched in logarithmic time whatever the names are.
 */
static int find_kind(const struct config_match *m, const char *codelet, const char *model)
{
	const int *order = codelet ? m->by_codelet : m->by_model;
	int low = 0, high = m->nkinds;

	while (low < high) {
		int middle = low + (high - low) / 2, c = 0;
		const struct match_kind *k = &m->kinds[order[middle]];

		if (codelet)
			c = name_order(k->codelet, codelet);
		if (!c && model)
			c = name_order(k->model, model);
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == m->nkinds || (codelet && name_order(m->kinds[order[low]].codelet, codelet)) ||
	    (model && name_order(m->kinds[order[low]].model, model)))
		return -1;
	if (codelet && model)
		return order[low];
	return codelet ? m->kinds[order[low]].same_codelet : m->kinds[order[low]].same_model;
}

static int earlier(int a, int b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

int config_match_kind(const struct config_match *m, const char *codelet, const char *model)
{
	int has_codelet = codelet && *codelet, has_model = model && *model;
	int kind = has_codelet && has_model ? find_kind(m, codelet, model) : -1;

	if (kind < 0 && has_codelet)
		kind = find_kind(m, codelet, has_model ? "" : NULL);
	if (kind < 0 && has_model)
		kind = find_kind(m, has_codelet ? "" : NULL, model);
	if (kind < 0 && has_codelet && has_model)
		kind = earlier(find_kind(m, codelet, NULL), find_kind(m, NULL, model));
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
