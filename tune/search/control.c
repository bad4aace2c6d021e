/* tune/search/control.c - the lists that AutoHeteroprio's heuristics are measured against, and what those settle on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/control.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/rng.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/heuristic.h"
#include "core/metrics/metrics.h"
#include "sched/policy.h"
#include "tune/search/permute.h"

static struct simulation *replay(const struct control_problem *p, struct control_lists *l, int keep_schedule,
                                 struct ht_err *err)
{
	struct config c = *p->base;
	const struct simulate_options o = {
		.policy = &policy_heteroprio,
		.policy_options = p->policy_options,
		.config = &c,
		.conditions = p->conditions,
		.transfers = p->transfers,
		.keep_schedule = keep_schedule,
	};
	struct simulation *s;

	memcpy(c.lists, l->lists, sizeof(c.lists));
	s = simulate(p->dag, p->machine, &o, err);
	if (s) {
		l->makespan_ns = s->makespan_ns;
		l->replays++;
	}
	return s;
}

static void shuffle(struct config_list *l, struct rng *r)
{
	for (int i = l->count - 1; i > 0; i--) {
		int j = (int)rng_below(r, (uint32_t)i + 1), b = l->buckets[i];

		l->buckets[i] = l->buckets[j];
		l->buckets[j] = b;
	}
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* All orders of one list. 1: better than before; 0: not, but `r` (NULL: nothing) may choose another one as good. */
static int try_orders(const struct control_problem *p, struct control_lists *at, enum arch a, struct rng *r,
                      struct ht_err *err)
{
	struct control_lists trial = *at;
	struct config_list sorted = at->lists[a];
	int64_t before = at->makespan_ns;
	uint32_t ties = 0;

	qsort(sorted.buckets, (size_t)sorted.count, sizeof(int), by_number);
	for (uint32_t k = 0; k < permutation_count(sorted.count); k++) {
		int places[PERMUTATION_MAX];
		struct simulation *s;

		permutation_places(places, sorted.count, k);
		for (int i = 0; i < sorted.count; i++)
			trial.lists[a].buckets[i] = sorted.buckets[places[i]];
		s = replay(p, &trial, 0, err);
		if (!s)
			return -1;
		simulation_free(s);
		if (trial.makespan_ns > at->makespan_ns || (!r && trial.makespan_ns == at->makespan_ns))
			continue;
		ties = trial.makespan_ns < at->makespan_ns ? 1 : ties + 1;
		if (!r || rng_below(r, ties) == 0)
			*at = trial;
	}
	at->replays = trial.replays;
	return at->makespan_ns < before;
}

int control_search(const struct control_problem *p, struct control_lists *found, struct ht_err *err)
{
	struct rng r = {p->seed};
	struct simulation *s;
	int lists = 0, unchanged = 0;

	*found = (struct control_lists){.replays = 0};
	memcpy(found->lists, p->base->lists, sizeof(found->lists));
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (found->lists[a].count > PERMUTATION_MAX)
			return ht_err_set(err, "all orders of the %d buckets of %s are too many: %d are the most",
			                  found->lists[a].count, arch_name((enum arch)a), PERMUTATION_MAX);
		lists += found->lists[a].count > 1;
		shuffle(&found->lists[a], &r);
	}
	s = replay(p, found, 0, err);
	if (!s)
		return -1;
	simulation_free(s);
	/* Beside another list that is as good the others may get better: in the end each is looked at again. */
	for (int a = 0; unchanged < 2 * lists - 1; a = (a + 1) % ARCH_COUNT) {
		int better;

		if (found->lists[a].count < 2)
			continue;
		better = try_orders(p, found, (enum arch)a, unchanged < lists ? &r : NULL, err);
		if (better < 0)
			return -1;
		unchanged = better ? 0 : unchanged + 1;
	}
	return 0;
}

/* What a replay executed where. */
static void measure(const struct control_problem *p, const struct simulation *s, struct metrics_input *in)
{
	memset(in->executed, 0, in->ntypes * sizeof(*in->executed));
	memcpy(in->idle, s->idle_ratio, sizeof(in->idle));
	for (uint32_t i = 0; i < p->dag->ntasks; i++) {
		const struct execution_task *t = &s->tasks[i];
		struct metrics_executed *e = &in->executed[dag_type_of(p->dag, i)][p->machine->workers[t->worker].arch];

		e->count++;
		e->mean_ns += ((double)(t->end_ns - t->start_ns) - e->mean_ns) / (double)e->count;
	}
}

static void rank(const struct control_problem *p, const struct heuristic *h, const struct metrics_input *in,
                 struct control_lists *l)
{
	struct metrics *x = metrics_compute(p->dag, p->machine, in);
	uint32_t *types = ht_alloc(x->ntypes, sizeof(*types));

	for (int a = 0; a < ARCH_COUNT; a++) {
		const struct config_list *whole = &p->base->lists[a];
		uint32_t n = whole->count ? heuristic_rank(h, NULL, x, (enum arch)a, types) : 0;

		l->lists[a].count = 0;
		/* A bucket of the base is a type, and the list has those that all its tasks can be run from. */
		for (uint32_t i = 0; i < n; i++)
			for (int k = 0; k < whole->count; k++)
				if (whole->buckets[k] == (int)types[i])
					l->lists[a].buckets[l->lists[a].count++] = (int)types[i];
	}
	free(types);
	metrics_free(x);
}

int control_settle(const struct control_problem *p, const struct heuristic *h, struct control_lists *found,
                   struct ht_err *err)
{
	enum { ROUNDS = 16 };
	struct control_lists seen[ROUNDS], *l = seen;
	struct metrics_input in;
	int rounds = 0, again = 0, rc = -1;

	metrics_input_init(&in, p->dag);
	while (rounds < ROUNDS && !again) {
		struct simulation *s;

		l = &seen[rounds++];
		*l = (struct control_lists){.replays = 0};
		rank(p, h, &in, l);
		for (int i = 0; i < rounds - 1 && !again; i++)
			again = memcmp(l->lists, seen[i].lists, sizeof(l->lists)) == 0;
		s = replay(p, l, 1, err);
		if (!s)
			goto out;
		measure(p, s, &in);
		simulation_free(s);
	}
	*found = *l;
	found->replays = (uint32_t)rounds;
	rc = 0;
out:
	metrics_input_fini(&in);
	return rc;
}
