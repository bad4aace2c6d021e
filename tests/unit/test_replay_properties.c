/* tests/unit/test_replay_properties.c - what must hold for the replay of every graph under every policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/run/conditions.h"
#include "core/trace/trace.h"
#include "replay/memory/memory.h"
#include "replay/memory/network.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tune/settings/config_make.h"

/* A graph on a machine, and the config that policies with buckets take. */
struct play {
	struct dag *d;
	struct machine *m;
	struct config *c;
};

static void play_open(struct play *p, struct dag *d, struct machine *m)
{
	*p = (struct play){.d = d, .m = m, .c = config_from_dag(d, m, NULL)};
	CHECK(d && m && p->c);
}

static void play_close(struct play *p)
{
	config_free(p->c);
	machine_free(p->m);
	dag_free(p->d);
}

static struct simulation *replay(const struct play *p, const char *policy, enum simulate_transfers transfers,
                                 const struct conditions *conditions)
{
	struct simulate_options o = {.config = p->c, .keep_schedule = 1, .transfers = transfers};
	struct ht_err err = {""};
	struct simulation *s;

	o.conditions = conditions;
	o.policy = policy_find(policy, &o.policy_options, &err);
	s = o.policy ? simulate(p->d, p->m, &o, &err) : NULL;
	if (!s)
		printf("# %s: %s\n", policy, err.text);
	return s;
}

static int by_start(const void *a, const void *b, void *arg)
{
	const struct execution_task *tasks = arg, *x = &tasks[*(const uint32_t *)a], *y = &tasks[*(const uint32_t *)b];

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

/* Every task once, for its cost, after its predecessors and its submission; a worker executes one at a time. */
static int legal(const struct play *p, const struct simulation *s)
{
	const struct dag *d = p->d;
	uint32_t *order = ht_alloc(d->ntasks, sizeof(*order));
	int64_t last = 0, busy = 0;
	uint64_t executed = 0;
	int ok = 1;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		const struct execution_task *x = &s->tasks[t];

		order[t] = t;
		last = x->end_ns > last ? x->end_ns : last;
		busy += x->end_ns - x->start_ns;
		ok &= x->start_ns >= x->ready_ns && x->ready_ns >= dag_submit_ns(d, t);
		ok &= x->end_ns - x->start_ns == dag_cost(d, t, p->m->workers[x->worker].arch);
		for (uint32_t i = d->pred_first[t]; i < d->pred_first[t + 1]; i++)
			ok &= s->tasks[d->pred[i]].end_ns <= x->ready_ns;
	}
	qsort_r(order, d->ntasks, sizeof(*order), by_start, s->tasks);
	for (uint32_t i = 1; i < d->ntasks; i++) {
		const struct execution_task *x = &s->tasks[order[i - 1]], *y = &s->tasks[order[i]];

		ok &= x->worker != y->worker || x->end_ns <= y->start_ns;
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		executed += s->executed[a];
		busy -= s->busy_ns[a];
	}
	free(order);
	return ok && executed == d->ntasks && !busy && last == s->makespan_ns;
}

static int same(const struct play *p, const struct simulation *a, const struct simulation *b)
{
	for (uint32_t t = 0; t < p->d->ntasks; t++) {
		const struct execution_task *x = &a->tasks[t], *y = &b->tasks[t];

		if (x->worker != y->worker || x->ready_ns != y->ready_ns || x->start_ns != y->start_ns ||
		    x->end_ns != y->end_ns)
			return 0;
	}
	for (int i = 0; i < a->nlinks && b->links; i++) {
		if (a->links[i].bytes != b->links[i].bytes || a->links[i].busy_ns != b->links[i].busy_ns)
			return 0;
	}
	return a->makespan_ns == b->makespan_ns && a->bytes_moved == b->bytes_moved;
}

/* Graphs with priorities: with data, and without. */
static struct dag *make_graph(uint64_t seed, int64_t scale)
{
	struct dag *d = seed % 4 == 3 ? graph_layers(seed, 8, 25, scale) : graph_of_data(seed, scale);

	for (uint32_t t = 0; t < d->ntasks; t++)
		d->tasks[t].priority = (int32_t)(t * 7 % 5);
	return d;
}

static const char *const machines[] = {"cpu:3 cuda:2", "cpu:1 cuda:1 opencl:1", "cpu:6", "cuda:3 cpu:2"};

/* Policies that ask for no data before a worker has taken the task: nothing is on its way when all is done. */
static int never_prefetches(const char *policy)
{
	static const char *const names[] = {"eager", "lws", "ws", "random"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i], policy))
			return 1;
	}
	return 0;
}

/* What arrives over links was sent; a link is busy for as long as its bytes take at least, and within the makespan. */
static void check_links(const struct play *p, const struct simulation *s, const char *policy)
{
	uint64_t bytes = 0;

	for (int i = 0; i < s->nlinks; i++) {
		const struct link_use *l = &s->links[i];

		bytes += l->bytes;
		CHECK((l->transfers == 0) == (l->bytes == 0));
		CHECK((double)l->busy_ns >= floor((double)l->bytes / p->m->links[i].bytes_per_s * 1e9));
		CHECK(l->busy_ns <= s->makespan_ns);
	}
	CHECK(bytes <= (uint64_t)s->bytes_moved);
	if (never_prefetches(policy))
		CHECK_INT(bytes, s->bytes_moved);
}

static void test_every_policy(void)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct bounds bounds;
		struct play p;

		play_open(&p, make_graph(seed, 1000000), machine_parse(machines[seed % 4], NULL));
		CHECK_INT(bounds_of(&bounds, p.d, p.m, BOUNDS_WITHOUT_COPIES, NULL), 0);
		for (int i = 0; policies[i]; i++) {
			for (int on = TRANSFERS_OFF; on <= TRANSFERS_ON; on++) {
				struct simulation *s = replay(&p, policies[i]->name, (enum simulate_transfers)on, NULL);
				struct simulation *t = replay(&p, policies[i]->name, (enum simulate_transfers)on, NULL);

				CHECK(s && t && legal(&p, s) && same(&p, s, t));
				CHECK(s && s->makespan_ns >= bounds.largest_ns);
				if (s && on == TRANSFERS_ON)
					check_links(&p, s, policies[i]->name);
				if (check_failures) {
					printf("# seed %d, %s on %s\n", (int)seed, policies[i]->name,
					       machines[seed % 4]);
					return;
				}
				simulation_free(s);
				simulation_free(t);
			}
		}
		play_close(&p);
	}
}

/* AutoHeteroprio takes a type that it has not seen yet to last 1 ms, which does not grow with the others. */
static int scales(const char *policy)
{
	return strcmp(policy, "autoheteroprio") != 0;
}

/* Costs 8 times as large: the same schedule, 8 times as long. */
static void test_scaled_costs(void)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct play p, large;

		play_open(&p, make_graph(seed, 1000), machine_parse(machines[seed % 4], NULL));
		play_open(&large, make_graph(seed, 8000), machine_parse(machines[seed % 4], NULL));
		for (int i = 0; policies[i]; i++) {
			struct simulation *s = replay(&p, policies[i]->name, TRANSFERS_OFF, NULL);
			struct simulation *t = replay(&large, policies[i]->name, TRANSFERS_OFF, NULL);
			int ok = s && t && t->makespan_ns == 8 * s->makespan_ns;

			for (uint32_t k = 0; ok && k < p.d->ntasks; k++)
				ok = t->tasks[k].worker == s->tasks[k].worker &&
				     t->tasks[k].start_ns == 8 * s->tasks[k].start_ns;
			if (!ok && scales(policies[i]->name))
				printf("# seed %d, %s\n", (int)seed, policies[i]->name);
			CHECK(ok || !scales(policies[i]->name));
			simulation_free(s);
			simulation_free(t);
		}
		play_close(&p);
		play_close(&large);
	}
}

/* 8 times slower: workers, links, and the threads themselves. */
static void slow_down(struct play *p, struct conditions *c)
{
	struct overheads each;

	conditions_init(c);
	each = c->overheads.of[ARCH_CUDA];
	for (uint32_t i = 0; i < p->d->nclasses; i++) {
		for (int a = 0; a < ARCH_COUNT; a++)
			p->d->classes[i].cost_ns[a] *= p->d->classes[i].cost_ns[a] < 0 ? 1 : 8;
	}
	for (int i = 0; i < p->m->nlinks; i++) {
		p->m->links[i].bytes_per_s /= 8;
		p->m->links[i].latency_ns *= 8;
	}
	each.push_ns *= 8;
	each.look_ns *= 8;
	each.ask_ns *= 8;
	each.queue_ns *= 8;
	each.copy_ns *= 8;
	each.allocate_ns *= 8;
	each.list_ns *= 8;
	overheads_set(&c->overheads, &each);
}

/* The same with copies, whose ends are rounded to a nanosecond: what comes at nearly one time may change places. */
static void test_scaled_costs_and_copies(void)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct play p, slow;
		struct conditions c;

		play_open(&p, make_graph(seed, 10000000), machine_parse(machines[seed % 4], NULL));
		play_open(&slow, make_graph(seed, 10000000), machine_parse(machines[seed % 4], NULL));
		slow_down(&slow, &c);
		for (int i = 0; policies[i]; i++) {
			struct simulation *s = replay(&p, policies[i]->name, TRANSFERS_ON, NULL);
			struct simulation *t = replay(&slow, policies[i]->name, TRANSFERS_ON, &c);

			if (s && t && scales(policies[i]->name))
				CHECK_NEAR((double)t->makespan_ns / 8e9, (double)s->makespan_ns / 1e9, 1e-4);
			CHECK(s && t);
			simulation_free(s);
			simulation_free(t);
		}
		play_close(&p);
		play_close(&slow);
	}
}

/*
 * StarPU's push wakes the first worker that could execute the task, whoever else sleeps, and slow factors make that one
 * refuse it. With one kind of device nobody is left asleep: workers that the factors favour are never refused. With
 * two, one has been refused what the other is favoured in, sleeps, and is not woken for what it alone may take.
 */
static int leaves_nobody_out(const char *policy, const struct machine *m)
{
	return strcmp(policy, "autoheteroprio") != 0 || !machine_workers_of(m, ARCH_CUDA) ||
	       !machine_workers_of(m, ARCH_OPENCL);
}

/* As StarPU's (its own error, which says so) where that can be; never on other machines, nor as published. */
static void test_standstill(void)
{
	int ndeadlocks = 0;

	for (uint64_t seed = 0; seed < 12; seed++) {
		for (int k = 0; k < 4; k++) {
			struct play p;
			struct simulate_options o = {.policy = &policy_autoheteroprio, .policy_options = ""};
			struct ht_err err = {""};
			struct simulation *s;

			play_open(&p, graph_of_data(seed, 1000), machine_parse(machines[k], NULL));
			s = simulate(p.d, p.m, &o, &err);
			CHECK(s || !leaves_nobody_out("autoheteroprio", p.m));
			if (!s) {
				ndeadlocks++;
				CHECK_HAS(err.text, "policy autoheteroprio leaves task ");
				CHECK_HAS(err.text, " ready and nobody takes it");
			}
			simulation_free(s);
			o.policy_options = "variant=paper";
			s = simulate(p.d, p.m, &o, &err);
			CHECK(s != NULL);
			simulation_free(s);
			play_close(&p);
		}
	}
	CHECK(ndeadlocks > 0);
}

/* Device memory as small as can be, or twice that, also with two workers on one device: nothing is ever beyond it. */
static void test_capacity(void)
{
	static const int64_t scales_of_data[] = {1000, 100000};
	uint64_t evictions = 0;

	for (uint64_t seed = 0; seed < 12; seed++) {
		struct play p;

		play_open(&p, graph_of_data(seed, scales_of_data[seed % 2]), machine_parse(machines[seed % 4], NULL));
		if (seed % 4 == 3)
			p.m->workers[1].node = p.m->workers[0].node;
		for (int i = 0; i < p.m->nnodes; i++)
			p.m->nodes[i].capacity_bytes = i ? graph_largest_task(p.d) * (1 + (int64_t)(seed / 4 % 2)) : 0;
		for (int i = 0; policies[i]; i++) {
			if (!leaves_nobody_out(policies[i]->name, p.m))
				continue;
			struct simulation *s = replay(&p, policies[i]->name, TRANSFERS_ON, NULL);
			struct simulation *t = replay(&p, policies[i]->name, TRANSFERS_ON, NULL);

			CHECK(s && t && legal(&p, s) && same(&p, s, t));
			if (s)
				check_links(&p, s, policies[i]->name);
			for (int n = 1; s && n < p.m->nnodes; n++) {
				CHECK(s->memory[n].peak_bytes <= (uint64_t)p.m->nodes[n].capacity_bytes);
				CHECK(s->memory[n].bytes <= s->memory[n].peak_bytes);
				evictions += s->memory[n].evictions;
			}
			if (check_failures) {
				printf("# seed %d, %s on %s\n", (int)seed, policies[i]->name, machines[seed % 4]);
				return;
			}
			simulation_free(s);
			simulation_free(t);
		}
		play_close(&p);
	}
	CHECK(evictions > 10000);
}

/* Memory for all data is as good as memory without limits. */
static void test_ample_capacity(void)
{
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct play p;

		play_open(&p, graph_of_data(seed, 1000), machine_parse(machines[seed], NULL));
		for (int i = 0; policies[i]; i++) {
			if (!leaves_nobody_out(policies[i]->name, p.m))
				continue;
			struct simulation *s[2];

			for (int k = 0; k < 2; k++) {
				for (int n = 1; n < p.m->nnodes; n++)
					p.m->nodes[n].capacity_bytes = k ? INT64_C(1) << 30 : 0;
				s[k] = replay(&p, policies[i]->name, TRANSFERS_ON, NULL);
			}
			CHECK(s[0] && s[1] && same(&p, s[0], s[1]));
			simulation_free(s[0]);
			simulation_free(s[1]);
		}
		play_close(&p);
	}
}

/* Graham 1969: on m equal workers instead of n, a list schedule takes at most 1 + (n - 1) / m times as long. */
static void test_other_numbers_of_workers(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct dag *d = graph_layers(seed, 15, 20, 1000);
		struct machine *one = machine_parse("cpu:1", NULL);
		int64_t makespan[10];

		for (int n = 1; n < 10; n++) {
			struct play p = {.d = d};
			struct simulation *s;
			char counts[16];

			snprintf(counts, sizeof(counts), "cpu=%d", n);
			p.m = machine_scale(one, counts, NULL);
			s = replay(&p, "eager", TRANSFERS_OFF, NULL);
			makespan[n] = s->makespan_ns;
			simulation_free(s);
			machine_free(p.m);
		}
		for (int n = 1; n < 10; n++) {
			for (int m = 1; m < 10; m++)
				CHECK((double)makespan[m] <= (1 + (n - 1.0) / m) * (double)makespan[n] + 1e-3);
		}
		machine_free(one);
		dag_free(d);
	}
}

static void test_seeds(void)
{
	struct simulation *s[3];
	struct play p;

	play_open(&p, make_graph(1, 1000000), machine_parse("cpu:3 cuda:2", NULL));
	s[0] = replay(&p, "random:seed=5", TRANSFERS_ON, NULL);
	s[1] = replay(&p, "random:seed=5", TRANSFERS_ON, NULL);
	s[2] = replay(&p, "random:seed=6", TRANSFERS_ON, NULL);
	CHECK(same(&p, s[0], s[1]));
	CHECK(!same(&p, s[0], s[2]));
	for (int i = 0; i < 3; i++)
		simulation_free(s[i]);
	play_close(&p);
}

int main(void)
{
	RUN(test_every_policy);
	RUN(test_scaled_costs);
	RUN(test_scaled_costs_and_copies);
	RUN(test_standstill);
	RUN(test_capacity);
	RUN(test_ample_capacity);
	RUN(test_other_numbers_of_workers);
	RUN(test_seeds);
	return check_done();
}
