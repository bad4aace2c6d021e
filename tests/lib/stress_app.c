/* tests/lib/stress_app.c - a StarPU program that looks at its tasks while a scheduler has them, and asks much of it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stress_app MODE [NUMBER]: runs one of
 *   threads N    four threads submit N tasks each, of STRESS_CODELETS codelets, with priorities of their own
 *   again N      one task object, submitted N times
 *   change       one task object, submitted with a codelet for all workers, then with one for CPUs
 *   context      one task object, submitted to all workers, then to a context of CPUs with another scheduler
 *   callbacks N  one task object, submitted N times, whose callbacks give it another priority
 *   regenerate N one task object, which StarPU submits again until its callback ends that
 *   contexts N   tasks that alternate between the first context and a second one, which is then deleted
 *   between N    tasks on data that is used in three contexts by turns, of which two are then deleted
 *   fork N       N tasks, then a child that does nothing
 *   bound N      N tasks that one worker each may execute, and N that their codelet lets one worker each execute, all
 *                submitted in a pause
 *   redefined N  one codelet object, which is now a codelet with two implementations, now one with one, N tasks each
 *   released N   N tasks that end once the program says so, in a thread that is no worker
 *   own N        N sums of which each worker has a part, and N copies of data: by tasks of StarPU's own
 *   nested N     a task that ends after one that it submits, which does the same, N deep
 *   tagged N     one task object, submitted N times as soon as its tag says that it has been executed
 *   transaction N  N tasks on data in a transaction that is cancelled, then N on other data
 *   kinds N      N codelets whose costs change from task to task, two tasks each, on data of N sizes
 *   moved N      tasks for all workers, and for devices alone, in a context that a device leaves, then comes back to
 *   given N      one task object, submitted N times with a value for schedulers, as STARPU_TASK_SCHED_DATA gives it
 *   iterate N    five times the same N tasks on data; barriers N: with a barrier after each time
 *   rests        tasks on much data, of which some is not used for long before it is used again
 *   paused N     once N tasks on data, all submitted before the first one is ready; prints "order" and their numbers in
 *                the order of their execution
 * and prints how many tasks ran and how many saw, in their callbacks or after their end, another priority or other
 * workers than they were given, or computed something wrong. The status is 1 where there were such. With STRESS_TIME in
 * the environment it prints the nanoseconds that a task took, from the first submission to the end of all.
 */
#include <pthread.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, MAX_CODELETS = 1000 };

static struct starpu_codelet codelets[MAX_CODELETS];
static char names[MAX_CODELETS][16];
static int ncodelets;
static long ntasks;
static unsigned ran, disturbed;

static void work(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

static struct starpu_codelet everywhere = {.cpu_funcs = {work},
                                           .cpu_funcs_name = {"work"},
                                           .opencl_funcs = {work},
                                           .cuda_funcs = {work},
                                           .name = "everywhere"};
static struct starpu_codelet on_cpus = {.cpu_funcs = {work}, .cpu_funcs_name = {"work"}, .name = "on_cpus"};

/* The callback of a task gets its priority as argument. */
static void look(void *priority)
{
	const struct starpu_task *task = starpu_task_get_current();

	if (task && task->priority != (int)(intptr_t)priority)
		STARPU_ATOMIC_ADD(&disturbed, 1);
}

static void *submit(void *thread)
{
	for (long i = 0; i < ntasks; i++) {
		struct starpu_task *task = starpu_task_create();
		int priority = (int)(i % 7);

		task->cl = &codelets[(i + (long)(intptr_t)thread) % ncodelets];
		task->priority = priority;
		task->callback_func = look;
		task->callback_arg = (void *)(intptr_t)priority;
		if (starpu_task_submit(task) != 0)
			exit(9);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, submit, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	starpu_task_wait_for_all();
}

static struct starpu_task *task_to_keep(struct starpu_codelet *codelet)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet;
	task->destroy = 0;
	task->detach = 0;
	task->priority = 5;
	return task;
}

/* Submits the task, waits for it, and looks at what is left in it: its workers are still those of its first codelet. */
static void once(struct starpu_task *task, const struct starpu_codelet *where)
{
	if (starpu_task_submit(task) != 0 || starpu_task_wait(task) != 0)
		exit(9);
	if (task->priority != 5 || task->where != (int)where->where)
		disturbed++;
}

static void again(void)
{
	struct starpu_task *task = task_to_keep(&everywhere);

	for (long i = 0; i < ntasks; i++)
		once(task, &everywhere);
	starpu_task_destroy(task);
}

static void change(void)
{
	struct starpu_task *task = task_to_keep(&everywhere);

	once(task, &everywhere);
	task->cl = &on_cpus;
	once(task, &everywhere);
	starpu_task_destroy(task);
}

static void given(void)
{
	struct starpu_task *task = task_to_keep(&everywhere);

	for (long i = 0; i < ntasks; i++) {
		task->sched_data = (void *)(intptr_t)(i + 1);
		once(task, &everywhere);
	}
	starpu_task_destroy(task);
}

/* What a callback gives stays: for whoever waits, and for the next submission. */
static void change_priority(void *arg)
{
	struct starpu_task *task = starpu_task_get_current();

	(void)arg;
	task->priority = task->priority == 5 ? 9 : 5;
}

static void callbacks(void)
{
	struct starpu_task *task = task_to_keep(&everywhere);

	task->callback_func = change_priority;
	for (long i = 0; i < ntasks; i++) {
		if (starpu_task_submit(task) != 0 || starpu_task_wait(task) != 0)
			exit(9);
		disturbed += task->priority != (i % 2 ? 5 : 9);
	}
	starpu_task_destroy(task);
}

static void count_down(void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	long *left = arg;

	if (task->priority != 5 || task->where != (int)everywhere.where)
		STARPU_ATOMIC_ADD(&disturbed, 1);
	if (--*left == 0)
		task->regenerate = 0;
}

static void regenerate(void)
{
	struct starpu_task *task = starpu_task_create();
	long left = ntasks;

	task->cl = &everywhere;
	task->priority = 5;
	task->destroy = 0;
	task->regenerate = 1;
	task->callback_func = count_down;
	task->callback_arg = &left;
	if (starpu_task_submit(task) != 0)
		exit(9);
	starpu_task_wait_for_all();
	starpu_task_destroy(task);
	disturbed += left != 0;
}

static unsigned make_context(enum starpu_worker_archtype type, const char *policy)
{
	int ids[STARPU_NMAXWORKERS], n = starpu_worker_get_ids_by_type(type, ids, STARPU_NMAXWORKERS);

	return starpu_sched_ctx_create(ids, n, "made", STARPU_SCHED_CTX_POLICY_NAME, policy, 0);
}

static unsigned cpu_context(const char *policy)
{
	return make_context(STARPU_CPU_WORKER, policy);
}

static void context(void)
{
	unsigned cpus = cpu_context("eager");
	struct starpu_task *task = task_to_keep(&everywhere);

	once(task, &everywhere);
	task->sched_ctx = cpus;
	once(task, &everywhere);
	starpu_task_destroy(task);
	starpu_sched_ctx_delete(cpus);
}

static void contexts(void)
{
	const char *policy = getenv("STRESS_POLICY");
	unsigned cpus = cpu_context(policy ? policy : "heterotune");

	for (int deleted = 0; deleted < 2; deleted++) {
		for (long i = 0; i < ntasks; i++) {
			struct starpu_task *task = starpu_task_create();

			task->cl = &codelets[i % ncodelets];
			if (!deleted && i % 2)
				task->sched_ctx = cpus;
			if (starpu_task_submit(task) != 0)
				exit(9);
		}
		starpu_task_wait_for_all();
		if (!deleted)
			starpu_sched_ctx_delete(cpus);
	}
}

static void tagged(void)
{
	enum { TAG = 42 };
	struct starpu_task *task = task_to_keep(&everywhere);

	task->detach = 1;
	task->use_tag = 1;
	task->tag_id = TAG;
	for (long i = 0; i < ntasks; i++)
		if (starpu_task_submit(task) != 0 || starpu_tag_wait(TAG) != 0)
			exit(9);
	starpu_task_wait_for_all();
	starpu_task_destroy(task);
}

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

static void submit_to(unsigned ctx, struct starpu_codelet *codelet, long n)
{
	for (long i = 0; i < n; i++) {
		struct starpu_task *task = starpu_task_create();

		task->cl = codelet;
		task->sched_ctx = ctx;
		if (starpu_task_submit(task) != 0)
			exit(9);
	}
}

static void short_work(void *buffers[], void *arg)
{
	usleep(200);
	work(buffers, arg);
}

static struct starpu_codelet on_device = {.opencl_funcs = {short_work}, .name = "on_device"};

/* Tasks of the device wait while it is not there. */
static void moved(void)
{
	const char *policy = getenv("STRESS_POLICY");
	int device = starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0);
	int cpu = starpu_worker_get_by_type(STARPU_CPU_WORKER, 0), both[] = {device, cpu};
	unsigned ctx;

	if (device < 0 || cpu < 0)
		exit(77);
	ctx = starpu_sched_ctx_create(both, 2, "moved", STARPU_SCHED_CTX_POLICY_NAME, policy ? policy : "heterotune",
	                              0);
	submit_to(ctx, &everywhere, ntasks);
	submit_to(ctx, &on_device, ntasks / 10);
	starpu_sched_ctx_remove_workers(&device, 1, ctx);
	for (int i = 0; i < 5; i++) {
		submit_to(ctx, &everywhere, 3);
		usleep(2000);
	}
	starpu_sched_ctx_add_workers(&device, 1, ctx);
	starpu_task_wait_for_all();
	starpu_sched_ctx_remove_workers(&cpu, 1, ctx);
	submit_to(ctx, &everywhere, ntasks);
	starpu_task_wait_for_all();
	starpu_sched_ctx_delete(ctx);
}

static void forked(void)
{
	submit(NULL);
	starpu_task_wait_for_all();
	if (fork() == 0)
		_exit(0);
	wait(NULL);
}

/* The argument is the worker that may execute the task. */
static void where_allowed(void *buffers[], void *worker)
{
	(void)buffers;
	STARPU_ATOMIC_ADD(&ran, 1);
	if (starpu_worker_get_id() != (int)(intptr_t)worker)
		STARPU_ATOMIC_ADD(&disturbed, 1);
}

static int is_allowed(unsigned worker, struct starpu_task *task, unsigned implementation)
{
	(void)implementation;
	return (intptr_t)task->cl_arg == (intptr_t)worker;
}

static struct starpu_codelet anywhere = {.cpu_funcs = {where_allowed},
                                         .cpu_funcs_name = {"where_allowed"},
                                         .opencl_funcs = {where_allowed},
                                         .name = "everywhere"};
static struct starpu_codelet chooses = {.can_execute = is_allowed,
                                        .cpu_funcs = {where_allowed},
                                        .cpu_funcs_name = {"where_allowed"},
                                        .opencl_funcs = {where_allowed},
                                        .name = "c0"};

static unsigned doublings(long n)
{
	return n > 1 ? 1 + doublings(n / 2) : 0;
}

static void bound(void)
{
	static uint32_t only[STARPU_NMAXWORKERS][(STARPU_NMAXWORKERS + 31) / 32];
	unsigned n = starpu_worker_get_count();

	for (unsigned w = 0; w < n; w++)
		only[w][w / 32] = 1u << w % 32;
	/* A scheduler may ask where a codelet runs at its 1st, 2nd, 4th, ... task: that of each is another worker. */
	starpu_pause();
	for (long i = 0; i < 2 * ntasks; i++) {
		struct starpu_task *task = starpu_task_create();
		unsigned worker = i % 2 ? doublings(i / 2 + 1) % n : (unsigned)i / 2 % n;

		task->cl = i % 2 ? &chooses : &anywhere;
		task->cl_arg = (void *)(intptr_t)worker;
		if (i % 2 == 0) {
			task->workerids = only[worker];
			task->workerids_len = (n + 31) / 32;
		}
		if (starpu_task_submit(task) != 0)
			exit(9);
	}
	starpu_resume();
	starpu_task_wait_for_all();
	disturbed += (long)ran != 2 * ntasks;
}

/* In microseconds: the second implementation is the one to take. */
static double cost(struct starpu_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	(void)worker;
	return implementation ? 10 : 100;
}

static void redefined(void)
{
	static struct starpu_perfmodel costs = {.type = STARPU_PER_WORKER,
	                                        .worker_cost_function = cost,
	                                        .symbol = "redefined"};
	struct starpu_codelet codelet;

	for (long i = 0; i < 4 * ntasks; i++) {
		if (i % ntasks == 0)
			codelet = (struct starpu_codelet){.cpu_funcs = {work, i / ntasks % 2 ? NULL : work},
			                                  .model = &costs,
			                                  .name = "redefined"};
		if (starpu_task_insert(&codelet, 0) != 0)
			exit(9);
		starpu_task_wait_for_all();
	}
}

static void released(void)
{
	for (long i = 0; i < ntasks; i++) {
		struct starpu_task *task = task_to_keep(&everywhere);

		starpu_task_end_dep_add(task, 1);
		if (starpu_task_submit(task) != 0)
			exit(9);
		while (STARPU_ATOMIC_ADD(&ran, 0) <= i)
			usleep(10);
		usleep(100); /* the worker leaves it */
		starpu_task_end_dep_release(task);
		if (starpu_task_wait(task) != 0)
			exit(9);
		if (task->priority != 5 || task->where != (int)everywhere.where)
			disturbed++;
		starpu_task_destroy(task);
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

static struct starpu_codelet deeper;

static void go_deeper(void *buffers[], void *depth)
{
	struct starpu_task *next;

	work(buffers, depth);
	if (!depth)
		return;
	next = starpu_task_create();
	next->cl = &deeper;
	next->cl_arg = (void *)((uintptr_t)depth - 1);
	starpu_task_declare_end_deps_array(starpu_task_get_current(), 1, &next);
	if (starpu_task_submit(next) != 0)
		exit(9);
}

static void nested(void)
{
	struct starpu_task *task = starpu_task_create();

	deeper = (struct starpu_codelet){.cpu_funcs = {go_deeper}, .name = "deeper"};
	task->cl = &deeper;
	task->cl_arg = (void *)(uintptr_t)ntasks;
	if (starpu_task_submit(task) != 0)
		exit(9);
	starpu_task_wait_for_all();
	disturbed += (long)ran != ntasks + 1;
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

static void between(void)
{
	const char *named = getenv("STRESS_POLICY"), *policy = named ? named : "heterotune";
	unsigned context[] = {0, cpu_context(policy), make_context(STARPU_ANY_WORKER, policy)};

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

static void iterate(void)
{
	iterate_with(0);
}

static void barriers(void)
{
	iterate_with(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {{"threads", threads},     {"again", again},
	             {"given", given},         {"own", own},
	             {"nested", nested},       {"change", change},
	             {"context", context},     {"rests", rests},
	             {"callbacks", callbacks}, {"regenerate", regenerate},
	             {"contexts", contexts},   {"between", between},
	             {"fork", forked},         {"iterate", iterate},
	             {"barriers", barriers},   {"bound", bound},
	             {"released", released},   {"redefined", redefined},
	             {"paused", paused},       {"tagged", tagged},
	             {"moved", moved},         {"transaction", transaction},
	             {"kinds", kinds}};
	double start;
	const char *count = getenv("STRESS_CODELETS");

	ntasks = argc > 2 ? atol(argv[2]) : 100;
	ncodelets = count ? atoi(count) : 4;
	if (ncodelets < 1 || ncodelets > MAX_CODELETS || starpu_init(NULL) != 0)
		return 77;
	for (int i = 0; i < ncodelets; i++) {
		snprintf(names[i], sizeof(names[i]), "c%d", i);
		codelets[i] = everywhere;
		codelets[i].name = names[i];
	}
	start = starpu_timing_now();
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
			modes[i].run();
	if (getenv("STRESS_TIME") && ran)
		printf("%.0f ns a task\n", 1000 * (starpu_timing_now() - start) / ran);
	starpu_shutdown();
	printf("ran %u, disturbed %u\n", ran, disturbed);
	return disturbed != 0;
}
