/* tests/unit/test_static.c - idle intervals, and schedules made before the run: the papers' example, and properties. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/dag.h"
#include "core/err.h"
#include "core/machine.h"
#include "replay/simulate.h"
#include "sched/copier.h"
#include "sched/gaps.h"
#include "sched/policy.h"
#include "sched/schedule.h"
#include "sched/scoreheap.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tests/lib/ten.h"

static const char *const planned[] = { "heft", "cpop", "cluster-heft:size=4", "heft:links=shared", "cpop:links=shared",
	"cluster-heft:size=4,links=shared" };
enum { NPLANNED = sizeof(planned) / sizeof(planned[0]) };

static void test_gaps(void)
{
	struct gaps *g = gaps_create(1);

	CHECK_NEAR(gaps_find(g, 0, 5, 3), 5, 0);
	gaps_take(g, 0, 5, 3);                     /* idle: 0-5, 8- */
	CHECK_NEAR(gaps_find(g, 0, 0, 5), 0, 0);
	CHECK_NEAR(gaps_find(g, 0, 1, 5), 8, 0);
	CHECK_NEAR(gaps_find(g, 0, 1, 4), 1, 0);
	gaps_take(g, 0, 1, 2);                     /* 0-1, 3-5, 8- */
	CHECK_NEAR(gaps_find(g, 0, 0, 1.5), 3, 0);
	CHECK_NEAR(gaps_find(g, 0, 4, 1.5), 8, 0);
	CHECK_NEAR(gaps_find(g, 0, 6, 0), 8, 0);
	gaps_take(g, 0, 3, 2);                     /* 0-1, 8- */
	gaps_take(g, 0, 0, 1);                     /* 8- */
	CHECK_NEAR(gaps_find(g, 0, 0, 1e-3), 8, 0);
	CHECK_NEAR(gaps_last(g, 0), 8, 0);
	gaps_take(g, 0, 9, 0);                     /* nothing */
	CHECK_NEAR(gaps_find(g, 0, 0, 100), 8, 0);
	CHECK_STR(gaps_check(g) ? gaps_check(g) : "", "");
	gaps_free(g);
}

/* Against a table of the hours that are taken. */
static void test_gaps_random(void)
{
	enum { HOURS = 4000, WORKERS = 3 };
	static char taken[WORKERS][HOURS];
	struct gaps *g = gaps_create(WORKERS);
	uint64_t seed = 7;
	int wrong = 0, placed = 0;

	for (int i = 0; i < 900; i++) {
		int w = (int)(graph_random(&seed) % WORKERS), length = (int)(graph_random(&seed) % 6);
		int ready = (int)(graph_random(&seed) % 1500), at = ready, free_for = 0;

		while (free_for < length && at + free_for < HOURS) {
			if (taken[w][at + free_for]) {
				at += free_for + 1;
				free_for = 0;
			} else {
				free_for++;
			}
		}
		if (!length)
			continue;
		wrong += gaps_find(g, w, ready, length) != at;
		gaps_take(g, w, at, length);
		memset(taken[w] + at, 1, (size_t)length);
		placed++;
	}
	CHECK_INT(wrong, 0);
	CHECK(placed > 700);
	CHECK_STR(gaps_check(g) ? gaps_check(g) : "", "");
	gaps_free(g);
}

static void test_scoreheap(void)
{
	struct scoreheap h = { 0 };
	static const double scores[] = { 1, 5, 3, 5, -2, 3 };
	static const uint32_t order[] = { 1, 3, 2, 5, 0, 4 };

	for (uint32_t i = 0; i < 6; i++)
		scoreheap_put(&h, scores[i], i);
	for (int i = 0; i < 6; i++)
		CHECK_INT(scoreheap_take(&h), order[i]);
	CHECK_INT(h.count, 0);
	scoreheap_fini(&h);
}

static int64_t never_now(void *ctx)
{
	(void)ctx;
	return 0;
}

static void never_wake(void *ctx, int worker)
{
	(void)ctx;
	(void)worker;
}

/* The state of a policy that has made its plan; free with follow_free(). */
static void *plan(const char *name, const struct dag *d, const struct machine *m, int copies_take_time)
{
	struct policy_world w = { .dag = d, .machine = m, .now = never_now, .wake = never_wake,
	                          .copies_take_time = copies_take_time };
	const char *options;
	const struct policy *p = policy_find(name, &options, NULL);

	return p->create(&w, options, NULL);
}

/* 80 with HEFT and 86 with CPOP (TPDS 13(3), section 4.2, and figure 3). */
static void test_paper(void)
{
	struct dag *d = ten_graph();
	struct machine *m = ten_machine();
	void *heft = plan("heft", d, m, 1), *cpop = plan("cpop", d, m, 1);

	CHECK_NEAR(follow_schedule(heft)->makespan_ns, TEN_MAKESPAN_HEFT, 1e-9);
	CHECK_NEAR(follow_schedule(cpop)->makespan_ns, TEN_MAKESPAN_CPOP, 1e-9);
	CHECK_STR(schedule_check(follow_schedule(heft), d, m) ? "broken" : "", "");
	CHECK_STR(schedule_check(follow_schedule(cpop), d, m) ? "broken" : "", "");
	follow_free(heft);
	follow_free(cpop);
	machine_free(m);
	dag_free(d);
}

/*
 * Without copies: the plan is legal, it is followed in no more than the time it says, and it is no worse than all tasks
 * on any worker that can run them all. (By induction: whoever ends a task first ends it no later than that worker
 * would, which could begin when the schedule so far has ended.) Layers have a type that only the CPU runs.
 */
static void test_properties(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);

	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct dag *d = seed % 2 ? graph_layers(seed, 12, 9, 100) : graph_cholesky((int)seed / 2, 10);
		int64_t alone = 0;

		for (uint32_t t = 0; t < d->ntasks; t++)
			alone += dag_cost(d, t, ARCH_CPU);
		for (int i = 0; i < NPLANNED; i++) {
			struct simulate_options o = { .ignore_submission = 1 };
			void *state = plan(planned[i], d, m, 0);
			const struct schedule *s = follow_schedule(state);
			struct simulation *sim;

			CHECK_STR(schedule_check(s, d, m) ? schedule_check(s, d, m) : "", "");
			CHECK(s->makespan_ns <= (double)alone || strncmp(planned[i], "heft", 4));
			o.policy = policy_find(planned[i], &o.policy_options, NULL);
			sim = simulate(d, m, &o, NULL);
			CHECK(sim && (double)sim->makespan_ns <= s->makespan_ns);
			simulation_free(sim);
			follow_free(state);
		}
		dag_free(d);
	}
	machine_free(m);
}

/* With copies: legal plans that the simulator can follow to the end, whatever the copies really take. */
static void test_copies(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:2 link:1GB/s", NULL);
	struct dag *d = graph_cholesky(9, 1000);

	for (int i = 0; i < NPLANNED; i++) {
		struct simulate_options o = { .transfers = TRANSFERS_ON };
		void *state = plan(planned[i], d, m, 1);
		struct ht_err err = { "" };
		struct simulation *sim;

		CHECK_STR(schedule_check(follow_schedule(state), d, m) ? "broken" : "", "");
		o.policy = policy_find(planned[i], &o.policy_options, NULL);
		sim = simulate(d, m, &o, &err);
		CHECK_STR(err.text, "");
		CHECK(sim != NULL);
		simulation_free(sim);
		follow_free(state);
	}
	dag_free(d);
	machine_free(m);
}

/*
 * Two tasks, 60 on the CPU and 4 on the GPU, whither the data that both read takes 30: the first ends at 34, and the
 * second at 38, since the copy stays.
 */
static void test_copies_stay(void)
{
	static const int64_t both[ARCH_COUNT] = { 60, 4, -1, -1, -1, -1, -1, -1 };
	struct dag_builder *b = dag_builder_create();
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	uint32_t type = dag_builder_type(b, "t", both), x = dag_builder_handle(b, 30), t;
	struct dag *d;
	void *state;

	for (int i = 0; i < m->nlinks; i++) {
		m->links[i].bytes_per_s = 1e9;
		m->links[i].latency_ns = 0;
	}
	t = dag_builder_task(b, type);
	dag_builder_access(b, t, x, ACCESS_R);
	t = dag_builder_task(b, type);
	dag_builder_access(b, t, x, ACCESS_R);
	d = dag_builder_finish(b, NULL);
	d->handle_home[0] = 0;
	state = plan("heft", d, m, 1);
	CHECK_NEAR(follow_schedule(state)->end_ns[0], 34, 0);
	CHECK_NEAR(follow_schedule(state)->end_ns[1], 38, 0);
	CHECK_INT(follow_schedule(state)->worker[1], 1);
	follow_free(state);
	state = plan("heft", d, m, 0);
	CHECK_NEAR(follow_schedule(state)->end_ns[1], 8, 0);
	follow_free(state);
	machine_free(m);
	dag_free(d);
}

/*
 * Two GPUs without a link between them and main memory, 1 byte a ns. a: 100 bytes to device 1 end at 100; 50 to device
 * 2 have a link of their own and wait for the host link, 150. From 1 to 2 it goes through main memory: 30 out, then 30
 * in.
 */
static void test_copier(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:2", NULL);
	struct copier *c;
	int n = 0;

	for (int i = 0; i < m->nlinks; i++) {
		struct machine_link l = { .from = m->links[i].from, .to = m->links[i].to, .bytes_per_s = 1e9 };

		if (l.from == 0 || l.to == 0)
			m->links[n++] = l;
	}
	m->nlinks = n;
	c = copier_create(m);
	CHECK_NEAR(copier_copy(c, 0, 1, 100, 0, 0), 100, 1e-9);
	CHECK_NEAR(copier_copy(c, 0, 1, 100, 0, 1), 100, 1e-9);
	CHECK_NEAR(copier_copy(c, 0, 2, 50, 0, 0), 150, 1e-9);
	CHECK_NEAR(copier_copy(c, 0, 2, 50, 20, 1), 150, 1e-9);
	CHECK_NEAR(copier_copy(c, 1, 2, 30, 0, 1), 210, 1e-9);
	CHECK_NEAR(copier_copy(c, 2, 0, 5, 150, 1), 215, 1e-9);
	copier_free(c);
	machine_free(m);
}

/* Where links are slow, a plan that knows that they are shared is nearer to what comes: closer to the simulated end. */
static void test_shared_links(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:4 link:1GB/s", NULL);
	struct dag *d = graph_cholesky(9, 1000);
	struct simulate_options o = { .transfers = TRANSFERS_ON };
	double error[2];

	for (int i = 0; i < 2; i++) {
		const char *name = i ? "heft:links=shared" : "heft";
		void *state = plan(name, d, m, 1);
		struct simulation *sim;

		o.policy = policy_find(name, &o.policy_options, NULL);
		sim = simulate(d, m, &o, NULL);
		error[i] = fabs((double)sim->makespan_ns / follow_schedule(state)->makespan_ns - 1);
		simulation_free(sim);
		follow_free(state);
	}
	CHECK(error[1] < error[0]);
	CHECK(error[1] < 0.5);
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_gaps);
	RUN(test_gaps_random);
	RUN(test_scoreheap);
	RUN(test_paper);
	RUN(test_properties);
	RUN(test_copies);
	RUN(test_copies_stay);
	RUN(test_copier);
	RUN(test_shared_links);
	return check_done();
}
