/* tune/settings/setting_config.c - a setting of the search as a config: names and members of its buckets. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "tune/settings/granularity.h"
#include "tune/settings/setting.h"

enum { MAX_NAME = 60 };

/* Groups of one kind in one bucket: [first, last] of the granularity's. */
struct span {
	int first, last, whole; /* whole: there are no others of the kind */
};

/* The spans of a bucket, in the order of groups; returns their number. */
static int spans_of(const struct setting *s, int bucket, struct span *spans)
{
	const struct task_group *groups = s->granularity->groups;
	int n = 0;

	for (int i = 0; i < s->granularity->ngroups; i++) {
		if (s->bucket_of[i] != bucket)
			continue;
		if (n && spans[n - 1].last == i - 1 && groups[i].kind == groups[i - 1].kind)
			spans[n - 1].last = i;
		else
			spans[n++] = (struct span){i, i, 0};
		spans[n - 1].whole = spans[n - 1].last - spans[n - 1].first + 1 == (int)groups[i].nlevels;
	}
	return n;
}

/* "gemm", "gemm 3", "gemm 3-5 + syrk", " + ..." where there are many: levels count from 1, the most urgent one. */
static const char *name_of(const struct setting *s, const struct span *spans, int n, struct arena *a)
{
	const struct granularity *g = s->granularity;
	char text[4 * MAX_NAME], kind[44];
	int len = 0, i = 0;

	for (; i < n && len < MAX_NAME; i++) {
		const struct task_group *first = &g->groups[spans[i].first], *last = &g->groups[spans[i].last];

		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%s", i ? " + " : "",
		                text_end(kind, sizeof(kind), g->kinds.kinds[first->kind].name));
		if (!spans[i].whole)
			len += snprintf(text + len, sizeof(text) - (size_t)len, first == last ? " %u" : " %u-%u",
			                (unsigned)first->level + 1, (unsigned)last->level + 1);
	}
	if (i < n)
		len += snprintf(text + len, sizeof(text) - (size_t)len, " + ...");
	return arena_strndup(a, text, (size_t)len);
}

static int by_submission(const void *pa, const void *pb)
{
	const struct config_member *a = pa, *b = pb;

	return a->submission[0] < b->submission[0] ? -1 : a->submission[0] > b->submission[0];
}

/* Joins ranges of places, or of priorities, that follow each other. Returns how many are left. */
static int join(struct config_member *m, int n)
{
	int last = 0;

	if (n && m[0].limits == MEMBER_SUBMISSION)
		qsort(m, (size_t)n, sizeof(*m), by_submission);
	for (int i = 1; i < n; i++) {
		if (m[i].limits == MEMBER_SUBMISSION && m[last].submission[1] + 1 == m[i].submission[0])
			m[last].submission[1] = m[i].submission[1];
		else if (m[i].limits == MEMBER_PRIORITY && m[i].priority[1] == m[last].priority[0] - 1)
			m[last].priority[0] = m[i].priority[0];
		else
			m[++last] = m[i];
	}
	return n ? last + 1 : 0;
}

static void members_of(const struct setting *s, const struct span *spans, int n, struct config_bucket *b,
                       struct arena *a)
{
	const struct task_group *groups = s->granularity->groups;
	int total = 0;

	for (int i = 0; i < n; i++)
		for (int k = spans[i].first; k <= spans[i].last; k++)
			total += groups[k].nmembers;
	b->members = arena_alloc(a, (size_t)total, sizeof(*b->members));
	for (int i = 0; i < n; i++) {
		struct config_member *m = b->members + b->nmembers;
		int count = 0;

		int is_type = s->granularity->kinds.kinds[groups[spans[i].first].kind].is_type;

		for (int k = spans[i].first; k <= spans[i].last && !(spans[i].whole && is_type); k++) {
			memcpy(m + count, groups[k].members, (size_t)groups[k].nmembers * sizeof(*m));
			count += groups[k].nmembers;
		}
		if (spans[i].whole && is_type) {
			m[count] = groups[spans[i].first].members[0];
			m[count++].limits = 0;
		}
		b->nmembers += join(m, count);
	}
}

void setting_config(const struct setting *s, struct config *c)
{
	struct span spans[CONFIG_MAX_BUCKETS];

	c->nbuckets = s->nbuckets;
	c->buckets = arena_alloc(c->arena, (size_t)s->nbuckets, sizeof(*c->buckets));
	for (int b = 0; b < s->nbuckets; b++) {
		struct config_bucket *bucket = &c->buckets[b];
		int n = spans_of(s, b, spans);

		bucket->name = name_of(s, spans, n, c->arena);
		bucket->where = s->where[b];
		bucket->fastest = (enum arch)s->fastest[b];
		for (int a = 0; a < ARCH_COUNT; a++)
			bucket->slow_factor[a] = s->factor[b][a];
		members_of(s, spans, n, bucket, c->arena);
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		c->lists[a].count = s->count[a];
		for (int i = 0; i < s->count[a]; i++)
			c->lists[a].buckets[i] = s->list[a][i];
	}
	c->locality = s->locality;
}
