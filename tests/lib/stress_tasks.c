/* tests/lib/stress_tasks.c - modes of stress_app that look at what a scheduler leaves of the tasks themselves. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/stress.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

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

struct starpu_task *task_to_keep(struct starpu_codelet *codelet)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet;
	task->destroy = 0;
	task->detach = 0;
	task->priority = 5;
	return task;
}

void once(struct starpu_task *task, const struct starpu_codelet *where)
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

static struct starpu_codelet on_cpus = {.cpu_funcs = {work}, .cpu_funcs_name = {"work"}, .name = "on_cpus"};

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

/* In microseconds: the second implementation, where there is one, is as fast as the only one of the other codelet. */
static double cost(struct starpu_task *task, unsigned worker, unsigned implementation)
{
	(void)worker;
	return implementation || !task->cl->cpu_funcs[1] ? 10 : 100;
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

/* Until a task runs that was submitted after it, or for five seconds. */
static void outlast(void *buffers[], void *arg)
{
	double end = starpu_timing_now() + 5e6;
	unsigned before = STARPU_ATOMIC_ADD(&ran, 1);

	(void)buffers;
	(void)arg;
	while (STARPU_ATOMIC_ADD(&ran, 0) == before && starpu_timing_now() < end)
		usleep(100);
	if (STARPU_ATOMIC_ADD(&ran, 0) == before)
		STARPU_ATOMIC_ADD(&disturbed, 1);
}

static struct starpu_codelet outlasts = {.cpu_funcs = {outlast}, .cpu_funcs_name = {"outlast"}, .name = "outlasts"};

enum { BY_ORDER, BY_WORKERIDS, BY_CONTEXT, WAYS };

/* A task of one worker, in one of the ways in which that does not ask the first context's policy for it. */
static void one_with_two(int worker, int way)
{
	uint32_t only[(STARPU_NMAXWORKERS + 31) / 32] = {0};
	struct starpu_task *task = starpu_task_create();
	unsigned before = STARPU_ATOMIC_ADD(&ran, 0), made = 0;

	only[worker / 32] = 1u << worker % 32;
	task->cl = &outlasts;
	if (way == BY_ORDER) {
		task->execute_on_a_specific_worker = 1;
		task->workerid = (unsigned)worker;
	} else if (way == BY_WORKERIDS) {
		task->workerids = only;
		task->workerids_len = sizeof(only) / sizeof(*only);
	} else {
		made = starpu_sched_ctx_create(&worker, 1, "one", STARPU_SCHED_CTX_POLICY_NAME, "heterotune", 0);
		task->sched_ctx = made;
	}
	usleep(1000); /* all workers have asked in vain */
	if (starpu_task_submit(task) != 0)
		exit(9);
	while (STARPU_ATOMIC_ADD(&ran, 0) == before)
		usleep(100);
	if (starpu_task_insert(&everywhere, 0) != 0)
		exit(9);
	starpu_task_wait_for_all();
	if (made)
		starpu_sched_ctx_delete(made);
}

static void away(void)
{
	int cpus[STARPU_NMAXWORKERS], n = starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, cpus, STARPU_NMAXWORKERS);

	for (int i = 0; i < WAYS * n; i++)
		one_with_two(cpus[i / WAYS], i % WAYS);
}

const struct stress_mode stress_task_modes[] = {
	{"threads", threads},       {"again", again},   {"change", change}, {"given", given}, {"callbacks", callbacks},
	{"regenerate", regenerate}, {"tagged", tagged}, {"fork", forked},   {"bound", bound}, {"redefined", redefined},
	{"released", released},     {"nested", nested}, {"away", away},     {NULL, NULL}};
