/* tests/lib/sending_app.c - a StarPU program that reads what a task has written, as StarPU-MPI does to send it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * After a task on two data, one on the first, which the program then asks to read, and a chain of CHAIN tasks on the
 * second; all are submitted before any is executed. Prints which of these comes first. With -DMPI and -rdynamic it
 * has what the scheduler library knows StarPU-MPI by.
 */
#include <starpu.h>
#include <stdio.h>

enum { CHAIN = 4 };

static int begun;

#ifdef MPI
int starpu_mpi_isend_detached(void);
int starpu_mpi_isend_detached(void)
{
	return 0;
}
#endif

static void work(void *buffers[], void *arg)
{
	(void)buffers;
	if (arg && !begun++)
		printf("%s\n", (const char *)arg);
}

static double cost(struct starpu_task *task, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return 1000;
}

static void release(void *handle)
{
	starpu_data_release(handle);
}

static struct starpu_perfmodel model = {.type = STARPU_COMMON, .cost_function = cost, .symbol = "sending"};
static struct starpu_codelet codelet = {
	.cpu_funcs = {work}, .name = "sending", .nbuffers = 1, .modes = {STARPU_RW}, .model = &model};
static struct starpu_codelet before = {
	.cpu_funcs = {work}, .name = "before", .nbuffers = 2, .modes = {STARPU_W, STARPU_W}, .model = &model};

static int submit(struct starpu_codelet *cl, const char *name, starpu_data_handle_t first, starpu_data_handle_t second)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = cl;
	task->cl_arg = (void *)(uintptr_t)name;
	task->handles[0] = first;
	task->handles[1] = second;
	return starpu_task_submit(task);
}

int main(void)
{
	static float values[2];
	starpu_data_handle_t data[2];
	int failed = 0;

	if (starpu_init(NULL) != 0)
		return 77;
	for (int i = 0; i < 2; i++)
		starpu_variable_data_register(&data[i], STARPU_MAIN_RAM, (uintptr_t)&values[i], sizeof(values[i]));
	starpu_pause();
	failed |= submit(&before, NULL, data[0], data[1]);
	failed |= submit(&codelet, "sent", data[0], NULL);
	failed |= starpu_data_acquire_on_node_cb(data[0], STARPU_MAIN_RAM, STARPU_R, release, data[0]);
	for (int i = 0; i < CHAIN; i++)
		failed |= submit(&codelet, "chain", data[1], NULL);
	starpu_resume();
	starpu_task_wait_for_all();
	for (int i = 0; i < 2; i++)
		starpu_data_unregister(data[i]);
	starpu_shutdown();
	return failed != 0;
}
