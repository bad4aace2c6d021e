/* tests/unit/test_threads.c - the order in which threads ask the scheduler. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/conditions.h"
#include "replay/sim/simulate.h"
#include "replay/sim/window.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

enum { CPU, GPU, OPEN_NS = 2000 };

/*
 * Two tasks, in their order, from OPEN_NS on. The first push wakes both workers, the second the CPU, which looks every
 * 1000 ns, and the GPU's thread every 2000: both come to ask at OPEN_NS, and the CPU's thread is due first.
 */
struct counter {
	struct policy_world world;
	uint32_t next;
};

static struct counter counter;

static void *counter_create(const struct policy *self, const struct policy_world *w, const char *options,
                            struct ht_err *err)
{
	(void)self, (void)options;
	(void)err;
	counter = (struct counter){.world = *w};
	return &counter;
}

static void counter_free(void *state)
{
	(void)state;
}

static void counter_push(void *state, uint32_t task, int releaser)
{
	struct counter *c = state;

	(void)releaser;
	c->world.wake(c->world.ctx, CPU);
	if (task == 0)
		c->world.wake(c->world.ctx, GPU);
}

static uint32_t counter_pop(void *state, int worker)
{
	struct counter *c = state;

	(void)worker;
	return c->world.now(c->world.ctx) >= OPEN_NS && c->next < c->world.dag->ntasks ? c->next++ : POLICY_NO_TASK;
}

static const struct policy policy_counter = {
	.name = "counter",
	.summary = "",
	.create = counter_create,
	.free = counter_free,
	.push = counter_push,
	.pop = counter_pop,
};

/* The worker of a task of the graph on a CPU and a GPU, and frees the graph. */
static int worker_of(struct dag *d, uint32_t task, const struct policy *policy, const struct conditions *conditions)
{
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct simulate_options o = {.policy = policy,
	                             .transfers = TRANSFERS_ON,
	                             .keep_schedule = 1,
	                             .conditions = conditions};
	struct simulation *s = simulate(d, m, &o, NULL);
	int worker;

	CHECK(s != NULL);
	worker = s->tasks[task].worker;
	simulation_free(s);
	dag_free(d);
	machine_free(m);
	return worker;
}

/* The worker that executes the first task. */
static int first(int simulated)
{
	static const int64_t costs[ARCH_COUNT] = COSTS(50000, 50000);
	struct dag_builder *b = dag_builder_create();
	struct conditions conditions;
	struct dag *d;

	dag_builder_type(b, "task", costs);
	for (int i = 0; i < 2; i++)
		dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	for (int i = 0; i < 2; i++)
		d->submit_ns[i] = 1000 * i;
	conditions_init(&conditions);
	conditions.simulated = simulated;
	overheads_init(&conditions.overheads, OVERHEADS_SIMGRID);
	return worker_of(d, 0, &policy_counter, &conditions);
}

/* A device's thread polls its own memory last, and CPUs all poll the same memory: over SimGrid they ask after it. */
static void test_devices_ask_first(void)
{
	CHECK_INT(first(1), GPU);
	CHECK_INT(first(0), CPU);
}

/* The worker of a task that the GPU makes ready; the GPU polls in 3 us, the CPU in 5; the scheduler takes pop_ns. */
static int after_gpu(int64_t pop_ns)
{
	static const int64_t gpu[ARCH_COUNT] = COSTS(-1, 50000), both[ARCH_COUNT] = COSTS(50000, 50000);
	struct dag_builder *b = dag_builder_create();
	struct conditions conditions;

	dag_builder_type(b, "gpu", gpu);
	dag_builder_type(b, "both", both);
	for (uint32_t type = 0; type < 2; type++)
		dag_builder_task(b, type);
	dag_builder_edge(b, 0, 1);
	conditions_init(&conditions);
	overheads_init(&conditions.overheads, OVERHEADS_MACHINE);
	conditions.overheads.of[ARCH_CUDA].look_ns = 3000;
	conditions.overheads.of[ARCH_CPU].look_ns = 5000;
	conditions.overheads.pop_ns[ARCH_CPU] = pop_ns;
	return worker_of(dag_builder_finish(b, NULL), 1, &policy_eager, &conditions);
}

/* A CPU that waits natively is faster than a device that has just made a task ready. */
static void test_waiting_cpu_asks_at_once(void)
{
	CHECK_INT(after_gpu(-1), GPU);
	CHECK_INT(after_gpu(1000), CPU);
}

/* What the policy has heard of the GPU and the CPU when its task was pushed. */
static int taken_ahead[2];

static void asking_push(void *state, uint32_t task, int releaser)
{
	struct counter *c = state;

	for (int w = 0; w < 2; w++)
		taken_ahead[w] = c->world.takes_ahead(c->world.ctx, task, w);
	counter_push(state, task, releaser);
}

static uint32_t asking_pop(void *state, int worker)
{
	struct counter *c = state;

	(void)worker;
	return taken_ahead[GPU] >= 0 && c->next < c->world.dag->ntasks ? c->next++ : POLICY_NO_TASK;
}

static const struct policy policy_asking = {
	.name = "asking",
	.summary = "",
	.create = counter_create,
	.free = counter_free,
	.push = asking_push,
	.pop = asking_pop,
};

/* A GPU takes a task ahead where its pipeline has two places, and the task that it executes leaves it the thread. */
static void test_takes_ahead(void)
{
	static const int64_t costs[ARCH_COUNT] = COSTS(50000, 50000);
	static const struct {
		int pipeline, is_synchronous;
		enum simulate_transfers transfers;
		int gpu;
	} cases[] = {
		{PIPELINE_OF_RUN, 0, TRANSFERS_ON, 1},
		{3, 0, TRANSFERS_ON, 1},
		{2, 1, TRANSFERS_ON, 0},
		{1, 0, TRANSFERS_ON, 0},
		{2, 0, TRANSFERS_OFF, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
		struct dag_builder *b = dag_builder_create();
		struct simulate_options o = {.policy = &policy_asking,
		                             .transfers = cases[i].transfers,
		                             .pipeline = cases[i].pipeline};
		struct dag *d;

		dag_builder_type(b, "task", costs);
		dag_builder_task(b, 0);
		d = dag_builder_finish(b, NULL);
		d->types[0].synchronous = cases[i].is_synchronous ? 1u << ARCH_CUDA : 0;
		taken_ahead[GPU] = taken_ahead[CPU] = -1;
		simulation_free(simulate(d, m, &o, NULL));
		CHECK_INT(taken_ahead[GPU], cases[i].gpu);
		CHECK_INT(taken_ahead[CPU], 0);
		dag_free(d);
		machine_free(m);
	}
}

/* A task of GPU 0 whose datum readers of GPU 1 wait for; when they are pushed, after its end. */
enum { READERS = 6 };

static int64_t first_push_ns, pushed_ns[READERS];
static uint32_t pushed, taken;

static void reader_push(void *state, uint32_t task, int releaser)
{
	struct counter *c = state;
	int64_t now = c->world.now(c->world.ctx);

	(void)releaser;
	if (task == 0) {
		c->next = 1;
		c->world.wake(c->world.ctx, 1);
		return;
	}
	if (task == 1)
		first_push_ns = now;
	pushed_ns[task - 1] = now - first_push_ns;
	c->world.prefetch(c->world.ctx, task, 2);
	pushed++;
}

static uint32_t reader_pop(void *state, int worker)
{
	struct counter *c = state;

	if (worker == 1 && c->next == 1) {
		c->next = 2;
		return 0;
	}
	return worker == 2 && taken < pushed ? ++taken : POLICY_NO_TASK;
}

static const struct policy policy_reader = {
	.name = "reader",
	.summary = "",
	.create = counter_create,
	.free = counter_free,
	.push = reader_push,
	.pop = reader_pop,
};

/*
 * A push takes 1 us. The first asks for the datum, and wakes the thread of GPU 1, which looks after 2 us, allocates
 * memory if there is none, and then begins the copy: for 10 us the datum is held, and a reader of it is not made ready.
 */
static void check_pushes(int64_t allocate_ns, const int64_t *expected)
{
	static const int64_t costs[ARCH_COUNT] = COSTS(-1, 50000);
	struct machine *m = machine_parse("cpu:1 cuda:2 link:1GB/s", NULL);
	struct simulate_options o = {.policy = &policy_reader, .transfers = TRANSFERS_ON};
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "task", costs), datum = dag_builder_handle(b, 1000000);
	struct conditions conditions;
	struct simulation *s;
	struct dag *d;

	for (uint32_t i = 0; i <= READERS; i++) {
		uint32_t task = dag_builder_task(b, type);

		dag_builder_access(b, task, datum, i ? ACCESS_R : ACCESS_W);
		if (i)
			dag_builder_edge(b, 0, task);
	}
	d = dag_builder_finish(b, NULL);
	conditions_init(&conditions);
	conditions.simulated = 1;
	overheads_init(&conditions.overheads, OVERHEADS_SIMGRID);
	conditions.overheads.of[ARCH_CUDA].allocate_ns = allocate_ns;
	o.conditions = &conditions;
	pushed = taken = 0;
	s = simulate(d, m, &o, NULL);
	CHECK(s != NULL);
	for (int i = 0; i < READERS; i++)
		CHECK_INT(pushed_ns[i], expected[i]);
	simulation_free(s);
	dag_free(d);
	machine_free(m);
}

static void test_pushes_wait(void)
{
	check_pushes(0, (const int64_t[READERS]){0, 1000, 2000, 13000, 14000, 15000});
	check_pushes(175000, (const int64_t[READERS]){0, 1000, 2000, 3000, 4000, 5000});
	check_pushes(2000, (const int64_t[READERS]){0, 1000, 2000, 3000, 4000, 15000});
}

/* Task 0 is GPU 1's, task 1 that of GPU 0; when the last one is pushed. */
static uint64_t given;
static int64_t last_push_ns;

static void waiting_push(void *state, uint32_t task, int releaser)
{
	struct counter *c = state;

	(void)releaser;
	c->next = task + 1;
	last_push_ns = c->world.now(c->world.ctx);
	c->world.wake(c->world.ctx, task == 0 ? 2 : 1);
}

static uint32_t waiting_pop(void *state, int worker)
{
	const struct counter *c = state;
	uint32_t task = worker == 2 ? 0 : given & 2 ? 2 : 1;

	if (worker == CPU || task >= c->next || given >> task & 1)
		return POLICY_NO_TASK;
	given |= 1u << task;
	return task;
}

static const struct policy policy_waiting = {
	.name = "waiting",
	.summary = "",
	.create = counter_create,
	.free = counter_free,
	.push = waiting_push,
	.pop = waiting_pop,
};

/* When task 2 is pushed, which is submitted when the application has acquired what task 0 wrote, after task 1. */
static int64_t pushed_after_acquiring(int64_t end_ns)
{
	static const int64_t costs[ARCH_COUNT] = COSTS(-1, 50000), more[ARCH_COUNT] = COSTS(-1, 200000);
	struct machine *m = machine_parse("cpu:1 cuda:2 link:1GB/s", NULL);
	const struct window window = {0};
	struct simulate_options o = {.policy = &policy_waiting, .transfers = TRANSFERS_ON, .window = &window};
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "task", costs), longer = dag_builder_type(b, "longer", more);
	uint32_t datum = dag_builder_handle(b, 1000000), awaited = 1;
	struct conditions conditions;
	struct dag *d;

	dag_builder_task(b, type);
	dag_builder_access(b, 0, datum, ACCESS_W);
	dag_builder_task(b, longer);
	dag_builder_task(b, type);
	d = dag_builder_finish(b, NULL);
	d->waits = &(struct dag_wait){.before = 2, .count = 1, .handle = datum};
	d->nwaits = 1;
	d->wait_tasks = &awaited;
	conditions_init(&conditions);
	conditions.simulated = 1;
	overheads_init(&conditions.overheads, OVERHEADS_SIMGRID);
	conditions.overheads.of[ARCH_CUDA].end_ns = end_ns;
	o.conditions = &conditions;
	given = 0;
	simulation_free(simulate(d, m, &o, NULL));
	CHECK_INT(given, 7);
	dag_free(d);
	machine_free(m);
	return last_push_ns;
}

/* The thread of GPU 0 goes on with the end of task 1; that of GPU 1 copies the datum at once, and not after that. */
static void test_application_acquires(void)
{
	int64_t at_once = pushed_after_acquiring(0);

	CHECK(at_once > 1000000); /* it has waited for the copy */
	CHECK_INT(pushed_after_acquiring(30000), at_once);
}

int main(void)
{
	RUN(test_devices_ask_first);
	RUN(test_waiting_cpu_asks_at_once);
	RUN(test_takes_ahead);
	RUN(test_pushes_wait);
	RUN(test_application_acquires);
	return check_done();
}
