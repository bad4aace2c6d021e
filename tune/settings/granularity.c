/* tune/settings/granularity.c - the smallest sets of tasks that buckets are made of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/granularity.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"

/* Spare buckets of the scheduler library need some of the 100; ranges need lines of the config. */
enum { MAX_GROUPS = 90, MAX_RANGES = 4096 };

struct granularity_task {
	double rank_ns;
	int32_t priority;
	uint32_t class_id, data_class, place, task; /* place: in the order of submission of the kind */
};

struct maker {
	struct granularity *g;
	const struct dag *d;
	const double *upward_ns;
	struct granularity_task *tasks; /* by kind, in the order of submission */
	uint32_t *first;                /* per kind, and the end of the last */
	uint8_t *level;                 /* as tasks */
	uint32_t max_levels;
	arch_mask archs;
	size_t nranges;
};

const char *granularity_name(enum granularity_kind kind)
{
	static const char *const names[GRANULARITY_COUNT] = {"codelet", "footprint", "priority", "order", "rank"};

	return names[kind];
}

static uint32_t kind_of(const struct maker *k, uint32_t task)
{
	return k->g->kinds.of_class[k->d->tasks[task].class_id];
}

static void sort_by_kind(struct maker *k)
{
	const struct dag *d = k->d;
	uint32_t n = (uint32_t)k->g->kinds.n, *next = ht_alloc(n, sizeof(*next)), *data_class = dag_data_classes(d);

	k->first = ht_alloc((size_t)n + 1, sizeof(*k->first));
	k->tasks = ht_alloc(d->ntasks, sizeof(*k->tasks));
	for (uint32_t t = 0; t < d->ntasks; t++)
		k->first[kind_of(k, t) + 1]++;
	for (uint32_t p = 0; p < n; p++) {
		k->first[p + 1] += k->first[p];
		next[p] = k->first[p];
	}
	for (uint32_t t = 0; t < d->ntasks; t++) {
		const struct dag_task *task = &d->tasks[t];
		uint32_t kind = kind_of(k, t), at = next[kind]++;

		k->tasks[at] = (struct granularity_task){k->upward_ns[t],     task->priority,
		                                         task->class_id,      data_class[task->class_id],
		                                         at - k->first[kind], t};
	}
	free(next);
	free(data_class);
}

static int by_place(const void *pa, const void *pb)
{
	const struct granularity_task *a = pa, *b = pb;

	return a->place < b->place ? -1 : a->place > b->place;
}

static int by_rank(const void *pa, const void *pb)
{
	const struct granularity_task *a = pa, *b = pb;

	return a->rank_ns != b->rank_ns ? (a->rank_ns > b->rank_ns ? -1 : 1) : by_place(pa, pb);
}

static int by_priority(const void *pa, const void *pb)
{
	const struct granularity_task *a = pa, *b = pb;

	return a->priority != b->priority ? (a->priority > b->priority ? -1 : 1) : by_place(pa, pb);
}

static int by_data(const void *pa, const void *pb)
{
	const struct granularity_task *a = pa, *b = pb;

	return a->data_class != b->data_class ? (a->data_class < b->data_class ? -1 : 1) : by_place(pa, pb);
}

/* Whether the two have to be in one level. */
static int inseparable(enum granularity_kind kind, const struct granularity_task *a, const struct granularity_task *b)
{
	switch (kind) {
	case GRANULARITY_FOOTPRINT: return a->data_class == b->data_class;
	case GRANULARITY_PRIORITY: return a->priority == b->priority;
	case GRANULARITY_ORDER:
	case GRANULARITY_RANK: return 0;
	default: return 1;
	}
}

/* Sorts the n tasks from the most urgent on and cuts them in at most `most` levels. Returns how many. */
static uint32_t cut(const struct maker *k, struct granularity_task *tasks, uint32_t n, uint32_t most, uint8_t *level_of)
{
	static int (*const orders[GRANULARITY_COUNT])(const void *, const void *) = {
		by_place, by_data, by_priority, by_place, by_rank,
	};
	enum granularity_kind kind = k->g->kind;
	uint32_t level = 0, in_level = 0;

	most = most < n ? most : n;
	qsort(tasks, n, sizeof(*tasks), orders[kind]);
	for (uint32_t i = 0; i < n; i++, in_level++) {
		int wanted = (uint64_t)i * most / n > level || kind == GRANULARITY_FOOTPRINT;

		if (i && in_level && wanted && level + 1 < most && !inseparable(kind, &tasks[i - 1], &tasks[i])) {
			level++;
			in_level = 0;
		}
		level_of[tasks[i].place] = (uint8_t)level;
	}
	return n ? level + 1 : 0;
}

/* Classes of footprints are numbered as they come; the levels are to be from the most urgent one on. */
static void rank_levels(struct task_group *groups, uint32_t n, uint8_t *level_of, uint32_t ntasks)
{
	uint8_t moved[GRANULARITY_MAX_LEVELS];
	struct task_group sorted[GRANULARITY_MAX_LEVELS];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = 0;

		for (uint32_t j = 0; j < n; j++)
			at += groups[j].rank_ns > groups[i].rank_ns ||
			      (groups[j].rank_ns == groups[i].rank_ns && j < i);
		moved[i] = (uint8_t)at;
		sorted[at] = groups[i];
		sorted[at].level = at;
	}
	memcpy(groups, sorted, n * sizeof(*groups));
	for (uint32_t i = 0; i < ntasks; i++)
		level_of[i] = moved[level_of[i]];
}

/* What the group is on average, from the tasks of its level. */
static void describe(const struct maker *k, struct task_group *a, const struct granularity_task *tasks, uint32_t n,
                     const uint8_t *level_of)
{
	double sum[ARCH_COUNT] = {0};

	a->where = k->archs;
	for (uint32_t i = 0; i < n; i++) {
		const struct dag_class *c = &k->d->classes[tasks[i].class_id];

		if (level_of[tasks[i].place] != a->level)
			continue;
		a->count++;
		a->rank_ns += tasks[i].rank_ns;
		for (int arch = 0; arch < ARCH_COUNT; arch++) {
			if (c->cost_ns[arch] < 0)
				a->where &= (arch_mask) ~(1u << arch);
			sum[arch] += (double)c->cost_ns[arch];
		}
	}
	a->rank_ns /= a->count;
	for (int arch = 0; arch < ARCH_COUNT; arch++)
		a->mean_ns[arch] = a->where >> arch & 1 ? sum[arch] / a->count : -1;
}

struct members {
	struct config_member *items;
	size_t count, cap;
};

/* Of a kind that is a type. */
static struct config_member *add_member(const struct maker *k, struct members *m, uint32_t kind, unsigned limits)
{
	struct config_member *member = VEC_PUSH(m->items, m->count, m->cap);

	*member = k->g->kinds.kinds[kind].members[0];
	member->limits = limits;
	return member;
}

/* Every class of the level; what has none of the footprints is taken to be like most of the type. */
static void footprints(const struct maker *k, struct members *m, const struct task_group *a,
                       const struct granularity_task *tasks, uint32_t n, const uint8_t *level_of)
{
	const struct task_group *groups = a - a->level;
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		if (level_of[tasks[i].place] == a->level && (!i || tasks[i].data_class != tasks[i - 1].data_class))
			add_member(k, m, a->kind, MEMBER_FOOTPRINT)->footprint =
				dag_class_data_footprint(&k->d->classes[tasks[i].class_id]);
	for (uint32_t i = 1; i < a->nlevels; i++)
		if (groups[i].count > groups[most].count)
			most = i;
	if (most == a->level)
		add_member(k, m, a->kind, 0);
}

/* tasks: by falling priority. From the least of the level up to what belongs to the one above. */
static void priorities(const struct maker *k, struct members *m, const struct task_group *a,
                       const struct granularity_task *tasks, uint32_t n, const uint8_t *level_of)
{
	struct config_member *member = add_member(k, m, a->kind, MEMBER_PRIORITY);

	for (uint32_t i = 0; i < n; i++) {
		if (level_of[tasks[i].place] < a->level)
			member->priority[1] = tasks[i].priority - 1;
		else if (level_of[tasks[i].place] == a->level && a->level + 1 < a->nlevels)
			member->priority[0] = tasks[i].priority;
	}
}

/* Runs of places; the last one goes on for ever. */
static void places(const struct maker *k, struct members *m, const struct task_group *a, uint32_t n,
                   const uint8_t *level_of)
{
	struct config_member *member = NULL;

	for (uint32_t i = 0; i < n; i++) {
		if (level_of[i] != a->level) {
			if (member)
				member->submission[1] = i - 1;
			member = NULL;
		} else if (!member) {
			member = add_member(k, m, a->kind, MEMBER_SUBMISSION);
			member->submission[0] = i;
		}
	}
}

static void make_members(struct maker *k, struct task_group *a, const struct granularity_task *tasks, uint32_t n,
                         const uint8_t *level_of)
{
	const struct task_kind *kind = &k->g->kinds.kinds[a->kind];
	struct members m = {0};
	struct config_member *members;

	if (a->nlevels == 1)
		for (size_t i = 0; i < kind->nmembers; i++)
			*VEC_PUSH(m.items, m.count, m.cap) = kind->members[i];
	else if (k->g->kind == GRANULARITY_FOOTPRINT)
		footprints(k, &m, a, tasks, n, level_of);
	else if (k->g->kind == GRANULARITY_PRIORITY)
		priorities(k, &m, a, tasks, n, level_of);
	else
		places(k, &m, a, n, level_of);
	members = arena_alloc(k->g->arena, m.count, sizeof(*members));
	memcpy(members, m.items, m.count * sizeof(*members));
	free(m.items);
	a->members = members;
	a->nmembers = (int)m.count;
	k->nranges += m.count;
}

static void make_kind(struct maker *k, uint32_t kind)
{
	uint32_t n = k->first[kind + 1] - k->first[kind], nlevels;
	struct granularity_task *tasks = k->tasks + k->first[kind];
	uint8_t *level_of = k->level + k->first[kind];
	struct task_group *groups = k->g->groups + k->g->ngroups;

	nlevels = cut(k, tasks, n, k->g->kinds.kinds[kind].is_type ? k->max_levels : 1, level_of);
	for (uint32_t l = 0; l < nlevels; l++) {
		groups[l] = (struct task_group){.kind = kind, .level = l, .nlevels = nlevels};
		describe(k, &groups[l], tasks, n, level_of);
	}
	if (k->g->kind == GRANULARITY_FOOTPRINT)
		rank_levels(groups, nlevels, level_of, n);
	for (uint32_t l = 0; l < nlevels; l++)
		make_members(k, &groups[l], tasks, n, level_of);
	for (uint32_t i = 0; i < n; i++)
		k->g->group_of[tasks[i].task] = (uint8_t)(k->g->ngroups + level_of[tasks[i].place]);
	k->g->ngroups += (int)nlevels;
}

static int is_usable(const struct maker *k)
{
	const struct granularity *g = k->g;

	for (int i = 0; i < g->ngroups; i++)
		if (!g->groups[i].where)
			return 0;
	if (g->kind == GRANULARITY_CODELET)
		return 1;
	if (g->ngroups == g->kinds.n || k->nranges > MAX_RANGES)
		return 0;
	return g->kind != GRANULARITY_RANK || k->nranges > (size_t)g->ngroups; /* else it is GRANULARITY_ORDER */
}

struct granularity *granularity_make(enum granularity_kind kind, const struct dag *d, const struct machine *m,
                                     const double *upward_ns)
{
	struct maker k = {.d = d, .upward_ns = upward_ns, .archs = machine_archs(m), .max_levels = 1};
	struct granularity *g;

	k.g = g = ht_alloc(1, sizeof(*g));
	g->kind = kind;
	g->arena = arena_create();
	task_kinds_init(&g->kinds, d, k.archs, g->arena);
	if (kind != GRANULARITY_CODELET)
		k.max_levels = MAX_GROUPS / g->kinds.n < GRANULARITY_MAX_LEVELS ? (uint32_t)(MAX_GROUPS / g->kinds.n) :
		                                                                  GRANULARITY_MAX_LEVELS;
	if (kind != GRANULARITY_CODELET && k.max_levels < 2) {
		granularity_free(g);
		return NULL;
	}
	g->group_of = ht_alloc(d->ntasks, sizeof(*g->group_of));
	k.level = ht_alloc(d->ntasks, 1);
	sort_by_kind(&k);
	for (int p = 0; p < g->kinds.n; p++)
		make_kind(&k, (uint32_t)p);
	free(k.tasks);
	free(k.first);
	free(k.level);
	if (is_usable(&k))
		return g;
	granularity_free(g);
	return NULL;
}

void granularity_free(struct granularity *g)
{
	if (!g)
		return;
	task_kinds_fini(&g->kinds);
	arena_free(g->arena);
	free(g->group_of);
	free(g);
}
