/* sched/placement/known_plan.c - the plan that a config has for a graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/known_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/dag/submission_hash.h"
#include "core/machine/machine.h"
#include "sched/placement/plan.h"

static int is_of_graph(const struct config_plan *p, const uint32_t *hash, uint32_t ntasks)
{
	return p->ntasks == ntasks && memcmp(p->hash, hash, ntasks * sizeof(*hash)) == 0;
}

/* Whether a plan is of the graph, of one rank. */
static int is_planned(const struct config *c, const struct dag *d)
{
	struct submission_hash hashes = {0};
	uint32_t *hash = ht_alloc((size_t)d->ntasks + 1, sizeof(*hash));
	int found = !d->ntasks;

	submission_hash_dag(&hashes, d, hash);
	for (int i = 0; i < c->nplans && !found; i++)
		found = is_of_graph(&c->plans[i], hash, d->ntasks);
	submission_hash_fini(&hashes);
	free(hash);
	return found;
}

enum rank_scope known_plan_scope(const struct config *c, const struct dag *d)
{
	uint32_t *place = ht_alloc((size_t)d->ntasks + 1, sizeof(*place));
	int all = c->nplans > 0 || d->nranks <= 1;

	for (int i = 0; i < d->nranks && d->nranks > 1 && all; i++) {
		struct dag *part = dag_of_rank(d, i, place);

		all = is_planned(c, part);
		dag_free(part);
	}
	free(place);
	return all ? RANKS_TOGETHER : RANKS_ALONE;
}

/* PLACES_NONE: the machine has no such device. */
static int place_of(const struct placement_base *b, const struct config_place *o)
{
	if (o->arch == ARCH_CPU)
		return b->places.cpus;
	for (int i = 0; i < b->ndevices; i++) {
		const struct machine_worker *w = &b->machine->workers[b->places.place[b->device[i]].worker];

		if (w->arch == o->arch && w->devid == o->devid)
			return b->device[i];
	}
	return PLACES_NONE;
}

/* -1: an owner is not there. */
static int take_owners(struct placement_plan *p, const struct placement_base *b, const struct config_plan *known,
                       const struct submission_hash *hashes)
{
	p->owner = ht_alloc((size_t)b->dag->nhandles + 1, sizeof(*p->owner));
	for (uint32_t h = 0; h < b->dag->nhandles; h++) {
		uint32_t number = submission_hash_number(hashes, h);
		const struct config_place *o = number == SUBMISSION_HASH_NONE ? NULL : &known->owner[number];

		p->owner[h] = !o || o->arch == ARCH_NONE ? PLACES_NONE : place_of(b, o);
		if (o && o->arch != ARCH_NONE && p->owner[h] == PLACES_NONE) {
			free(p->owner);
			return -1;
		}
	}
	return 0;
}

/* -1: a place is not there. */
static int take_places(struct placement_plan *p, const struct placement_base *b, const struct config_plan *known)
{
	if (!known->place)
		return 0;
	p->place = ht_alloc((size_t)known->ntasks + 1, sizeof(*p->place));
	for (uint32_t t = 0; t < known->ntasks; t++) {
		const struct config_place *at = &known->place[t];

		p->place[t] = at->arch == ARCH_NONE ? PLACES_NONE : place_of(b, at);
		if (at->arch != ARCH_NONE && p->place[t] == PLACES_NONE) {
			free(p->place);
			free(p->owner);
			return -1;
		}
	}
	return 0;
}

static void take_ranks(struct placement_plan *p, const struct config_plan *known)
{
	double rank_ns = config_plan_rank_ns(known);

	p->order.rank = ht_alloc(known->ntasks, sizeof(*p->order.rank));
	p->order.priority = ht_alloc(known->ntasks, sizeof(*p->order.priority));
	for (uint32_t t = 0; t < known->ntasks; t++) {
		p->order.priority[t] = known->rank[t];
		p->order.rank[t] = rank_ns * known->rank[t];
	}
}

const struct config_plan *known_plan_init(struct placement_plan *p, const struct placement_base *b,
                                          const struct config *c)
{
	struct submission_hash hashes = {0};
	uint32_t *hash = ht_alloc((size_t)b->dag->ntasks + 1, sizeof(*hash)), nhandles;
	const struct config_plan *found = NULL;

	submission_hash_dag(&hashes, b->dag, hash);
	nhandles = (uint32_t)(hashes.last - hashes.first);
	for (int i = 0; i < c->nplans; i++) {
		const struct config_plan *known = &c->plans[i];

		*p = (struct placement_plan){.base = b};
		if (is_of_graph(known, hash, b->dag->ntasks) && known->nhandles == nhandles &&
		    take_owners(p, b, known, &hashes) == 0 && take_places(p, b, known) == 0) {
			take_ranks(p, known);
			found = known;
			break;
		}
	}
	submission_hash_fini(&hashes);
	free(hash);
	return found;
}
