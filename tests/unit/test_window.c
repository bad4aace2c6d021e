/* tests/unit/test_window.c - applications that wait for their tasks before they submit more: found, and replayed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "replay/sim/window.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

enum { TASK_NS = 100000, GAP_NS = 1000 };

/* So many independent tasks, one submitted every GAP_NS. */
static struct dag *tasks(uint32_t n)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "k", (const int64_t[ARCH_COUNT])COSTS(TASK_NS, -1));
	struct dag *d;

	for (uint32_t i = 0; i < n; i++)
		dag_builder_task(b, type);
	d = dag_builder_finish(b, NULL);
	for (uint32_t i = 0; i < n; i++)
		d->submit_ns[i] = (int64_t)i * GAP_NS;
	return d;
}

static struct simulation *play(const struct dag *d, const char *machine, const struct window *limits,
                               enum simulate_transfers on)
{
	struct window w = *limits;
	struct simulate_options o = {
		.policy = &policy_eager, .policy_options = "", .keep_schedule = 1, .window = &w, .transfers = on};
	struct machine *m = machine_parse(machine, NULL);
	struct simulation *s;

	w.gap_ns = ht_alloc(d->ntasks, sizeof(*w.gap_ns));
	for (uint32_t i = 1; i < d->ntasks; i++)
		w.gap_ns[i] = GAP_NS;
	s = simulate(d, m, &o, NULL);
	window_fini(&w);
	machine_free(m);
	return s;
}

/*
 * Two at a time on two workers: the third when the first has ended, and so on. Three until one: in pairs. Or some time
 * after that, which the application needs.
 */
static void test_replay(void)
{
	static const struct {
		struct window window;
		int64_t submit_ns[6];
	} cases[] = {
		{{.most = 0}, {0, 1000, 2000, 3000, 4000, 5000}},
		{{.most = 2, .least = 1}, {0, 1000, 100000, 101000, 200000, 201000}},
		{{.most = 3, .least = 1}, {0, 1000, 2000, 101000, 102000, 201000}},
		{{.most = 1}, {0, 100000, 200000, 300000, 400000, 500000}},
		{{.most = 4}, {0, 1000, 2000, 3000, 201000, 202000}},
		{{.most = 4, .after_ns = 7000}, {0, 1000, 2000, 3000, 208000, 209000}},
		{{.most = 1, .after_ns = 500}, {0, 100500, 201000, 301500, 402000, 502500}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dag *d = tasks(6);
		struct simulation *s = play(d, "cpu:2", &cases[i].window, TRANSFERS_OFF);

		for (int t = 0; t < 6; t++) {
			if (s->tasks[t].ready_ns != cases[i].submit_ns[t])
				printf("# window of %u\n", (unsigned)cases[i].window.most);
			CHECK_INT(s->tasks[t].ready_ns, cases[i].submit_ns[t]);
		}
		simulation_free(s);
		dag_free(d);
	}
}

/* What was executed within a window is found to have been; what was not, is not. */
static void test_find(void)
{
	static const struct {
		const char *machine;
		uint32_t most, least;
		int64_t after_ns;
	} cases[] = {
		{"cpu:4", 20, 19, 0},  {"cpu:4", 20, 5, 0},  {"cpu:4", 50, 0, 0},
		{"cpu:8", 100, 99, 0}, {"cpu:8", 9, 8, 0},   {"cpu:4", 0, 0, 0},
		{"cpu:100", 0, 0, 0},  {"cpu:120", 0, 0, 0}, {"cpu:1", 20, 5, 30000},
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		enum simulate_transfers on = i % 2 ? TRANSFERS_ON : TRANSFERS_OFF;
		struct dag *d = tasks(1000);
		const struct window limits = {.most = cases[i / 2].most,
		                              .least = cases[i / 2].least,
		                              .after_ns = cases[i / 2].after_ns};
		struct simulation *s = play(d, cases[i / 2].machine, &limits, on);
		struct trace_task *executed = ht_alloc(1000, sizeof(*executed));
		struct trace t = {.tasks = executed, .ntasks = 1000};
		struct window w;

		for (uint32_t k = 0; k < 1000; k++) {
			d->submit_ns[k] = s->tasks[k].ready_ns;
			executed[k].submit_ns = 5000 + s->tasks[k].ready_ns;
			executed[k].end_ns = 5000 + s->tasks[k].end_ns;
		}
		window_find(&w, &t, d);
		if (w.most != cases[i / 2].most)
			printf("# %s, %u\n", cases[i / 2].machine, (unsigned)cases[i / 2].most);
		CHECK_INT(w.most, cases[i / 2].most);
		/* Threads observe ends late, two at once. */
		CHECK(w.least == cases[i / 2].least || (on == TRANSFERS_ON && w.least + 1 == cases[i / 2].least));
		CHECK(w.after_ns - cases[i / 2].after_ns >= 0 && w.after_ns - cases[i / 2].after_ns <= 2 * GAP_NS);
		if (on == TRANSFERS_OFF)
			CHECK_INT(w.after_ns, cases[i / 2].after_ns);
		CHECK_INT(w.gap_ns[0], 0);
		for (uint32_t k = 1; k < 1000; k++)
			CHECK(w.gap_ns[k] == GAP_NS || (on == TRANSFERS_ON && w.gap_ns[k] <= 2 * GAP_NS));
		window_fini(&w);
		free(executed);
		simulation_free(s);
		dag_free(d);
	}
}

/* Without times of submission, or with such that go back, there is nothing to find. */
static void test_not_recorded(void)
{
	struct dag *d = tasks(10);
	struct trace_task *executed = ht_alloc(10, sizeof(*executed));
	struct trace t = {.tasks = executed, .ntasks = 10};
	struct window w;

	for (int i = 0; i < 10; i++)
		executed[i].submit_ns = executed[i].end_ns = TIME_NONE;
	window_find(&w, &t, d);
	CHECK_INT(w.most, 0);
	CHECK_INT(w.gap_ns[9], 0);
	window_fini(&w);
	free(executed);
	dag_free(d);
}

int main(void)
{
	RUN(test_replay);
	RUN(test_find);
	RUN(test_not_recorded);
	return check_done();
}
