/* tests/lib/functions_app.c - a StarPU application whose performance models are functions of its own. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * COUNT tasks of the codelet `either` in no order, on data of one size: what one takes is in its argument, 1 ms on a
 * CPU and 8 ms on an OpenCL device or the other way round, and its model says that. COUNT tasks of `common`, 0.1 ms on
 * a CPU, and of `unfinished`, whose model has no function: StarPU would end the program if it were asked for one. With
 * an argument it is a history. Prints how many of `either` ran where they are fast.
 */
#include <starpu.h>
#include <stdio.h>
#include <unistd.h>

enum { COUNT = 60, SHORT_US = 1000, LONG_US = 8000, COMMON_US = 100 };

static unsigned fast;

static void execute(int is_device, const void *arg)
{
	int is_for_devices = arg != NULL;

	if (is_device == is_for_devices)
		STARPU_ATOMIC_ADD(&fast, 1);
	usleep(is_device == is_for_devices ? SHORT_US : LONG_US);
}

static void on_cpu(void *buffers[], void *arg)
{
	(void)buffers;
	execute(0, arg);
}

static void on_device(void *buffers[], void *arg)
{
	(void)buffers;
	execute(1, arg);
}

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}

static void take_common(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	usleep(COMMON_US);
}

static double cost_of_arch(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation)
{
	(void)implementation;
	return (arch->devices[0].type != STARPU_CPU_WORKER) == (task->cl_arg != NULL) ? SHORT_US : LONG_US;
}

static double cost(struct starpu_task *task, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return COMMON_US / 2; /* StarPU takes a CPU to be half as fast as what the function is for */
}

static struct starpu_perfmodel of_arch = {.type = STARPU_PER_ARCH,
                                          .arch_cost_function = cost_of_arch,
                                          .symbol = "of_arch"};
static struct starpu_perfmodel of_all = {.type = STARPU_COMMON, .cost_function = cost, .symbol = "of_all"};
static struct starpu_perfmodel of_none = {.type = STARPU_PER_WORKER, .symbol = "of_none"};
static struct starpu_codelet either = {.cpu_funcs = {on_cpu},
                                       .opencl_funcs = {on_device},
                                       .name = "either",
                                       .nbuffers = 1,
                                       .modes = {STARPU_RW},
                                       .model = &of_arch};
static struct starpu_codelet common = {.cpu_funcs = {take_common}, .name = "common", .model = &of_all};
static struct starpu_codelet unfinished = {.cpu_funcs = {nothing}, .name = "unfinished", .model = &of_none};

int main(int argc, char **argv)
{
	static float x[COUNT];
	static char yes;
	static starpu_data_handle_t handles[COUNT];

	(void)argv;
	if (argc > 1)
		of_none.type = STARPU_HISTORY_BASED;
	if (starpu_init(NULL) != 0)
		return 1;
	for (int i = 0; i < COUNT; i++) {
		struct starpu_task *task = starpu_task_create();

		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&x[i], sizeof(x[i]));
		task->cl = &either;
		task->cl_arg = (unsigned)i * 2654435761u >> 20 & 1 ? &yes : NULL;
		task->handles[0] = handles[i];
		if (starpu_task_submit(task) != 0 || starpu_task_insert(&common, 0) != 0 ||
		    starpu_task_insert(&unfinished, 0) != 0)
			return 1;
	}
	starpu_task_wait_for_all();
	for (int i = 0; i < COUNT; i++)
		starpu_data_unregister(handles[i]);
	printf("%u of %d where they are fast\n", fast, COUNT);
	starpu_shutdown();
	return 0;
}
