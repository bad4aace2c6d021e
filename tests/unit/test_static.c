/* tests/unit/test_static.c - idle intervals, and schedules made before the run: the papers' example, and properties. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "replay/sim/window.h"
#include "sched/policy.h"
#include "sched/static/copier.h"
#include "sched/static/gaps.h"
#include "sched/static/schedule.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/ten.h"

static const char *const planned[] = {"heft",
                                      "cpop",
                                      "cluster-heft:size=4",
                                      "heft:links=shared",
                                      "cpop:links=shared",
                                      "cluster-heft:size=4,links=shared"};
enum { NPLANNED = sizeof(planned) / sizeof(planned[0]) };

/* What a policy that follows a schedule has planned (sched/static/schedule.h). */
static const struct schedule *followed(const void *state)
{
	return *(struct schedule *const *)state;
}

static void test_gaps(void)
{
	struct gaps *g = gaps_create(1);

	CHECK_NEAR(gaps_find(g, 0, 5, 3), 5, 0);
	gaps_take(g, 0, 5, 3); /* idle: 0-5, 8- */
	CHECK_NEAR(gaps_find(g, 0, 0, 5), 0, 0);
	CHECK_NEAR(gaps_find(g, 0, 1, 5), 8, 0);
	CHECK_NEAR(gaps_find(g, 0, 1, 4), 1, 0);
	gaps_take(g, 0, 1, 2); /* 0-1, 3-5, 8- */
	CHECK_NEAR(gaps_find(g, 0, 0, 1.5), 3, 0);
	CHECK_NEAR(gaps_find(g, 0, 4, 1.5), 8, 0);
	CHECK_NEAR(gaps_find(g, 0, 6, 0), 8, 0);
	gaps_take(g, 0, 3, 2); /* 0-1, 8- */
	gaps_take(g, 0, 0, 1); /* 8- */
	CHECK_NEAR(gaps_find(g, 0, 0, 1e-3), 8, 0);
	gaps_take(g, 0, 9, 0); /* nothing */
	CHECK_NEAR(gaps_find(g, 0, 0, 100), 8, 0);
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
	gaps_free(g);
}

/*
 * NULL when every task is on a worker that can run it, no worker has two at a time and no task starts before its
 * predecessors have ended, else what is broken.
 */
static const char *schedule_check(const struct schedule *s, const struct dag *d, const struct machine *m)
{
	for (uint32_t t = 0; t < s->ntasks; t++) {
		if (s->worker[t] < 0 || s->worker[t] >= m->nworkers ||
		    dag_cost(d, t, m->workers[s->worker[t]].arch) < 0)
			return "a task is on a worker that cannot run it";
		if (!(s->start_ns[t] >= 0) || s->end_ns[t] < s->start_ns[t])
			return "a task starts before 0, or ends before it starts";
		for (uint32_t e = d->pred_first[t]; e < d->pred_first[t + 1]; e++) {
			if (s->end_ns[d->pred[e]] > s->start_ns[t])
				return "a task starts before its predecessor has ended";
		}
	}
	for (int w = 0; w < s->nworkers; w++) {
		for (uint32_t i = s->first[w] + 1; i < s->first[w + 1]; i++) {
			if (s->end_ns[s->tasks[i - 1]] > s->start_ns[s->tasks[i]])
				return "a worker executes two tasks at a time";
		}
	}
	return NULL;
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
	struct policy_world w = {
		.dag = d, .machine = m, .now = never_now, .wake = never_wake, .copies_take_time = copies_take_time};
	const char *options;
	const struct policy *p = policy_find(name, &options, NULL);

	return p->create(p, &w, options, NULL);
}

/* 80 with HEFT and 86 with CPOP (TPDS 13(3), section 4.2, and figure 3). */
static void test_paper(void)
{
	struct dag *d = ten_graph();
	struct machine *m = ten_machine();
	void *heft = plan("heft", d, m, 1), *cpop = plan("cpop", d, m, 1);

	CHECK_NEAR(followed(heft)->makespan_ns, TEN_MAKESPAN_HEFT, 1e-9);
	CHECK_NEAR(followed(cpop)->makespan_ns, TEN_MAKESPAN_CPOP, 1e-9);
	CHECK_STR(schedule_check(followed(heft), d, m) ? "broken" : "", "");
	CHECK_STR(schedule_check(followed(cpop), d, m) ? "broken" : "", "");
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
			struct simulate_options o = {.ignore_submission = 1};
			void *state = plan(planned[i], d, m, 0);
			const struct schedule *s = followed(state);
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
		struct simulate_options o = {.transfers = TRANSFERS_ON};
		void *state = plan(planned[i], d, m, 1);
		struct ht_err err = {""};
		struct simulation *sim;

		CHECK_STR(schedule_check(followed(state), d, m) ? "broken" : "", "");
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
	static const int64_t both[ARCH_COUNT] = COSTS(60, 4);
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
	CHECK_NEAR(followed(state)->end_ns[0], 34, 0);
	CHECK_NEAR(followed(state)->end_ns[1], 38, 0);
	CHECK_INT(followed(state)->worker[1], 1);
	follow_free(state);
	state = plan("heft", d, m, 0);
	CHECK_NEAR(followed(state)->end_ns[1], 8, 0);
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
		struct machine_link l = {.from = m->links[i].from, .to = m->links[i].to, .bytes_per_s = 1e9};

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

/* A link over the parts of the bus that are named. */
static void cross(struct machine *m, int from, int to, double bytes_per_ns, int segment, int shared)
{
	struct machine_link *l = &m->links[m->nlinks++];

	*l = (struct machine_link){.from = from,
	                           .to = to,
	                           .bytes_per_s = bytes_per_ns * 1e9,
	                           .first_crossing = m->ncrossings};
	m->segments[segment] = (struct machine_segment){.name = "own", .bytes_per_s = bytes_per_ns * 1e9};
	m->crossings[m->ncrossings++] = segment;
	if (shared >= 0)
		m->crossings[m->ncrossings++] = shared;
	l->ncrossings = m->ncrossings - l->first_crossing;
}

/*
 * GPUs 1 to 3 behind a hub of 2 bytes a ns, 4 and 5 behind one of 1, each over a link of 1; 1 and 2 also have a link of
 * 10 between them. Three copies of 100 bytes over the first hub end when 100, 200 and 300 bytes have gone through it,
 * and not before 100; the second hub knows nothing of that and carries one after the other.
 */
static void test_copier_hubs(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:5", NULL);
	struct machine_segment segments[9] = {{.name = "hub", .bytes_per_s = 2e9}, {.name = "hub", .bytes_per_s = 1e9}};
	int crossings[20];
	struct copier *c;

	m->segments = segments;
	m->nsegments = 9;
	m->crossings = crossings;
	m->nlinks = 0;
	for (int gpu = 1; gpu <= 5; gpu++)
		cross(m, 0, gpu, 1, gpu + 1, gpu > 3);
	cross(m, 1, 0, 1, 7, -1);
	cross(m, 1, 2, 10, 8, -1);
	CHECK(machine_check(m) == NULL);
	c = copier_create(m);
	CHECK_NEAR(copier_copy(c, 0, 1, 100, 0, 1), 100, 1e-9);
	CHECK_NEAR(copier_copy(c, 0, 2, 100, 0, 1), 100, 1e-9);
	CHECK_NEAR(copier_copy(c, 0, 3, 100, 0, 1), 150, 1e-9);
	CHECK_NEAR(copier_copy(c, 0, 4, 100, 0, 1), 100, 1e-9);
	CHECK_NEAR(copier_copy(c, 0, 5, 100, 0, 1), 200, 1e-9);
	/* Between GPUs: not while anything comes to either, and then not over the hub. */
	CHECK_NEAR(copier_copy(c, 1, 2, 100, 0, 1), 110, 1e-9);
	/* Behind that one, and over the hub behind the three. */
	CHECK_NEAR(copier_copy(c, 0, 2, 60, 20, 1), 180, 1e-9);
	/* The other way is nobody else's. */
	CHECK_NEAR(copier_copy(c, 1, 0, 100, 0, 1), 100, 1e-9);
	/* Without a link of their own: out of 1 from 100 on, and into 4 after 100 bytes to 5. */
	CHECK_NEAR(copier_copy(c, 1, 4, 50, 100, 1), 250, 1e-9);
	copier_free(c);
	machine_free(m);
}

/*
 * A task writes two pieces of 10 bytes on a GPU, for two long ones. One of these goes to the other GPU: over a link of
 * their own with 10 bytes a ns in 1 ns, else over one that shares the host's 0.04 and has half of it, in 500.
 */
static void test_direct_link(void)
{
	static const int64_t costs[2][ARCH_COUNT] = {COSTS(-1, 100), COSTS(-1, 1000)};

	for (int direct = 0; direct < 2; direct++) {
		struct machine *m = machine_parse("cpu:1 cuda:2 link:0.04GB/s latency:0ns", NULL);
		struct dag_builder *b = dag_builder_create();
		uint32_t type = dag_builder_type(b, "short", costs[0]), other = dag_builder_type(b, "long", costs[1]);
		uint32_t x = dag_builder_handle(b, 10), y = dag_builder_handle(b, 10);
		struct machine_segment segments[6];
		const struct schedule *s;
		int crossings[6];
		struct dag *d;
		void *state;

		if (direct) {
			m->segments = segments;
			m->crossings = crossings;
			m->nsegments = 6;
			m->nlinks = 0;
			for (int i = 0; i < 9; i++) {
				if (i / 3 != i % 3)
					cross(m, i / 3, i % 3, i / 3 && i % 3 ? 10 : 0.04, m->nlinks, -1);
			}
		}
		dag_builder_task(b, type);
		dag_builder_access(b, 0, x, ACCESS_W);
		dag_builder_access(b, 0, y, ACCESS_W);
		for (uint32_t i = 1; i < 3; i++) {
			dag_builder_task(b, other);
			dag_builder_access(b, i, i > 1 ? y : x, ACCESS_R);
			dag_builder_edge(b, 0, i);
		}
		d = dag_builder_finish(b, NULL);
		state = plan("heft:links=shared", d, m, 1);
		s = followed(state);
		CHECK(s->worker[1] != s->worker[2]);
		CHECK_NEAR(s->makespan_ns, 1100 + (direct ? 1 : 500), 1e-6);
		follow_free(state);
		dag_free(d);
		machine_free(m);
	}
}

/*
 * Two GPUs, of which the second one takes 30 for what the first takes 90, 60 in the mean, and a core 50: that one has a
 * chain of two.
 */
static void test_devices(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(50, 60), own[][2] = {{90, 30}};
	static const char *const policies_tried[] = {"cpop", "heft", "cluster-heft:size=2"};

	for (int i = 0; i < 3; i++) {
		struct machine *m = machine_parse("cpu:1 cuda:2", NULL);
		struct dag_builder *b = dag_builder_create();
		struct dag *d;
		void *state;

		dag_builder_type(b, "t", cost);
		dag_builder_task(b, 0);
		dag_builder_task(b, 0);
		dag_builder_edge(b, 0, 1);
		d = dag_builder_finish(b, NULL);
		graph_devices(d, own);
		state = plan(policies_tried[i], d, m, 0);
		CHECK_INT(followed(state)->worker[0], 2);
		CHECK_INT(followed(state)->worker[1], 2);
		CHECK_NEAR(followed(state)->makespan_ns, 60, 0);
		follow_free(state);
		dag_free(d);
		machine_free(m);
	}
}

/* Where links are slow, a plan that knows that they are shared is nearer to what comes: closer to the simulated end. */
static void test_shared_links(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:4 link:1GB/s", NULL);
	struct dag *d = graph_cholesky(9, 1000);
	struct simulate_options o = {.transfers = TRANSFERS_ON};
	double error[2];

	for (int i = 0; i < 2; i++) {
		const char *name = i ? "heft:links=shared" : "heft";
		void *state = plan(name, d, m, 1);
		struct simulation *sim;

		o.policy = policy_find(name, &o.policy_options, NULL);
		sim = simulate(d, m, &o, NULL);
		error[i] = fabs((double)sim->makespan_ns / followed(state)->makespan_ns - 1);
		simulation_free(sim);
		follow_free(state);
	}
	CHECK(error[1] < error[0]);
	CHECK(error[1] < 0.5);
	dag_free(d);
	machine_free(m);
}

/* The long task comes first in the plan, and the program waits for the short one before it submits that. */
static void test_waits(void)
{
	static const int64_t quick[ARCH_COUNT] = COSTS(1, -1), slow[ARCH_COUNT] = COSTS(10, -1);
	static const char *const policies_tried[] = {"cpop", "heft", "cluster-heft:size=1"};
	struct machine *m = machine_parse("cpu:1", NULL);
	struct dag_builder *b = dag_builder_create();
	struct window one = {.most = 1};
	struct simulate_options o = {.window = &one};
	struct dag *d;

	dag_builder_task(b, dag_builder_type(b, "quick", quick));
	dag_builder_task(b, dag_builder_type(b, "slow", slow));
	d = dag_builder_finish(b, NULL);
	for (int i = 0; i < 3; i++) {
		struct simulation *s;
		struct ht_err err = {0};

		o.policy = policy_find(policies_tried[i], &o.policy_options, NULL);
		s = simulate(d, m, &o, &err);
		CHECK_STR(err.text, "");
		CHECK_INT(s ? s->makespan_ns : 0, 11);
		simulation_free(s);
	}
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_gaps);
	RUN(test_gaps_random);
	RUN(test_paper);
	RUN(test_properties);
	RUN(test_copies);
	RUN(test_copies_stay);
	RUN(test_copier);
	RUN(test_copier_hubs);
	RUN(test_direct_link);
	RUN(test_devices);
	RUN(test_shared_links);
	RUN(test_waits);
	return check_done();
}
