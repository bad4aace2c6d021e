/* tests/lib/play.h - a graph under a policy, whether what came out can be, and knobs that a policy refuses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_PLAY_H
#define TESTS_LIB_PLAY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"

/* The schedule under a policy, its knobs after a colon; `o` says the rest. NULL, with the reason printed. */
static inline struct simulation *play(const struct dag *d, const struct machine *m, const char *policy,
                                      struct simulate_options o)
{
	struct ht_err err = {""};
	struct simulation *s;

	o.keep_schedule = 1;
	o.policy = policy_find(policy, &o.policy_options, &err);
	s = o.policy ? simulate(d, m, &o, &err) : NULL;
	if (!s)
		printf("# %s: %s\n", policy, err.text);
	return s;
}

static inline int play_order(const void *a, const void *b)
{
	const struct execution_task *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker - y->worker;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/*
 * Each task once, after its predecessors and its submission, for its cost; a worker runs one at a time, for as long as
 * it is busy, and the last end is the makespan.
 */
static inline int legal(const struct dag *d, const struct machine *m, const struct simulation *s)
{
	struct execution_task *by_worker = ht_alloc(d->ntasks, sizeof(*by_worker));
	int64_t *busy = ht_alloc((size_t)m->nworkers, sizeof(*busy)), last = 0;
	uint64_t executed = 0;
	int ok = 1;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		const struct execution_task *x = &s->tasks[t];

		ok &= x->worker >= 0 && x->worker < m->nworkers && x->ready_ns >= dag_submit_ns(d, t);
		ok &= x->start_ns >= x->ready_ns &&
		      x->end_ns - x->start_ns == dag_cost(d, t, m->workers[x->worker].arch);
		for (uint32_t i = d->pred_first[t]; i < d->pred_first[t + 1]; i++)
			ok &= s->tasks[d->pred[i]].end_ns <= x->ready_ns;
		busy[x->worker] += x->end_ns - x->start_ns;
		last = x->end_ns > last ? x->end_ns : last;
	}
	for (int w = 0; w < m->nworkers; w++)
		ok &= busy[w] == s->worker_busy_ns[w];
	memcpy(by_worker, s->tasks, d->ntasks * sizeof(*by_worker));
	qsort(by_worker, d->ntasks, sizeof(*by_worker), play_order);
	for (uint32_t i = 1; i < d->ntasks; i++)
		ok &= by_worker[i].worker != by_worker[i - 1].worker ||
		      by_worker[i].start_ns >= by_worker[i - 1].end_ns;
	for (int a = 0; a < ARCH_COUNT; a++)
		executed += s->executed[a];
	free(busy);
	free(by_worker);
	return ok && executed == d->ntasks && last == s->makespan_ns;
}

/* On graphs of all kinds, with transfers and without: legal, and twice the same. */
static inline void check_every_graph(const char *const *names, int n)
{
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);

	for (uint64_t seed = 0; seed < 24; seed++) {
		struct dag *d = seed ? graph_layers(seed, 8, 20, 1) : graph_cholesky(8, 1);

		for (uint32_t t = 0; t < d->ntasks; t++)
			d->tasks[t].priority = (int32_t)(t * 7 % 5);
		for (int i = 0; i < 2 * n; i++) {
			struct simulate_options o = {.transfers = i % 2 ? TRANSFERS_ON : TRANSFERS_OFF};
			struct simulation *s = play(d, m, names[i / 2], o), *again = play(d, m, names[i / 2], o);

			CHECK(s && again && legal(d, m, s));
			CHECK(s && again && s->makespan_ns == again->makespan_ns &&
			      !memcmp(s->tasks, again->tasks, d->ntasks * sizeof(*s->tasks)));
			simulation_free(s);
			simulation_free(again);
		}
		dag_free(d);
	}
	machine_free(m);
}

/* A policy with knobs that it refuses, and the sentence; "" where any that names the policy will do. */
static inline void check_refused(const char *policy, const char *sentence)
{
	struct dag *d = graph_layers(1, 3, 3, 1);
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct simulate_options o = {0};
	struct ht_err err = {""};

	o.policy = policy_find(policy, &o.policy_options, &err);
	CHECK(o.policy && !simulate(d, m, &o, &err));
	if (*sentence)
		CHECK_STR(err.text, sentence);
	else if (o.policy)
		CHECK_HAS(err.text, o.policy->name);
	dag_free(d);
	machine_free(m);
}

/* A world in which no time goes by, and whose ctx is a uint64_t: a bit for each worker that was woken. */
static inline int64_t play_no_time(void *ctx)
{
	(void)ctx;
	return 0;
}

static inline void play_note_woken(void *ctx, int worker)
{
	*(uint64_t *)ctx |= UINT64_C(1) << worker;
}

#endif
