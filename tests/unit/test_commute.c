/* tests/unit/test_commute.c - tasks that write the same data in any order, but one at a time; data of workers' own. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/sim/commute.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"

enum { ADD = ACCESS_R | ACCESS_W | ACCESS_COMMUTE };

static uint32_t task(struct dag_builder *b, uint32_t type, int n, const uint32_t *handles, uint32_t mode)
{
	uint32_t t = dag_builder_task(b, type);

	for (int i = 0; i < n; i++)
		dag_builder_access(b, t, handles[i], mode);
	return t;
}

static uint32_t kind(struct dag_builder *b, int64_t cpu, int64_t gpu)
{
	return dag_builder_type(b, "k", (const int64_t[ARCH_COUNT])COSTS(cpu, gpu));
}

static struct simulation *play(const struct dag *d, const char *machine, const char *policy, enum simulate_transfers on)
{
	struct simulate_options o = {.transfers = on, .keep_schedule = 1};
	struct machine *m = machine_parse(machine, NULL);
	struct ht_err err = {""};
	struct simulation *s;

	o.policy = policy_find(policy, &o.policy_options, &err);
	s = simulate(d, m, &o, &err);
	if (!s)
		printf("# %s on %s: %s\n", policy, machine, err.text);
	machine_free(m);
	return s;
}

/* Data is acquired in one order; a task that waits holds the data before; priority first, then age. */
static void test_acquire(void)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b, 1, -1), h[3], t[5];
	struct commute *c;
	struct dag *d;

	for (int i = 0; i < 3; i++)
		h[i] = dag_builder_handle(b, 1);
	t[0] = task(b, type, 1, (uint32_t[]){h[1]}, ADD);
	t[1] = task(b, type, 2, (uint32_t[]){h[1], h[0]}, ADD);
	t[2] = task(b, type, 1, (uint32_t[]){h[0]}, ADD);
	t[3] = task(b, type, 1, (uint32_t[]){h[1]}, ADD);
	t[4] = task(b, type, 1, (uint32_t[]){h[2]}, ACCESS_R);
	d = dag_builder_finish(b, NULL);
	c = commute_create(d, NULL);
	CHECK(commute_acquire(c, t[0], 0));
	CHECK(!commute_acquire(c, t[1], 0)); /* it has h0 and waits for h1 */
	CHECK(!commute_acquire(c, t[2], 9));
	CHECK(!commute_acquire(c, t[3], 1)); /* for h1 too, with a higher priority */
	CHECK(commute_acquire(c, t[4], 0));
	CHECK_INT(commute_release(c, t[4]), COMMUTE_NONE);
	CHECK_INT(commute_release(c, t[0]), t[3]);
	CHECK_INT(commute_next(c, t[3]), COMMUTE_NONE);
	CHECK_INT(commute_release(c, t[3]), t[1]);
	CHECK_INT(commute_release(c, t[1]), t[2]);
	CHECK_INT(commute_release(c, t[2]), COMMUTE_NONE);
	commute_free(c);
	dag_free(d);
}

/* The end of one can release several: both data of it were waited for. */
static void test_release_of_two(void)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b, 1, -1), h[2], t[3];
	struct commute *c;
	struct dag *d;

	h[0] = dag_builder_handle(b, 1);
	h[1] = dag_builder_handle(b, 1);
	t[0] = task(b, type, 2, h, ADD);
	t[1] = task(b, type, 1, h + 1, ADD);
	t[2] = task(b, type, 1, h, ADD);
	d = dag_builder_finish(b, NULL);
	c = commute_create(d, NULL);
	CHECK(commute_acquire(c, t[0], 0) && !commute_acquire(c, t[1], 0) && !commute_acquire(c, t[2], 0));
	CHECK_INT(commute_release(c, t[0]), t[2]);
	CHECK_INT(commute_next(c, t[2]), t[1]);
	CHECK_INT(commute_next(c, t[1]), COMMUTE_NONE);
	commute_free(c);
	dag_free(d);
}

/* With turns a datum waits for the task that is to have it, and a task for its turn. */
static void test_turns(void)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b, 1, -1), h[2], t[3];
	struct commute *c;
	struct dag *d;

	h[0] = dag_builder_handle(b, 1);
	h[1] = dag_builder_handle(b, 1);
	t[0] = task(b, type, 2, h, ADD);
	t[1] = task(b, type, 1, h, ADD);
	t[2] = task(b, type, 1, h + 1, ADD);
	d = dag_builder_finish(b, NULL);
	c = commute_create(d, (uint32_t[]){2, 1, 0});
	CHECK(!commute_acquire(c, t[0], 9)); /* for h0 */
	CHECK(commute_acquire(c, t[1], 0));
	CHECK_INT(commute_release(c, t[1]), COMMUTE_NONE); /* t0 waits for h1 */
	CHECK(commute_acquire(c, t[2], 0));
	CHECK_INT(commute_release(c, t[2]), t[0]);
	CHECK_INT(commute_next(c, t[0]), COMMUTE_NONE);
	CHECK_INT(commute_release(c, t[0]), COMMUTE_NONE);
	commute_free(c);
	dag_free(d);
}

/* Four of them on four workers take four times as long; four that only read do not. */
static void test_four(void)
{
	for (int add = 0; add < 2; add++) {
		struct dag_builder *b = dag_builder_create();
		uint32_t type = kind(b, 1000, -1), h = dag_builder_handle(b, 1);
		struct simulation *s;
		struct dag *d;

		for (int i = 0; i < 4; i++)
			task(b, type, 1, &h, add ? ADD : ACCESS_R);
		d = dag_builder_finish(b, NULL);
		s = play(d, "cpu:4", "eager", TRANSFERS_OFF);
		CHECK_INT(s->makespan_ns, add ? 4000 : 1000);
		simulation_free(s);
		dag_free(d);
	}
}

/* StarPU queues them before it pushes them: by the priority that the application has given, and not by the policy's. */
static void test_priority_of_the_application(void)
{
	static const char *const all[] = {"eager", "dmdas", "heft", "placement"};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (int given = 0; given < 2; given++) {
			struct dag_builder *b = dag_builder_create();
			uint32_t type = kind(b, 1000, -1), h = dag_builder_handle(b, 1), t[3], last;
			struct simulation *s;
			struct dag *d;

			for (int k = 0; k < 3; k++)
				t[k] = task(b, type, 1, &h, ADD);
			last = dag_builder_task(b, type);
			dag_builder_edge(b, t[2], last); /* its rank is the highest */
			d = dag_builder_finish(b, NULL);
			d->tasks[t[2]].priority = given;
			s = play(d, "cpu:2", all[i], TRANSFERS_OFF);
			REQUIRE(s);
			CHECK((s->tasks[t[2]].start_ns < s->tasks[t[1]].start_ns) == given);
			simulation_free(s);
			dag_free(d);
		}
}

/* Tasks that read what others wrote, and add to one or two of 12 data, all at once or after another task. */
static struct dag *graph_of_sums(uint64_t seed)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b, 900000, 400000);

	for (int i = 0; i < 12; i++)
		dag_builder_handle(b, 1 + graph_random(&seed) % 1000000);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t x = graph_random(&seed) % 12, t = dag_builder_task(b, type);

		dag_builder_access(b, t, x, ADD);
		if (graph_random(&seed) % 2)
			dag_builder_access(b, t, (x + 1 + graph_random(&seed) % 11) % 12, ADD);
		if (i && graph_random(&seed) % 2)
			dag_builder_edge(b, graph_random(&seed) % i, t);
	}
	return dag_builder_finish(b, NULL);
}

static int overlap(const struct execution_task *a, const struct execution_task *b)
{
	return a->start_ns < b->end_ns && b->start_ns < a->end_ns;
}

static int share_data(const struct dag *d, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < d->tasks[a].naccesses; i++) {
		for (uint32_t k = 0; k < d->tasks[b].naccesses; k++) {
			if (d->accesses[d->tasks[a].first_access + i].handle ==
			    d->accesses[d->tasks[b].first_access + k].handle)
				return 1;
		}
	}
	return 0;
}

/* Under every policy all are executed, and never two at once that add to the same. */
static void test_every_policy(void)
{
	static const char *const machines[] = {"cpu:6", "cpu:3 cuda:2"};

	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct dag *d = graph_of_sums(seed);

		for (int i = 0; policies[i]; i++) {
			struct simulation *s;
			int ok = 1;

			if (!strcmp(policies[i]->name, "heteroprio") || !strcmp(policies[i]->name, "laheteroprio") ||
			    !strcmp(policies[i]->name, "autoheteroprio"))
				continue; /* they take configs, and find buckets elsewhere */
			s = play(d, machines[seed % 2], policies[i]->name, seed % 4 < 2 ? TRANSFERS_ON : TRANSFERS_OFF);
			CHECK(s != NULL);
			for (uint32_t a = 0; s && a < d->ntasks; a++) {
				for (uint32_t b = 0; b < a; b++)
					ok &= !overlap(&s->tasks[a], &s->tasks[b]) || !share_data(d, a, b);
			}
			if (!ok)
				printf("# seed %d, %s\n", (int)seed, policies[i]->name);
			CHECK(ok);
			simulation_free(s);
		}
		dag_free(d);
	}
}

/* 100 tasks, each of which shares most of its 6000 pieces of data with the others. */
static void test_many_data(void)
{
	enum { TASKS = 100, DATA = 6000 };
	struct dag_builder *b = dag_builder_create();
	uint32_t k = kind(b, 1000, -1), handles[TASKS + DATA];
	struct simulation *s;
	clock_t from;
	struct dag *d;

	for (uint32_t i = 0; i < TASKS + DATA; i++)
		handles[i] = dag_builder_handle(b, 8);
	for (uint32_t i = 0; i < TASKS; i++)
		task(b, k, DATA, handles + i, ADD);
	d = dag_builder_finish(b, NULL);
	from = clock();
	s = play(d, "cpu:4", "eager", TRANSFERS_OFF);
	CHECK_INT(s->makespan_ns, TASKS * 1000);
	CHECK(clock() - from < 2 * CLOCKS_PER_SEC); /* 0.1 s; 6 s where each datum is found among all of its task */
	simulation_free(s);
	dag_free(d);
}

/* What is scratch, or reduced into, is the worker's own: not copied, nor is the data valid elsewhere touched by it. */
static void test_local_data(void)
{
	static const struct {
		uint32_t mode;
		int64_t copies; /* of the reader after them */
	} cases[] = {
		{ACCESS_R | ACCESS_W | ACCESS_SCRATCH, 0},
		{ACCESS_REDUX, 0},
		{ACCESS_W, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dag_builder *b = dag_builder_create();
		uint32_t gpu = kind(b, -1, 1000), cpu = kind(b, 1000, -1), h = dag_builder_handle(b, 1000000), t[2];
		struct simulation *s;
		struct dag *d;

		t[0] = task(b, gpu, 1, &h, cases[i].mode);
		t[1] = task(b, cpu, 1, &h, ACCESS_R);
		dag_builder_edge(b, t[0], t[1]);
		d = dag_builder_finish(b, NULL);
		s = play(d, "cpu:1 cuda:1", "eager", TRANSFERS_ON);
		CHECK_INT(s->bytes_moved, cases[i].copies * 1000000);
		simulation_free(s);
		dag_free(d);
	}
}

int main(void)
{
	RUN(test_acquire);
	RUN(test_release_of_two);
	RUN(test_turns);
	RUN(test_four);
	RUN(test_priority_of_the_application);
	RUN(test_every_policy);
	RUN(test_many_data);
	RUN(test_local_data);
	return check_done();
}
