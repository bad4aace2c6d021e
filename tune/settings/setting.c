/* tune/settings/setting.c - a point of the search: buckets, lists, slow factors, locality. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/setting.h"

#include <math.h>
#include <string.h>

#include "core/dag/dag.h"
#include "tune/settings/config_make.h"
#include "tune/settings/granularity.h"
#include "tune/settings/problem_hash.h"

static const double MAX_SLOW_FACTOR = 1e9; /* of config_check() */

/* A bucket for every group, in no list yet. */
static void one_each(struct setting *s, const struct granularity *g)
{
	memset(s, 0, sizeof(*s));
	s->granularity = g;
	s->nbuckets = g->ngroups;
	for (int i = 0; i < g->ngroups; i++) {
		s->bucket_of[i] = (uint8_t)i;
		s->where[i] = g->groups[i].where;
		s->fastest[i] = ARCH_NONE;
	}
}

void setting_from_lists(struct setting *s, const struct granularity *codelets, const struct config *base,
                        const struct config_list lists[ARCH_COUNT], double slow_scale)
{
	one_each(s, codelets);
	for (int b = 0; b < base->nbuckets; b++) {
		s->fastest[b] = (int8_t)base->buckets[b].fastest;
		for (int a = 0; a < ARCH_COUNT; a++)
			s->factor[b][a] = fmin(base->buckets[b].slow_factor[a] * slow_scale, MAX_SLOW_FACTOR);
	}
	for (int a = 0; a < ARCH_COUNT; a++)
		for (int i = 0; i < lists[a].count; i++)
			s->list[a][s->count[a]++] = (uint8_t)lists[a].buckets[i];
	s->locality = base->locality;
	setting_normalise(s);
}

/* Groups of one type follow each other, the most urgent one first. */
void setting_refine(struct setting *s, const struct setting *coarse, const struct granularity *fine)
{
	one_each(s, fine);
	for (int i = 0; i < fine->ngroups; i++) {
		int b = coarse->bucket_of[fine->groups[i].kind];

		s->fastest[i] = coarse->fastest[b];
		memcpy(s->factor[i], coarse->factor[b], sizeof(s->factor[i]));
	}
	for (int a = 0; a < ARCH_COUNT; a++)
		for (int k = 0; k < coarse->count[a]; k++)
			for (int i = 0; i < fine->ngroups; i++)
				if (coarse->bucket_of[fine->groups[i].kind] == coarse->list[a][k])
					s->list[a][s->count[a]++] = (uint8_t)i;
	s->locality = coarse->locality;
	setting_normalise(s);
}

static double speed_up(const struct task_group *group, int arch)
{
	double other = INFINITY;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (a != arch && group->where >> a & 1)
			other = fmin(other, group->mean_ns[a]);
	return other / fmax(group->mean_ns[arch], 1);
}

/* The place of each of the n values among them, the largest 0, the last 1; equal ones share the first place. */
static void places_of(const double *value, int n, double *place)
{
	for (int i = 0; i < n; i++) {
		int before = 0;

		for (int j = 0; j < n; j++)
			before += value[j] > value[i];
		place[i] = n > 1 ? (double)before / (n - 1) : 0;
	}
}

void setting_by_score(struct setting *s, const struct granularity *g, double score[ARCH_COUNT][CONFIG_MAX_BUCKETS],
                      double slow_scale)
{
	one_each(s, g);
	for (int i = 0; i < g->ngroups; i++) {
		s->fastest[i] = (int8_t)config_slow_factors(g->groups[i].where, g->groups[i].mean_ns, s->factor[i]);
		for (int a = 0; a < ARCH_COUNT; a++)
			s->factor[i][a] = fmin(s->factor[i][a] * slow_scale, MAX_SLOW_FACTOR);
	}
	for (int a = 0; a < ARCH_COUNT; a++)
		for (int i = 0; i < g->ngroups; i++) {
			int at = s->count[a];

			if (!(g->groups[i].where >> a & 1))
				continue;
			while (at > 0 && score[a][s->list[a][at - 1]] < score[a][i])
				at--;
			setting_insert(s, (enum arch)a, at, i);
		}
	setting_normalise(s);
}

void setting_by_urgency(struct setting *s, const struct granularity *g, double urgency, double slow_scale)
{
	double rank[CONFIG_MAX_BUCKETS] = {0}, speed[CONFIG_MAX_BUCKETS] = {0}, by_rank[CONFIG_MAX_BUCKETS];
	double by_speed[CONFIG_MAX_BUCKETS], score[ARCH_COUNT][CONFIG_MAX_BUCKETS];

	for (int i = 0; i < g->ngroups; i++)
		rank[i] = g->groups[i].rank_ns;
	places_of(rank, g->ngroups, by_rank);
	for (int a = 0; a < ARCH_COUNT; a++) {
		for (int i = 0; i < g->ngroups; i++)
			speed[i] = g->groups[i].where >> a & 1 ? speed_up(&g->groups[i], a) : 0;
		places_of(speed, g->ngroups, by_speed);
		for (int i = 0; i < g->ngroups; i++)
			score[a][i] = -(urgency * by_rank[i] + (1 - urgency) * by_speed[i]);
	}
	setting_by_score(s, g, score, slow_scale);
}

/* A test against an architecture that does not look at the bucket could refuse its last tasks for ever. */
static void drop_unused(struct setting *s, int b)
{
	int used = 0;

	if (s->fastest[b] != ARCH_NONE && setting_place(s, (enum arch)s->fastest[b], b) < 0)
		s->fastest[b] = ARCH_NONE;
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (a == s->fastest[b] || !(s->where[b] >> a & 1) || s->fastest[b] == ARCH_NONE ||
		    setting_place(s, (enum arch)a, b) < 0)
			s->factor[b][a] = 0;
		used |= s->factor[b][a] > 0;
	}
	if (!used) /* no architecture is tested */
		s->fastest[b] = ARCH_NONE;
}

void setting_normalise(struct setting *s)
{
	uint8_t number[CONFIG_MAX_BUCKETS];
	struct setting old = *s;
	int n = 0;

	memset(number, UINT8_MAX, sizeof(number));
	for (int i = 0; i < s->granularity->ngroups; i++)
		if (number[old.bucket_of[i]] == UINT8_MAX)
			number[old.bucket_of[i]] = (uint8_t)n++;
	memset(s->where, 0, sizeof(s->where));
	memset(s->fastest, 0, sizeof(s->fastest));
	memset(s->factor, 0, sizeof(s->factor));
	memset(s->list, 0, sizeof(s->list));
	s->nbuckets = n;
	for (int i = 0; i < s->granularity->ngroups; i++)
		s->bucket_of[i] = number[old.bucket_of[i]];
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
		if (number[b] != UINT8_MAX) {
			s->where[number[b]] = old.where[b];
			s->fastest[number[b]] = old.fastest[b];
			memcpy(s->factor[number[b]], old.factor[b], sizeof(old.factor[b]));
		}
	for (int a = 0; a < ARCH_COUNT; a++)
		for (int i = 0; i < s->count[a]; i++)
			s->list[a][i] = number[old.list[a][i]];
	for (int b = 0; b < n; b++)
		drop_unused(s, b);
}

static int bucket_can_freeze(const struct setting *s, int b)
{
	int is_tested = s->fastest[b] != ARCH_NONE && s->fastest[b] != ARCH_CPU;

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (!(s->where[b] >> a & 1))
			continue;
		if (setting_place(s, a, b) < 0 || (is_tested && a != (enum arch)s->fastest[b] && s->factor[b][a] < 1))
			return 0;
	}
	return is_tested || s->where[b] >> ARCH_CPU & 1 || !(s->where[b] & (s->where[b] - 1));
}

int setting_can_freeze(const struct setting *s)
{
	const struct granularity *g = s->granularity;

	if (!g->kinds.are_types || s->nbuckets != g->kinds.n || g->ngroups != s->nbuckets)
		return 0;
	for (int b = 0; b < s->nbuckets; b++)
		if (!bucket_can_freeze(s, b))
			return 0;
	return 1;
}

uint64_t setting_hash(const struct setting *s)
{
	uint64_t h = problem_hash_begin();
	uint8_t kind = (uint8_t)s->granularity->kind, whole = s->nbuckets == s->granularity->kinds.n;

	/* A bucket per kind is the same on every granularity: its hash is that of the coarsest. */
	for (int i = 0; i < s->granularity->ngroups && whole; i++)
		whole = s->bucket_of[i] == s->granularity->groups[i].kind;
	if (!whole) {
		h = problem_hash(h, &kind, 1);
		h = problem_hash(h, s->bucket_of, (size_t)s->granularity->ngroups);
	}
	h = problem_hash(h, s->fastest, (size_t)s->nbuckets);
	h = problem_hash(h, s->factor, (size_t)s->nbuckets * sizeof(s->factor[0]));
	h = problem_hash(h, s->count, sizeof(s->count));
	for (int a = 0; a < ARCH_COUNT; a++)
		h = problem_hash(h, s->list[a], s->count[a]);
	if (s->locality.enabled) {
		h = problem_hash(h, s->locality.push, strlen(s->locality.push) + 1);
		h = problem_hash(h, s->locality.step, sizeof(s->locality.step));
		h = problem_hash(h, s->locality.subgroup, sizeof(s->locality.subgroup));
	}
	h ^= h >> 32; /* FNV's last bytes reach the upper half only */
	return h * UINT64_C(0x9e3779b97f4a7c15);
}

int setting_place(const struct setting *s, enum arch a, int bucket)
{
	for (int i = 0; i < s->count[a]; i++)
		if (s->list[a][i] == bucket)
			return i;
	return -1;
}

void setting_insert(struct setting *s, enum arch a, int place, int bucket)
{
	uint8_t *l = s->list[a];

	memmove(l + place + 1, l + place, (size_t)(s->count[a] - place));
	l[place] = (uint8_t)bucket;
	s->count[a]++;
}

void setting_remove(struct setting *s, enum arch a, int place)
{
	uint8_t *l = s->list[a];

	s->count[a]--;
	memmove(l + place, l + place + 1, (size_t)(s->count[a] - place));
	l[s->count[a]] = 0;
}

int setting_users(const struct setting *s, int bucket)
{
	int users = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		users += setting_place(s, (enum arch)a, bucket) >= 0;
	return users;
}

int setting_join(struct setting *s, int first, int second)
{
	arch_mask where = s->where[first] & s->where[second];

	for (int i = 0; i < s->granularity->ngroups; i++)
		if (s->bucket_of[i] == second)
			s->bucket_of[i] = (uint8_t)first;
	for (int k = 0; k < ARCH_COUNT; k++) {
		int gone = setting_place(s, (enum arch)k, second), place;

		if (gone >= 0)
			setting_remove(s, (enum arch)k, gone);
		place = setting_place(s, (enum arch)k, first);
		if (place >= 0 && !(where >> k & 1))
			setting_remove(s, (enum arch)k, place);
		else if (place < 0 && gone >= 0 && where >> k & 1)
			setting_insert(s, (enum arch)k, gone, first);
	}
	s->where[first] = where;
	if (s->fastest[first] != ARCH_NONE && !(where >> s->fastest[first] & 1)) {
		s->fastest[first] = ARCH_NONE;
		memset(s->factor[first], 0, sizeof(s->factor[first]));
	}
	return setting_users(s, first) > 0;
}
