/* tune/settings/rank_plans.c - plans for a graph of several MPI ranks: one for each, of the tasks that it executes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/rank_plans.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/placement/plan.h"
#include "tune/settings/plan_make.h"

struct rank {
	struct dag *dag;
	struct machine *machine;
	struct placement_base base;
	uint32_t *whole; /* per task of `dag`: its number in that of all ranks */
};

struct rank_plans {
	struct placement_base whole;
	struct rank *ranks; /* those that execute something */
	int n;
};

static int add_rank(struct rank_plans *r, int number, int copies_take_time, struct ht_err *err)
{
	const struct dag *d = r->whole.dag;
	struct rank *x = &r->ranks[r->n];
	uint32_t *place = ht_alloc(d->ntasks, sizeof(*place)), n = 0;

	x->dag = dag_of_rank(d, number, place);
	free(place);
	if (!x->dag->ntasks) {
		dag_free(x->dag);
		return 0;
	}
	x->machine = machine_of_rank(r->whole.machine, number);
	if (placement_base_init(&x->base, x->dag, x->machine, copies_take_time, err) != 0) {
		dag_free(x->dag);
		machine_free(x->machine);
		return -1;
	}
	x->whole = ht_alloc(x->dag->ntasks, sizeof(*x->whole));
	for (uint32_t t = 0; t < d->ntasks; t++)
		if (d->tasks[t].rank == number)
			x->whole[n++] = t;
	r->n++;
	return 0;
}

struct rank_plans *rank_plans_create(const struct dag *d, const struct machine *m, int copies_take_time,
                                     struct ht_err *err)
{
	struct rank_plans *r = ht_alloc(1, sizeof(*r));

	if (placement_base_init(&r->whole, d, m, copies_take_time, err) != 0) {
		free(r);
		return NULL;
	}
	r->ranks = ht_alloc((size_t)d->nranks, sizeof(*r->ranks));
	for (int i = 0; i < d->nranks; i++) {
		if (add_rank(r, i, copies_take_time, err) != 0) {
			rank_plans_free(r);
			return NULL;
		}
	}
	return r;
}

void rank_plans_free(struct rank_plans *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->n; i++) {
		placement_base_fini(&r->ranks[i].base);
		dag_free(r->ranks[i].dag);
		machine_free(r->ranks[i].machine);
		free(r->ranks[i].whole);
	}
	free(r->ranks);
	placement_base_fini(&r->whole);
	free(r);
}

void rank_plans_add(const struct rank_plans *r, struct config *c, const struct placement_knobs *k)
{
	struct placement_order all;

	placement_order_init(&all, &r->whole, k);
	for (int i = 0; i < r->n; i++) {
		const struct rank *x = &r->ranks[i];
		struct placement_order order;
		struct placement_plan plan;

		placement_order_alloc(&order, x->dag->ntasks);
		for (uint32_t t = 0; t < x->dag->ntasks; t++) {
			order.rank[t] = all.rank[x->whole[t]];
			order.priority[t] = all.priority[x->whole[t]];
		}
		placement_plan_init_ordered(&plan, &x->base, k, &order);
		plan_add(c, &plan, k);
		placement_plan_fini(&plan);
	}
	placement_order_fini(&all);
}
