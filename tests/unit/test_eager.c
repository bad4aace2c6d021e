/* tests/unit/test_eager.c - prio: which worker gets which task or is woken, and what must hold for every graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"

enum { NTASKS = 7 };

/* Tasks 0 to 3 run everywhere, 4 and 5 on CPUs only, 6 on GPUs only. Workers 0 and 1 are GPUs, 2 and 3 CPUs. */
struct bench {
	struct dag *d;
	struct machine *m;
	void *state;
	uint64_t woken; /* a bit a worker */
};

static void bench_open(struct bench *b, const char *options)
{
	static const int64_t costs[3][ARCH_COUNT] = {COSTS(10, 4), COSTS(10, -1), COSTS(-1, 4)};
	struct dag_builder *builder = dag_builder_create();
	struct policy_world w = {.now = play_no_time, .wake = play_note_woken, .ctx = &b->woken};

	memset(b, 0, sizeof(*b));
	dag_builder_type(builder, "any", costs[0]);
	dag_builder_type(builder, "cpu", costs[1]);
	dag_builder_type(builder, "cuda", costs[2]);
	for (uint32_t i = 0; i < NTASKS; i++)
		dag_builder_task(builder, i < 4 ? 0 : i < 6 ? 1 : 2);
	w.dag = b->d = dag_builder_finish(builder, NULL);
	w.machine = b->m = machine_parse("cuda:2 cpu:2", NULL);
	b->state = policy_prio.create(&policy_prio, &w, options, NULL);
	CHECK(b->state != NULL);
}

static void bench_close(struct bench *b)
{
	policy_prio.free(b->state);
	machine_free(b->m);
	dag_free(b->d);
}

static int64_t pop(struct bench *b, int worker)
{
	uint32_t task = policy_prio.pop(b->state, worker);

	return task == POLICY_NO_TASK ? -1 : (int64_t)task;
}

/* The highest priority first, of those the oldest; a GPU passes over what it cannot run. */
static void test_order(void)
{
	static const int32_t priority[NTASKS] = {0, 2, -1, 2, 2, 9, 1};
	static const uint32_t pushed[NTASKS] = {6, 0, 4, 1, 2, 3, 5};
	static const int64_t cpus[] = {4, 3, 0, 2, -1};
	struct bench b;

	bench_open(&b, "");
	for (uint32_t i = 0; i < NTASKS; i++)
		b.d->tasks[i].priority = priority[i];
	for (uint32_t i = 0; i < NTASKS; i++)
		policy_prio.push(b.state, pushed[i], -1);
	CHECK_INT(pop(&b, 2), 5);
	CHECK_INT(pop(&b, 0), 1);
	for (int i = 0; i < 5; i++)
		CHECK_INT(pop(&b, 3), cpus[i]);
	bench_close(&b);
}

/*
 * The CPUs wait, since all there is is 6, for GPUs. 4, for CPUs, is pushed and one of them is woken; the other one
 * hears of it from a GPU, which can do nothing with 4 either.
 */
static void test_passed_on(void)
{
	static const char *const drivers[] = {"drivers=polling", "drivers=blocking"};

	for (int k = 0; k < 2; k++) {
		struct bench b;

		bench_open(&b, drivers[k]);
		policy_prio.push(b.state, 6, -1);
		CHECK_INT(pop(&b, 2), -1);
		CHECK_INT(pop(&b, 3), -1);
		b.woken = 0;
		policy_prio.push(b.state, 4, -1);
		CHECK_INT(b.woken, 1 << 2);
		CHECK_INT(pop(&b, 0), 6);
		b.woken = 0;
		CHECK_INT(pop(&b, 1), -1);
		CHECK_INT(b.woken, k ? 1 << 2 | 1 << 3 : 1 << 3); /* drivers that poll have been woken once */
		CHECK_INT(pop(&b, 3), 4);
		b.woken = 0;
		CHECK_INT(pop(&b, 0), -1); /* nothing is there */
		CHECK_INT(b.woken, 0);
		bench_close(&b);
	}
}

static void test_refused(void)
{
	check_refused("prio:alpha=1", "");
	check_refused("prio:drivers=none", "");
}

static void test_every_graph(void)
{
	static const char *const names[] = {"prio", "prio:drivers=polling", "prio:drivers=blocking", "eager"};

	check_every_graph(names, sizeof(names) / sizeof(*names));
}

int main(void)
{
	RUN(test_order);
	RUN(test_passed_on);
	RUN(test_refused);
	RUN(test_every_graph);
	return check_done();
}
