/* tests/lib/stress_data.c - modes of stress_app whose tasks use data, and compute with it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/stress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct starpu_codelet on_data = {.cpu_funcs = {work},
                                        .cpu_funcs_name = {"work"},
                                        .opencl_funcs = {work},
                                        .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                        .name = "on_data"};

static int is_to_begin(void *descriptor, void *arg)
{
	(void)descriptor;
	(void)arg;
	return 0;
}

static void transaction(void)
{
	enum { PIECES = 16, LENGTH = 1000 };

	for (int cancelled = 1; cancelled >= 0; cancelled--) {
		float *values = calloc(PIECES * LENGTH, sizeof(*values));
		starpu_data_handle_t data[PIECES];
		struct starpu_transaction *t = cancelled ? starpu_transaction_open(is_to_begin, NULL) : NULL;

		for (int i = 0; i < PIECES; i++)
			starpu_vector_data_register(&data[i], STARPU_MAIN_RAM, (uintptr_t)(values + LENGTH * i), LENGTH,
			                            sizeof(*values));
		for (long i = 0; i < ntasks; i++) {
			starpu_data_handle_t to = data[i % PIECES], from = data[(i + 1) % PIECES];

			if ((t ? starpu_task_insert(&on_data, STARPU_RW, to, STARPU_R, from, STARPU_TRANSACTION, t, 0) :
			         starpu_task_insert(&on_data, STARPU_RW, to, STARPU_R, from, 0)) != 0)
				exit(9);
		}
		if (t)
			starpu_transaction_close(t);
		starpu_task_wait_for_all();
		for (int i = 0; i < PIECES; i++)
			starpu_data_unregister(data[i]);
		free(values);
	}
}

static void set_to_0(void *buffers[], void *arg)
{
	(void)arg;
	*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}

static void count(void *buffers[], void *arg)
{
	work(buffers, arg);
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static void sum_up(void *buffers[], void *arg)
{
	(void)arg;
	*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(int *)STARPU_VARIABLE_GET_PTR(buffers[1]);
}

static struct starpu_codelet zero = {.cpu_funcs = {set_to_0}, .nbuffers = 1, .modes = {STARPU_W}, .name = "zero"};
static struct starpu_codelet counts = {.cpu_funcs = {count}, .nbuffers = 1, .modes = {STARPU_REDUX}, .name = "counts"};
static struct starpu_codelet sums = {.cpu_funcs = {sum_up},
                                     .nbuffers = 2,
                                     .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R},
                                     .name = "sums"};

static void own(void)
{
	enum { PARTS = 20 };
	starpu_data_handle_t sum, copy;
	int value = 0, copied = 0;

	starpu_variable_data_register(&sum, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof(value));
	starpu_variable_data_register(&copy, STARPU_MAIN_RAM, (uintptr_t)&copied, sizeof(copied));
	starpu_data_set_reduction_methods(sum, &sums, &zero);
	for (long i = 0; i < ntasks; i++) {
		for (int k = 0; k < PARTS; k++)
			if (starpu_task_insert(&counts, STARPU_REDUX, sum, 0) != 0)
				exit(9);
		if (starpu_data_cpy(copy, sum, 1, NULL, NULL) != 0)
			exit(9);
		starpu_task_wait_for_all();
		starpu_data_acquire(copy, STARPU_R);
		disturbed += copied != PARTS * (i + 1);
		starpu_data_release(copy);
	}
	starpu_data_unregister(copy);
	starpu_data_unregister(sum);
}

static double changing_cost(struct starpu_task *task, unsigned worker, unsigned implementation)
{
	static unsigned calls;

	(void)task;
	(void)implementation;
	return 10.0 * (1 + STARPU_ATOMIC_ADD(&calls, 1) % 7) * (1 + worker % 3);
}

static void kinds(void)
{
	static struct starpu_perfmodel costs = {.type = STARPU_PER_WORKER,
	                                        .worker_cost_function = changing_cost,
	                                        .symbol = "kinds"};
	struct starpu_codelet *kind = calloc((size_t)ntasks, sizeof(*kind));
	starpu_data_handle_t *on = malloc((size_t)ntasks * sizeof(starpu_data_handle_t));
	char *bytes = calloc((size_t)ntasks, 1);

	for (long i = 0; i < ntasks; i++) {
		kind[i] = on_data;
		kind[i].model = &costs;
		starpu_vector_data_register(&on[i], STARPU_MAIN_RAM, (uintptr_t)bytes, (uint32_t)i + 1, 1);
	}
	for (long i = 0; i < 2 * ntasks; i++)
		if (starpu_task_insert(&kind[i % ntasks], STARPU_RW, on[i % ntasks], 0) != 0)
			exit(9);
	starpu_task_wait_for_all();
	for (long i = 0; i < ntasks; i++)
		starpu_data_unregister(on[i]);
	disturbed += (long)ran != 2 * ntasks;
	free(kind);
	free(on);
	free(bytes);
}

enum { VALUES = 64, TIMES = 5 };

static void add(void *buffers[], void *arg)
{
	unsigned *to = (unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);

	(void)arg;
	*to = 3 * *to + *(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[1]);
	STARPU_ATOMIC_ADD(&ran, 1);
}

static struct starpu_codelet adds = {
	.cpu_funcs = {add}, .cpu_funcs_name = {"add"}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .name = "adds"};

static unsigned value[VALUES], result[VALUES];
static starpu_data_handle_t handle[VALUES];

static void begin_values(void)
{
	for (unsigned i = 0; i < VALUES; i++) {
		value[i] = result[i] = i;
		starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof(value[i]));
	}
}

/* Each task adds to a value another one, one of the eight that follow it. */
static void add_value(long i, unsigned ctx)
{
	struct starpu_task *task = starpu_task_create();
	long to = i % VALUES, from = (to + 1 + i % 8) % VALUES;

	result[to] = 3 * result[to] + result[from];
	task->cl = &adds;
	task->handles[0] = handle[to];
	task->handles[1] = handle[from];
	task->sched_ctx = ctx;
	if (starpu_task_submit(task) != 0)
		exit(9);
}

static void end_values(long n)
{
	starpu_task_wait_for_all();
	for (unsigned i = 0; i < VALUES; i++) {
		starpu_data_unregister(handle[i]);
		disturbed += value[i] != result[i];
	}
	disturbed += (long)ran != n;
}

static void iterate_with(int barrier)
{
	begin_values();
	for (int times = 0; times < TIMES; times++) {
		for (long i = 0; i < ntasks; i++)
			add_value(i, STARPU_NMAX_SCHED_CTXS);
		if (barrier)
			starpu_task_wait_for_all();
	}
	end_values(TIMES * ntasks);
}

static void iterate(void)
{
	iterate_with(0);
}

static void barriers(void)
{
	iterate_with(1);
}

static void between(void)
{
	const char *named = getenv("STRESS_POLICY"), *policy = named ? named : "heterotune";
	unsigned context[] = {0, make_context(STARPU_CPU_WORKER, policy), make_context(STARPU_ANY_WORKER, policy)};

	begin_values();
	for (int n = 3; n > 0; n--) { /* contexts that are left */
		for (long i = 0; i < ntasks; i++)
			add_value(i, context[i % n]);
		starpu_do_schedule();
		for (long i = 0; i < ntasks; i++)
			add_value(5 * i, context[i / 3 % n]);
		if (n == 1)
			break;
		starpu_task_wait_for_all_in_ctx(context[n - 1]);
		starpu_sched_ctx_delete(context[n - 1]);
	}
	end_values(6 * ntasks);
}

enum { RESTING = 200, BUSY = 4096 - RESTING, FRESH = 500, ALL = RESTING + BUSY + FRESH };

static unsigned numbers[ALL], expected[ALL];
static starpu_data_handle_t data[ALL];

static void add_to(unsigned to, unsigned from)
{
	struct starpu_task *task = starpu_task_create();

	expected[to] = 3 * expected[to] + expected[from];
	task->cl = &adds;
	task->handles[0] = data[to];
	task->handles[1] = data[from];
	if (starpu_task_submit(task) != 0)
		exit(9);
	ntasks++;
}

/* A scheduler that keeps something for each piece of data may forget what has not been used in thousands of tasks. */
static void rests(void)
{
	ntasks = 0;
	for (unsigned i = 0; i < ALL; i++) {
		numbers[i] = expected[i] = i;
		starpu_variable_data_register(&data[i], STARPU_MAIN_RAM, (uintptr_t)&numbers[i], sizeof(numbers[i]));
	}
	for (unsigned i = 0; i < RESTING; i++)
		add_to(i, (i + 1) % RESTING);
	for (unsigned i = 0; i < 3 * BUSY; i++)
		add_to(RESTING + i % BUSY, RESTING + (i + 1) % BUSY);
	starpu_task_wait_for_all();
	for (unsigned i = 0; i < FRESH; i++) {
		add_to(RESTING + BUSY + i, RESTING + i);
		add_to(i % RESTING, (i + 7) % RESTING);
		add_to(i % RESTING, RESTING + BUSY + i);
	}
	starpu_task_wait_for_all();
	for (unsigned i = 0; i < ALL; i++) {
		starpu_data_unregister(data[i]);
		disturbed += numbers[i] != expected[i];
	}
	disturbed += (long)ran != ntasks;
}

static void note(void *buffers[], void *number)
{
	(void)buffers;
	printf("%s%ld", STARPU_ATOMIC_ADD(&ran, 1) == 1 ? "order " : " ", (long)(intptr_t)number);
}

static struct starpu_codelet notes = {.cpu_funcs = {note},
                                      .cpu_funcs_name = {"note"},
                                      .nbuffers = 2,
                                      .modes = {STARPU_RW, STARPU_R},
                                      .name = "notes"};

/* A worker that looks for a task when the pause begins still takes one: that long after it none does. */
enum { PAUSED_US = 100000 };

/* The first task of each piece of data waits for a task that is submitted last, and which nobody executes. */
static void paused(void)
{
	static unsigned is_used[VALUES];
	struct starpu_task *gate = starpu_task_create();

	begin_values();
	starpu_pause();
	usleep(PAUSED_US);
	for (long i = 0; i < ntasks; i++) {
		struct starpu_task *task = starpu_task_create();
		long to = i * i % VALUES, from = (to + 1 + i % 8) % VALUES;

		task->cl = &notes;
		task->cl_arg = (void *)(intptr_t)i;
		task->priority = (int)(i * 7 % 5);
		task->handles[0] = handle[to];
		task->handles[1] = handle[from];
		if (!is_used[to] || !is_used[from])
			starpu_task_declare_deps_array(task, 1, &gate);
		is_used[to] = is_used[from] = 1;
		if (starpu_task_submit(task) != 0)
			exit(9);
	}
	if (starpu_task_submit(gate) != 0)
		exit(9);
	starpu_resume();
	starpu_task_wait_for_all();
	for (unsigned i = 0; i < VALUES; i++)
		starpu_data_unregister(handle[i]);
	printf("\n");
}

const struct stress_mode stress_data_modes[] = {
	{"own", own},         {"transaction", transaction}, {"kinds", kinds},
	{"iterate", iterate}, {"barriers", barriers},       {"between", between},
	{"rests", rests},     {"paused", paused},           {NULL, NULL}};
