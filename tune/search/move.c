/* tune/search/move.c - a small change of a setting. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/move.h"

#include <math.h>
#include <string.h>

#include "core/base/rng.h"
#include "core/config/locality_formula.h"
#include "tune/settings/granularity.h"
#include "tune/settings/setting.h"

static const double MAX_FACTOR = 1e6, LEAST_FACTOR = 0.05;

/* An architecture whose list has at least `least` buckets; ARCH_NONE: there is none. */
static enum arch pick_arch(const struct setting *s, struct rng *r, int least)
{
	enum arch found[ARCH_COUNT];
	uint32_t n = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (s->count[a] >= least)
			found[n++] = (enum arch)a;
	return n ? found[rng_below(r, n)] : ARCH_NONE;
}

static int below(struct rng *r, int n)
{
	return (int)rng_below(r, (uint32_t)n);
}

static int exchange(struct setting *s, struct rng *r, int apart)
{
	enum arch a = pick_arch(s, r, 2);
	int i, j;
	uint8_t b;

	if (a == ARCH_NONE)
		return 0;
	i = below(r, s->count[a] - 1);
	j = apart ? i + 1 + below(r, s->count[a] - 1 - i) : i + 1;
	b = s->list[a][i];
	s->list[a][i] = s->list[a][j];
	s->list[a][j] = b;
	return 1;
}

static int exchange_neighbours(struct setting *s, struct rng *r)
{
	return exchange(s, r, 0);
}

static int exchange_any(struct setting *s, struct rng *r)
{
	return exchange(s, r, 1);
}

static int reinsert(struct setting *s, struct rng *r)
{
	enum arch a = pick_arch(s, r, 3);
	int from, to, b;

	if (a == ARCH_NONE)
		return 0;
	from = below(r, s->count[a]);
	to = below(r, s->count[a] - 1);
	b = s->list[a][from];
	setting_remove(s, a, from);
	setting_insert(s, a, to + (to >= from), b);
	return 1;
}

static int drop(struct setting *s, struct rng *r)
{
	enum arch a = pick_arch(s, r, 1);
	int place;

	if (a == ARCH_NONE)
		return 0;
	place = below(r, s->count[a]);
	if (setting_users(s, s->list[a][place]) < 2)
		return 0;
	setting_remove(s, a, place);
	return 1;
}

static int enter(struct setting *s, struct rng *r)
{
	int b = below(r, s->nbuckets), first = below(r, ARCH_COUNT);

	for (int i = 0; i < ARCH_COUNT; i++) {
		enum arch a = (enum arch)((first + i) % ARCH_COUNT);

		if (s->where[b] >> a & 1 && setting_place(s, a, b) < 0) {
			setting_insert(s, a, below(r, s->count[a] + 1), b);
			return 1;
		}
	}
	return 0;
}

/* Of a bucket with a fastest architecture: the factor of one that is not. */
static int scale_factor(struct setting *s, struct rng *r)
{
	static const double steps[] = {0, 0.5, 0.8, 1.25, 2};
	int b = below(r, s->nbuckets), first = below(r, ARCH_COUNT);
	double step = steps[below(r, 5)];

	for (int i = 0; i < ARCH_COUNT && s->fastest[b] != ARCH_NONE; i++) {
		int a = (first + i) % ARCH_COUNT;
		double *f = &s->factor[b][a];

		if (a == s->fastest[b] || setting_place(s, (enum arch)a, b) < 0)
			continue;
		*f = *f > 0 ? *f * step : 1;
		*f = *f > MAX_FACTOR ? MAX_FACTOR : *f < LEAST_FACTOR ? 0 : *f;
		return 1;
	}
	return 0;
}

/* Another base for a bucket that several architectures look at, or none; a base that is new has factors of 1 to 8. */
static int change_fastest(struct setting *s, struct rng *r)
{
	int b = below(r, s->nbuckets), old = s->fastest[b], choice;

	if (setting_users(s, b) < 2)
		return 0;
	memset(s->factor[b], 0, sizeof(s->factor[b]));
	s->fastest[b] = ARCH_NONE;
	choice = below(r, ARCH_COUNT);
	/* With the CPU as the base StarPU tests nothing. */
	if (choice != old && choice != ARCH_CPU && s->where[b] >> choice & 1) {
		s->fastest[b] = (int8_t)choice;
		for (int a = 0; a < ARCH_COUNT; a++)
			if (a != choice && s->where[b] >> a & 1)
				s->factor[b][a] = ldexp(1, below(r, 4));
	}
	return s->fastest[b] != old;
}

/* The groups from a random one on, but the first, are a bucket that follows the old one everywhere. */
static int split(struct setting *s, struct rng *r)
{
	int b = below(r, s->nbuckets), n = 0, cut;

	for (int i = 0; i < s->granularity->ngroups; i++)
		n += s->bucket_of[i] == b;
	if (n < 2 || s->nbuckets == CONFIG_MAX_BUCKETS)
		return 0;
	cut = 1 + below(r, n - 1);
	for (int i = 0; i < s->granularity->ngroups; i++)
		if (s->bucket_of[i] == b && cut-- <= 0)
			s->bucket_of[i] = (uint8_t)s->nbuckets;
	s->where[s->nbuckets] = s->where[b];
	s->fastest[s->nbuckets] = s->fastest[b];
	memcpy(s->factor[s->nbuckets], s->factor[b], sizeof(s->factor[b]));
	for (int a = 0; a < ARCH_COUNT; a++) {
		int place = setting_place(s, (enum arch)a, b);

		if (place >= 0)
			setting_insert(s, (enum arch)a, place + 1, s->nbuckets);
	}
	s->nbuckets++;
	return 1;
}

/* Two neighbours of a list become one bucket. */
static int join(struct setting *s, struct rng *r)
{
	enum arch a = pick_arch(s, r, 2);
	int place;

	if (a == ARCH_NONE)
		return 0;
	place = below(r, s->count[a] - 1);
	return setting_join(s, s->list[a][place], s->list[a][place + 1]);
}

/* The kind of the bucket's first group: levels of one kind mostly want the same. */
static uint32_t kind_of(const struct setting *s, int bucket)
{
	for (int i = 0; i < s->granularity->ngroups; i++)
		if (s->bucket_of[i] == bucket)
			return s->granularity->groups[i].kind;
	return UINT32_MAX;
}

/* All buckets of a type get the factor of one architecture changed in the same way. */
static int scale_type(struct setting *s, struct rng *r)
{
	static const double steps[] = {0, 0.5, 0.8, 1.25, 2};
	enum arch a = pick_arch(s, r, 1);
	double step = steps[below(r, 5)];
	uint32_t type;
	int changed = 0;

	if (a == ARCH_NONE)
		return 0;
	type = kind_of(s, s->list[a][below(r, s->count[a])]);
	for (int i = 0; i < s->count[a]; i++) {
		int b = s->list[a][i];
		double *f = &s->factor[b][a];

		if (kind_of(s, b) != type || s->fastest[b] == ARCH_NONE || s->fastest[b] == (int)a || *f <= 0)
			continue;
		*f *= step;
		*f = *f > MAX_FACTOR ? MAX_FACTOR : *f < LEAST_FACTOR ? 0 : *f;
		changed = 1;
	}
	return changed;
}

/* An architecture leaves a type's buckets from one on, up or down its list, to the others. */
static int drop_type(struct setting *s, struct rng *r)
{
	enum arch a = pick_arch(s, r, 2);
	int place, down, changed = 0;
	uint32_t type;

	if (a == ARCH_NONE)
		return 0;
	place = below(r, s->count[a]);
	down = below(r, 2);
	type = kind_of(s, s->list[a][place]);
	for (int i = s->count[a] - 1; i >= 0; i--)
		if ((down ? i >= place : i <= place) && kind_of(s, s->list[a][i]) == type &&
		    setting_users(s, s->list[a][i]) > 1) {
			setting_remove(s, a, i);
			changed = 1;
		}
	return changed;
}

/* All buckets of a type follow each other somewhere in a list, in the order they had. */
static int gather_type(struct setting *s, struct rng *r)
{
	enum arch a = pick_arch(s, r, 3);
	uint8_t moved[CONFIG_MAX_BUCKETS];
	int n = 0, to;
	uint32_t type;

	if (a == ARCH_NONE)
		return 0;
	type = kind_of(s, s->list[a][below(r, s->count[a])]);
	for (int i = 0; i < s->count[a];) {
		if (kind_of(s, s->list[a][i]) == type) {
			moved[n++] = s->list[a][i];
			setting_remove(s, a, i);
		} else {
			i++;
		}
	}
	to = below(r, s->count[a] + 1);
	for (int i = 0; i < n; i++)
		setting_insert(s, a, to + i, moved[i]);
	return n > 0;
}

static int change_locality(struct setting *s, struct rng *r)
{
	static const int steps[] = {0, 1, 2, 4, 8, 100}, groups[] = {0, 1, 2, 4, 8};
	struct config_locality *l = &s->locality;
	enum arch a;

	if (!l->enabled) {
		l->enabled = 1;
		return 1;
	}
	switch (below(r, 8)) {
	case 0: *l = (struct config_locality){0}; break;
	case 1:
	case 2:
	case 3: strcpy(l->push, locality_config_name((enum locality_formula)below(r, LOCALITY_AUTO + 1))); break;
	case 4:
	case 5:
		a = pick_arch(s, r, 1);
		l->step[a] = steps[below(r, 6)];
		break;
	default: a = pick_arch(s, r, 1); l->subgroup[a] = groups[below(r, 5)];
	}
	return 1;
}

typedef int move_fn(struct setting *s, struct rng *r);

/* How often each is tried, in parts of the sum. */
static const struct {
	move_fn *move;
	int share;
} moves[] = {
	{exchange_neighbours, 4}, {exchange_any, 2},   {reinsert, 4},    {drop, 3}, {enter, 3},
	{scale_factor, 5},        {change_fastest, 2}, {split, 3},       {join, 3}, {change_locality, 3},
	{scale_type, 3},          {drop_type, 2},      {gather_type, 2},
};

int move_any(struct setting *s, struct rng *r, const struct move_options *o)
{
	enum { TRIES = 40, MOVES = sizeof(moves) / sizeof(moves[0]) };
	int sum = 0;

	for (int i = 0; i < MOVES; i++)
		sum += moves[i].share;
	for (int t = 0; t < TRIES; t++) {
		struct setting changed = *s;
		int drawn = below(r, sum), i = 0;

		while (drawn >= moves[i].share)
			drawn -= moves[i++].share;
		if ((moves[i].move == change_locality && !o->locality) || !moves[i].move(&changed, r))
			continue;
		setting_normalise(&changed);
		if (setting_hash(&changed) == setting_hash(s) || (o->frozen && !setting_can_freeze(&changed)))
			continue;
		*s = changed;
		return 1;
	}
	return 0;
}
