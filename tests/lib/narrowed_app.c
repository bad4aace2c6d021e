/* tests/lib/narrowed_app.c - a StarPU application that lets some tasks run on CPUs alone, in all of StarPU's ways. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * COUNT tasks in each way, and as many that can run anywhere, all of one codelet, on data of one size, in no order: a
 * task takes 2 ms on a CPU and 0.1 ms on a device. Prints how many ran on CPUs.
 */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 12, CPU_US = 2000, DEVICE_US = 100 };

static unsigned on_cpus;

static void on_cpu(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&on_cpus, 1);
	usleep(CPU_US);
}

static void on_device(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	usleep(DEVICE_US);
}

static int can_execute(unsigned worker, struct starpu_task *task, unsigned implementation)
{
	(void)implementation;
	return !task->cl_arg || starpu_worker_get_type((int)worker) == STARPU_CPU_WORKER;
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "any"};
static struct starpu_codelet any = {.cpu_funcs = {on_cpu},
                                    .opencl_funcs = {on_device},
                                    .can_execute = can_execute,
                                    .name = "any",
                                    .nbuffers = 1,
                                    .modes = {STARPU_RW},
                                    .model = &model};

enum way { FREE, WHERE, WORKER, WORKERS, FUNCTION, CONTEXT, WAYS };

static void restrict_task(struct starpu_task *task, enum way way, int cpu, unsigned context)
{
	static uint32_t bits[STARPU_NMAXWORKERS / 32 + 1];

	switch (way) {
	case WHERE: task->where = STARPU_CPU; break;
	case WORKER:
		task->execute_on_a_specific_worker = 1;
		task->workerid = (unsigned)cpu;
		break;
	case WORKERS:
		bits[cpu / 32] = 1u << cpu % 32;
		task->workerids = bits;
		task->workerids_len = (unsigned)cpu / 32 + 1;
		break;
	case FUNCTION: task->cl_arg = bits; break;
	case CONTEXT: task->sched_ctx = context; break;
	default: break;
	}
}

int main(void)
{
	static float x[WAYS * COUNT];
	static starpu_data_handle_t handles[WAYS * COUNT];
	unsigned context;
	int cpu;

	if (starpu_init(NULL) != 0 || starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, &cpu, 1) == 0)
		return 1;
	context = starpu_sched_ctx_create(&cpu, 1, "cpus", STARPU_SCHED_CTX_POLICY_NAME, getenv("STARPU_SCHED"), 0);
	for (int i = 0; i < WAYS * COUNT; i++) {
		struct starpu_task *task = starpu_task_create();

		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&x[i], sizeof(x[i]));
		task->cl = &any;
		task->handles[0] = handles[i];
		restrict_task(task, (enum way)(i % WAYS), cpu, context);
		if (starpu_task_submit(task) != 0)
			return 1;
	}
	starpu_task_wait_for_all();
	for (int i = 0; i < WAYS * COUNT; i++)
		starpu_data_unregister(handles[i]);
	starpu_sched_ctx_delete(context);
	printf("%u of %d on CPUs\n", on_cpus, WAYS * COUNT);
	starpu_shutdown();
	return 0;
}
