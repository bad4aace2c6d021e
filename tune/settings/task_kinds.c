/* tune/settings/task_kinds.c - which tasks a bucket by codelet is for: those of a type, where that is possible. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/task_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"

/* More kinds leave too few numbers for StarPU's other tasks; where there are more, so many keep a kind of their own. */
enum { MOST_KINDS = 90, OWN_KINDS = 60 };

/* Classes of a type: all of them, or those that can run on the same architectures. */
struct part {
	uint32_t type;
	arch_mask where;
	int is_type;
	double work_ns;
	uint64_t ntasks;
	int kind; /* -1: not decided */
};

struct parts {
	struct part *items;
	size_t n, cap;
	uint32_t *of_class, *first; /* per class; per type, and the end of the last */
};

static arch_mask archs_of(const struct dag *d, uint32_t class_id, arch_mask archs)
{
	return (arch_mask)(dag_class_archs(&d->classes[class_id]) & archs);
}

/* Classes by type: list[first[p]] to list[first[p + 1] - 1]. */
static uint32_t *classes_by_type(const struct dag *d, uint32_t *first)
{
	uint32_t *list = ht_alloc((size_t)d->nclasses + 1, sizeof(*list)), *next;

	for (uint32_t c = 0; c < d->nclasses; c++)
		first[d->classes[c].codelet + 1]++;
	for (uint32_t p = 0; p < d->ntypes; p++)
		first[p + 1] += first[p];
	next = ht_alloc((size_t)d->ntypes + 1, sizeof(*next));
	memcpy(next, first, d->ntypes * sizeof(*next));
	for (uint32_t c = 0; c < d->nclasses; c++)
		list[next[d->classes[c].codelet]++] = c;
	free(next);
	return list;
}

/* Classes without tasks are anywhere. */
static void add_class(struct parts *p, const struct dag *d, uint32_t class_id, arch_mask where, int is_type)
{
	const struct dag_class *c = &d->classes[class_id];
	int64_t least = INT64_MAX;
	size_t i = p->first[c->codelet];
	struct part *part;

	while (i < p->n && p->items[i].where != where && c->count)
		i++;
	part = i < p->n ? &p->items[i] : VEC_PUSH(p->items, p->n, p->cap);
	part->type = c->codelet;
	part->where = where;
	part->is_type = is_type;
	part->kind = -1;
	for (int a = 0; a < ARCH_COUNT; a++)
		if (where >> a & 1 && c->cost_ns[a] < least)
			least = c->cost_ns[a];
	part->work_ns += where ? (double)least * c->count : 0;
	part->ntasks += c->count;
	p->of_class[class_id] = (uint32_t)i;
}

static void find_parts(struct parts *p, const struct dag *d, arch_mask archs)
{
	uint32_t *first = ht_alloc((size_t)d->ntypes + 1, sizeof(*first)), *list = classes_by_type(d, first);

	*p = (struct parts){.of_class = ht_alloc((size_t)d->nclasses + 1, sizeof(*p->of_class))};
	p->first = ht_alloc((size_t)d->ntypes + 1, sizeof(*p->first));
	for (uint32_t type = 0; type < d->ntypes; type++) {
		arch_mask all = archs;

		p->first[type] = (uint32_t)p->n;
		for (uint32_t i = first[type]; i < first[type + 1]; i++)
			if (d->classes[list[i]].count)
				all &= archs_of(d, list[i], archs);
		for (int unused = 0; unused < 2; unused++)
			for (uint32_t i = first[type]; i < first[type + 1]; i++)
				if ((d->classes[list[i]].count == 0) == unused)
					add_class(p, d, list[i], all ? all : archs_of(d, list[i], archs), all != 0);
	}
	p->first[d->ntypes] = (uint32_t)p->n;
	free(first);
	free(list);
}

static int by_work(const void *a, const void *b, void *parts)
{
	const struct part *x = &((const struct part *)parts)[*(const uint32_t *)a];
	const struct part *y = &((const struct part *)parts)[*(const uint32_t *)b];

	if (x->work_ns != y->work_ns)
		return x->work_ns > y->work_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The first OWN_KINDS by work are marked: kind 0. */
static void choose_own(struct parts *p)
{
	uint32_t *order = ht_alloc(p->n + 1, sizeof(*order));

	for (uint32_t i = 0; i < p->n; i++)
		order[i] = i;
	if (p->n > MOST_KINDS)
		qsort_r(order, p->n, sizeof(*order), by_work, p->items);
	for (uint32_t i = 0; i < p->n; i++)
		p->items[order[i]].kind = p->n <= MOST_KINDS || i < OWN_KINDS ? 0 : -1;
	free(order);
}

static void add_member(struct task_kind *k, const struct dag_type *type, unsigned limits, uint32_t footprint)
{
	*VEC_PUSH(k->members, k->nmembers, k->cap_members) = (struct config_member){.codelet = type->codelet,
	                                                                            .model = type->model,
	                                                                            .limits = limits,
	                                                                            .footprint = footprint,
	                                                                            .priority = {INT32_MIN, INT32_MAX},
	                                                                            .submission = {0, UINT32_MAX}};
}

/* The kind of what shares one and can run on the same; a new one where there is none, or room for no more. */
static int shared_kind(const struct task_kinds *k, int nown, arch_mask where)
{
	int i = nown;

	while (i < k->n && k->kinds[i].where != where && i < CONFIG_MAX_BUCKETS - 1)
		i++;
	return i;
}

static void number_kinds(struct task_kinds *k, struct parts *p, const struct dag *d)
{
	int nown;

	for (size_t i = 0; i < p->n; i++) {
		struct part *part = &p->items[i];

		if (part->kind < 0)
			continue;
		part->kind = k->n++;
		k->kinds[part->kind] =
			(struct task_kind){d->types[part->type].name, part->is_type, part->where, NULL, 0, 0};
		k->are_types &= part->is_type;
	}
	nown = k->n;
	for (size_t i = 0; i < p->n; i++) {
		struct part *part = &p->items[i];

		if (part->kind >= 0)
			continue;
		part->kind = shared_kind(k, nown, part->where);
		k->are_types = 0;
		if (part->kind < k->n)
			k->kinds[part->kind].where &= part->where;
		else
			k->kinds[k->n++] = (struct task_kind){NULL, 0, part->where, NULL, 0, 0};
	}
}

/* A footprint that the run does not have is taken to be like most of the type. */
static void add_members(struct task_kinds *k, const struct parts *p, const struct dag *d)
{
	uint32_t *data_class = dag_data_classes(d);

	for (uint32_t type = 0; type < d->ntypes; type++) {
		uint32_t most = p->first[type];

		for (uint32_t i = p->first[type]; i < p->first[type + 1]; i++)
			if (p->items[i].ntasks > p->items[most].ntasks)
				most = i;
		if (p->first[type] < p->first[type + 1])
			add_member(&k->kinds[p->items[most].kind], &d->types[type], 0, 0);
	}
	for (uint32_t c = 0; c < d->nclasses; c++) {
		const struct part *part = &p->items[p->of_class[data_class[c]]];

		k->of_class[c] = (uint8_t)part->kind;
		if (!part->is_type && data_class[c] == c)
			add_member(&k->kinds[part->kind], &d->types[part->type], MEMBER_FOOTPRINT,
			           dag_class_data_footprint(&d->classes[c]));
	}
	free(data_class);
}

static void name_shared(struct task_kinds *k, struct arena *a)
{
	for (int i = 0; i < k->n; i++) {
		char name[40];
		int len = snprintf(name, sizeof(name), "%zu other types", k->kinds[i].nmembers);

		if (!k->kinds[i].name)
			k->kinds[i].name = arena_strndup(a, name, (size_t)len);
	}
}

void task_kinds_init(struct task_kinds *k, const struct dag *d, arch_mask archs, struct arena *a)
{
	struct parts p;

	*k = (struct task_kinds){.are_types = 1, .of_class = ht_alloc((size_t)d->nclasses + 1, 1)};
	find_parts(&p, d, archs);
	choose_own(&p);
	number_kinds(k, &p, d);
	add_members(k, &p, d);
	name_shared(k, a);
	k->first_part = p.first;
	k->part_kind = ht_alloc(p.n + 1, 1);
	for (size_t i = 0; i < p.n; i++)
		k->part_kind[i] = (uint8_t)p.items[i].kind;
	free(p.items);
	free(p.of_class);
}

void task_kinds_fini(struct task_kinds *k)
{
	for (int i = 0; i < k->n; i++)
		free(k->kinds[i].members);
	free(k->of_class);
	free(k->first_part);
	free(k->part_kind);
}
