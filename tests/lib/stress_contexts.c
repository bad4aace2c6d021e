/* tests/lib/stress_contexts.c - modes of stress_app in which tasks go to several contexts of workers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/stress.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

unsigned make_context(enum starpu_worker_archtype type, const char *policy)
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
	const char *policy = getenv("STRESS_POLICY"), *config = getenv("STRESS_CONFIG");
	unsigned cpus;

	if (config)
		setenv("HETEROTUNE_CONFIG", config, 1);
	cpus = cpu_context(policy ? policy : "heterotune");

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

static void long_work(void *buffers[], void *arg)
{
	usleep(100000);
	work(buffers, arg);
}

static struct starpu_codelet on_cpu = {.cpu_funcs = {short_work}, .name = "on_cpu"};
static struct starpu_codelet long_on_cpu = {.cpu_funcs = {long_work}, .name = "long_on_cpu"};

static void *take_cpus(void *ctx)
{
	int cpus[STARPU_NMAXWORKERS], n = starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, cpus, STARPU_NMAXWORKERS);
	int taken[] = {cpus[1], cpus[0]}; /* all but the first of them are blocked */

	if (n < 3)
		exit(77);
	*(unsigned *)ctx = starpu_sched_ctx_create(taken, 2, "parallel", 0);
	return NULL;
}

/* StarPU waits until two CPUs have ended their tasks; tasks are submitted then, while one is gone, and after that. */
static void blocked(void)
{
	int cpus = starpu_worker_get_count_by_type(STARPU_CPU_WORKER);
	pthread_t taking;
	unsigned ctx;

	if (cpus < 3)
		exit(77);
	submit_to(0, &long_on_cpu, cpus);
	usleep(20000);
	if (pthread_create(&taking, NULL, take_cpus, &ctx) != 0)
		exit(9);
	usleep(20000);
	submit_to(0, &everywhere, ntasks);
	submit_to(0, &on_cpu, 1);
	pthread_join(taking, NULL);
	submit_to(0, &on_cpu, ntasks);
	starpu_task_wait_for_all();
	starpu_sched_ctx_delete(ctx);
	submit_to(0, &on_cpu, ntasks);
	starpu_task_wait_for_all();
}

static unsigned of_blocked; /* tasks that the CPU has executed that was blocked */

static void counted_work(void *buffers[], void *arg)
{
	usleep(2000);
	if (starpu_worker_get_id() == starpu_worker_get_by_type(STARPU_CPU_WORKER, 0))
		STARPU_ATOMIC_ADD(&of_blocked, 1);
	work(buffers, arg);
}

static struct starpu_codelet counted = {.cpu_funcs = {counted_work}, .name = "counted"};

/* All tasks are submitted while a CPU is gone: it takes some of them when it is back. */
static void unblocked(void)
{
	unsigned ctx;

	take_cpus(&ctx);
	submit_to(0, &counted, ntasks);
	starpu_sched_ctx_delete(ctx);
	starpu_task_wait_for_all();
	if (!of_blocked)
		exit(9);
}

const struct stress_mode stress_context_modes[] = {{"context", context}, {"contexts", contexts},   {"moved", moved},
                                                   {"blocked", blocked}, {"unblocked", unblocked}, {NULL, NULL}};
