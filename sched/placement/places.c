/* sched/placement/places.c - where tasks can be placed: the CPUs together, and each device. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/places.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"

static int is_same_place(const struct machine_worker *a, const struct machine_worker *b)
{
	return a->arch == b->arch && (a->arch == ARCH_CPU || (a->devid == b->devid && a->node == b->node));
}

static void find_places(struct places *p, const struct machine *m)
{
	for (int w = 0; w < m->nworkers; w++) {
		int i = 0;

		while (i < p->n && !is_same_place(&m->workers[p->place[i].worker], &m->workers[w]))
			i++;
		if (i == p->n) {
			p->place[p->n++] = (struct place){.worker = w, .node = m->workers[w].node};
			if (m->workers[w].arch == ARCH_CPU)
				p->cpus = i;
		}
		p->place[i].nworkers++;
		p->of[w] = i;
	}
}

void places_init(struct places *p, const struct dag *d, const struct machine *m)
{
	*p = (struct places){.cpus = PLACES_NONE};
	p->place = ht_alloc((size_t)m->nworkers, sizeof(*p->place));
	p->of = ht_alloc((size_t)m->nworkers, sizeof(*p->of));
	find_places(p, m);
	for (uint32_t c = d->nclasses; c-- > 0;) /* the array grows once */
		places_find_costs(p, d, m, c);
}

int places_find_costs(struct places *p, const struct dag *d, const struct machine *m, uint32_t class_id)
{
	size_t first = class_id * (size_t)p->n;
	int is_other = 0;

	VEC_FIT(p->cost_ns, p->cap_costs, first + (size_t)p->n);
	for (int i = 0; i < p->n; i++) {
		const struct machine_worker *w = &m->workers[p->place[i].worker];
		int64_t cost = dag_class_cost_on(d, class_id, w->arch, dag_device(d, w->arch, w->devid));

		is_other |= p->cost_ns[first + (size_t)i] != cost;
		p->cost_ns[first + (size_t)i] = cost;
	}
	return is_other;
}

void places_fini(struct places *p)
{
	free(p->place);
	free(p->of);
	free(p->cost_ns);
}

int places_fastest_device(const struct places *p, uint32_t class_id)
{
	int best = PLACES_NONE;

	for (int i = 0; i < p->n; i++) {
		int64_t cost = places_cost(p, class_id, i);

		if (i == p->cpus || cost < 0)
			continue;
		if (best == PLACES_NONE || cost < places_cost(p, class_id, best))
			best = i;
	}
	return best;
}
